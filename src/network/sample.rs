//! Sampling rows from a network.

use rand_chacha::rand_core::RngCore;

use super::{BayesianNetwork, Node};
use crate::data::{Codes, CodesView, DiscreteData};
use crate::random_numbers::stream;
use crate::run::Run;
use crate::{Error, Result, Variable};

/// Rows that share one stream of random numbers. A sample depends on it, so it is part of what a seed means.
const BLOCK: usize = 1024;

/// The cumulative distributions of one node as thresholds of 64-bit random integers.
pub(super) struct Sampler {
    arity: usize,
    /// For each parent, its variable and by how much one state moves the configuration.
    strides: Vec<(Variable, usize)>,
    /// `arity − 1` thresholds for each configuration of the parents.
    thresholds: Vec<u64>,
}

impl Sampler {
    pub(super) fn new(nodes: &[Node], x: Variable) -> Self {
        let node = &nodes[x as usize];
        let mut stride = 1;
        let mut strides: Vec<(Variable, usize)> = Vec::with_capacity(node.parents.len());
        for &parent in node.parents.iter().rev() {
            strides.push((parent, stride));
            stride *= nodes[parent as usize].arity();
        }
        let arity = node.arity();
        let mut thresholds = Vec::with_capacity(node.n_configurations() * (arity - 1));
        for row in node.rows() {
            let total: f64 = row.iter().sum();
            // A state after the last possible one must not catch a draw that rounding left over.
            let last = row.iter().rposition(|&v| v > 0.0).unwrap_or(0);
            let mut sum = 0.0;
            for (state, &v) in row[..arity - 1].iter().enumerate() {
                sum += v;
                thresholds.push(if state >= last { u64::MAX } else { (sum / total * 64f64.exp2()) as u64 });
            }
        }
        Self { arity, strides, thresholds }
    }

    /// Draws the rows of a block, given the columns of the parents.
    pub(super) fn draw(&self, block: &[Vec<u16>], configurations: &mut [usize], rng: &mut impl RngCore) -> Vec<u16> {
        if self.arity == 1 {
            return vec![0; configurations.len()];
        }
        configurations.fill(0);
        for &(parent, stride) in &self.strides {
            for (configuration, &code) in configurations.iter_mut().zip(&block[parent as usize]) {
                *configuration += usize::from(code) * stride;
            }
        }
        let width = self.arity - 1;
        if width == 1 {
            return configurations.iter().map(|&c| u16::from(rng.next_u64() >= self.thresholds[c])).collect();
        }
        configurations
            .iter()
            .map(|&configuration| {
                let thresholds = &self.thresholds[configuration * width..][..width];
                let draw = rng.next_u64();
                if width <= 16 {
                    thresholds.iter().map(|&t| u16::from(draw >= t)).sum()
                } else {
                    thresholds.partition_point(|&t| draw >= t) as u16
                }
            })
            .collect()
    }
}

impl BayesianNetwork {
    /// Draws `n_rows` independent rows. Column x has the codes of variable x; its arity is the number of states that
    /// the network declares, whether drawn or not. The rows depend on the seed alone, not on the number of threads.
    ///
    /// # Errors
    ///
    /// [`Error::Parameter`] when `n_rows` is 0 or more than 2³² − 1; [`Error::Interrupted`] once the run is cancelled.
    ///
    /// # Examples
    ///
    /// ```
    /// use phgs::network::{BayesianNetwork, Node};
    /// let coin = Node {
    ///     name: "coin".into(),
    ///     states: vec!["head".into(), "tail".into()],
    ///     parents: vec![],
    ///     probabilities: vec![0.5, 0.5],
    /// };
    /// let network = BayesianNetwork::new("toss", vec![coin])?;
    /// let run = phgs::run::Run::new(1)?;
    /// let data = network.sample(1000, 7, &run)?;
    /// assert_eq!((data.n_rows(), data.arity(0)), (1000, 2));
    /// assert_eq!(data, network.sample(1000, 7, &run)?);
    /// # Ok::<(), phgs::Error>(())
    /// ```
    pub fn sample(&self, n_rows: usize, seed: u64, run: &Run) -> Result<DiscreteData> {
        if n_rows == 0 || u32::try_from(n_rows).is_err() {
            return Err(Error::parameter("n_rows", format!("{n_rows} is not between 1 and {}", u32::MAX)));
        }
        let p = self.n_variables();
        let samplers = run.map(p, || (), |(), x| Sampler::new(self.nodes(), x as Variable))?;
        let order = self.dag().topological_order();
        let blocks = run.map(
            n_rows.div_ceil(BLOCK),
            || vec![0usize; BLOCK],
            |configurations, number| {
                let rows = BLOCK.min(n_rows - number * BLOCK);
                let mut rng = stream(seed, number as u64);
                let mut block: Vec<Vec<u16>> = vec![Vec::new(); p];
                for &x in &order {
                    block[x as usize] = samplers[x as usize].draw(&block, &mut configurations[..rows], &mut rng);
                }
                let narrow = |(column, sampler): (Vec<u16>, &Sampler)| match sampler.arity {
                    0..=256 => Codes::Narrow(column.into_iter().map(|code| code as u8).collect()),
                    _ => Codes::Wide(column),
                };
                block.into_iter().zip(&samplers).map(narrow).collect::<Vec<Codes>>()
            },
        )?;
        let columns = run.map(p, || (), |(), x| concatenate(&blocks, x, n_rows))?;
        DiscreteData::new(columns, self.nodes().iter().map(|node| node.arity() as u32).collect())
    }
}

fn concatenate(blocks: &[Vec<Codes>], x: usize, n_rows: usize) -> Codes {
    let mut narrow = Vec::new();
    let mut wide = Vec::new();
    for block in blocks {
        match block[x].view() {
            CodesView::Narrow(codes) => {
                narrow.reserve_exact(if narrow.is_empty() { n_rows } else { 0 });
                narrow.extend_from_slice(codes);
            }
            CodesView::Wide(codes) => {
                wide.reserve_exact(if wide.is_empty() { n_rows } else { 0 });
                wide.extend_from_slice(codes);
            }
            CodesView::Packed(_) => unreachable!("samples are not packed"),
        }
    }
    if wide.is_empty() { Codes::Narrow(narrow) } else { Codes::Wide(wide) }
}
