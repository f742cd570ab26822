//! Draws in a network of numbers and categories.

use super::children::{Children, Value};
use super::design::{Columns, Kind, Row};
use super::families::Family;
use crate::data::{Gaps, MixedColumn};
use crate::graph::Dag;
use crate::network::fill::Drawn;
use crate::network::fill::tables::pick;
use crate::network::fill::values::KnownValues;
use crate::random_numbers::{normal, stream, uniform};
use crate::run::Run;
use crate::{Result, Variable};

/// Rows that are drawn together.
const BLOCK: usize = 64;

/// Scores that are proposed for each missing number.
const PROPOSALS: usize = 4;

/// Share of the proposals that are from the standard normal distribution: where a distribution has two tops, or is not
/// normal in another way, these find what the others miss.
const WIDE: f64 = 0.2;

/// The network of a DAG over numbers and categories.
pub(super) struct Network {
    kinds: Vec<Kind>,
    pub(super) known: Vec<Option<KnownValues>>,
    families: Vec<Family>,
    children: Vec<Vec<Variable>>,
    /// Whether a variable has neither parents nor children.
    alone: Vec<bool>,
}

/// What drawing a row needs room for.
#[derive(Default)]
struct Workspace<'n> {
    row: Row,
    children: Children<'n>,
    logarithms: Vec<f64>,
    weights: Vec<f64>,
}

impl Network {
    pub(super) fn estimate(
        gapped: &[MixedColumn],
        known: Vec<Option<KnownValues>>,
        powers: usize,
        columns: &Columns,
        dag: &Dag,
        run: &Run,
    ) -> Result<Self> {
        let kind = |x: usize| match (&gapped[x], &known[x]) {
            (MixedColumn::Category(_, arity), _) => Kind::Category(*arity),
            // As many as the values tell apart, as in the embedding.
            (MixedColumn::Number(_), known) => {
                Kind::Number(known.as_ref().map_or(1, KnownValues::len).saturating_sub(1).min(powers.max(1)))
            }
        };
        let kinds: Vec<Kind> = (0..gapped.len()).map(kind).collect();
        let arity = |kind: &Kind| if let Kind::Category(arity) = kind { *arity } else { 1 };
        let arities: Vec<u32> = kinds.iter().map(arity).collect();
        let families =
            run.map(kinds.len(), || (), |(), x| Family::estimate(x as Variable, &kinds, &arities, columns, dag))?;
        let mut children = vec![Vec::new(); kinds.len()];
        for child in 0..kinds.len() as Variable {
            dag.parents(child).iter().for_each(|&parent| children[parent as usize].push(child));
        }
        let alone = (0..kinds.len()).map(|x| children[x].is_empty() && dag.parents(x as Variable).is_empty()).collect();
        Ok(Self { kinds, known, families, children, alone })
    }

    pub(super) fn blend(&mut self, columns: &Columns, weight: f64, run: &Run) -> Result<()> {
        let new = run.map(self.families.len(), || (), |(), x| self.families[x].count(x as Variable, columns))?;
        let n_rows = columns.n_rows();
        self.families.iter_mut().zip(new).for_each(|(family, new)| family.blend(new, weight, n_rows));
        Ok(())
    }

    /// One sweep over all missing values.
    pub(super) fn draw(&self, gaps: &Gaps, columns: &mut Columns, seed: u64, run: &Run) -> Result<()> {
        let p = self.kinds.len();
        let before: &Columns = columns;
        let workspace = || Workspace { row: before.room(), ..Workspace::default() };
        let drawn = Drawn::draw(gaps, BLOCK, run, workspace, |workspace, block, drawn| {
            for gap in block {
                let (at, missing) = gaps.row(gap);
                before.read(at, 0..p as Variable, &mut workspace.row);
                let mut rng = stream(seed, at as u64);
                for &x in missing {
                    // What depends on nothing was drawn when the rounds began.
                    if !self.alone[x as usize] {
                        self.draw_one(x, workspace, &mut rng);
                    }
                    drawn.push((workspace.row.codes[x as usize], workspace.row.scores[x as usize]));
                }
            }
        })?;
        drawn.each(gaps, |row, x, (code, score)| match self.kinds[x as usize] {
            Kind::Category(_) => columns.codes[x as usize].set(row, u32::from(code)),
            Kind::Number(_) => columns.scores[x as usize][row] = score,
        });
        Ok(())
    }

    fn draw_one<'n>(&'n self, x: Variable, workspace: &mut Workspace<'n>, rng: &mut impl rand_core::RngCore) {
        match self.kinds[x as usize] {
            Kind::Category(_) => self.draw_state(x, workspace, rng),
            Kind::Number(_) => self.draw_score(x, workspace, rng),
        }
    }

    fn draw_state<'n>(&'n self, x: Variable, workspace: &mut Workspace<'n>, rng: &mut impl rand_core::RngCore) {
        let Workspace { row, children, logarithms, weights } = workspace;
        self.families[x as usize].logarithms(row, logarithms);
        if !self.children[x as usize].is_empty() {
            row.codes[x as usize] = 0;
            children.read(x, &self.children[x as usize], &self.families, row);
            for (state, logarithm) in (0..).zip(logarithms.iter_mut()) {
                row.codes[x as usize] = state;
                *logarithm += children.log_density(Value::State(state), row);
            }
        }
        in_proportion(logarithms, weights);
        row.codes[x as usize] = pick(weights, uniform(rng));
    }

    fn draw_score<'n>(&'n self, x: Variable, workspace: &mut Workspace<'n>, rng: &mut impl rand_core::RngCore) {
        let Workspace { row, children, logarithms, weights } = workspace;
        let (Some(line), Some(known)) = (self.families[x as usize].line(), &self.known[x as usize]) else { return };
        let present = row.scores[x as usize];
        row.scores[x as usize] = 0.0;
        children.read(x, &self.children[x as usize], &self.families, row);
        // What is normal: the line of its own, and those of its children as far as they are straight.
        let (own, of_own) = (line.mean(row), line.variance().recip());
        let (below, shift) = children.straight();
        let precision = of_own + below;
        let (mean, deviation) = ((own * of_own + shift) / precision, precision.sqrt().recip());
        let proposal = |score: f64| {
            let narrow = (1.0 - WIDE) / deviation * (-0.5 * ((score - mean) / deviation).powi(2)).exp();
            (narrow + WIDE * (-0.5 * score * score).exp()).max(f64::MIN_POSITIVE).ln()
        };
        let mut scores = [present; PROPOSALS + 1];
        for score in &mut scores[1..] {
            let wide = uniform(rng) < WIDE;
            let z = normal(rng);
            *score = known.within(if wide { z } else { mean + deviation * z });
        }
        logarithms.clear();
        for score in scores {
            let of_line = -0.5 * (score - own).powi(2) * of_own;
            logarithms.push(of_line + children.log_density(Value::Score(score), row) - proposal(score));
        }
        in_proportion(logarithms, weights);
        row.scores[x as usize] = scores[usize::from(pick(weights, uniform(rng)))];
    }
}

/// Numbers in the proportion that their logarithms say, the largest 1.
fn in_proportion(logarithms: &[f64], weights: &mut Vec<f64>) {
    let largest = logarithms.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    weights.clear();
    weights.extend(logarithms.iter().map(|logarithm| (logarithm - largest).exp()));
}
