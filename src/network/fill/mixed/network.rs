//! Draws in a network of numbers and categories.

use std::sync::Arc;

use super::children::{Children, Value};
use super::design::{Columns, Kind, Row};
use super::families::{Counts, Family};
use super::groups::Groups;
use crate::data::{Gaps, MixedColumn};
use crate::graph::Dag;
use crate::network::fill::Drawn;
use crate::network::fill::rows::{FamilyRows, missing_rows, weight_of};
use crate::network::fill::tables::pick;
use crate::network::fill::values::KnownValues;
use crate::random_numbers::{normal, stream, uniform};
use crate::run::Run;
use crate::stats::exponentials_below;
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
    /// For each variable the rows that are counted again after each draw, and the counts of the others.
    changing: Vec<(Vec<u32>, Counts)>,
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
    /// What children say of each group of states.
    of_groups: Vec<f64>,
}

impl Network {
    pub(super) fn estimate(
        gapped: &[MixedColumn],
        known: Vec<Option<KnownValues>>,
        powers: usize,
        columns: &Columns,
        gaps: &Gaps,
        dag: &Dag,
        run: &Run,
    ) -> Result<Self> {
        let weights = columns.weights.as_deref();
        let kind = |x: usize| match (&gapped[x], &known[x]) {
            (MixedColumn::Category(codes, arity), _) => {
                Kind::Category(*arity, Arc::new(Groups::of(codes, *arity, |row| weight_of(weights, row))))
            }
            // As many as the values tell apart, as in the embedding.
            (MixedColumn::Number(_), known) => {
                Kind::Number(known.as_ref().map_or(1, KnownValues::len).saturating_sub(1).min(powers.max(1)))
            }
        };
        let kinds: Vec<Kind> = (0..gapped.len()).map(kind).collect();
        let arity = |kind: &Kind| if let Kind::Category(arity, _) = kind { *arity } else { 1 };
        let arities: Vec<u32> = kinds.iter().map(arity).collect();
        let missing = missing_rows(gaps, kinds.len());
        let estimated = run.map(
            kinds.len(),
            || (),
            |(), x| {
                let (n, x) = (columns.n_rows(), x as Variable);
                let mut family = Family::new(x, &kinds, &arities, n, dag);
                let members = dag.parents(x).iter().copied().chain([x]);
                let FamilyRows { changing, constant } = FamilyRows::of(members, &missing, n);
                let mut counts = family.nothing();
                family.add(&mut counts, x, columns, &constant);
                let mut of_all = counts.clone();
                family.add(&mut of_all, x, columns, &changing);
                family.take(of_all, columns.weight_of_all());
                (family, (changing, counts))
            },
        )?;
        let (families, changing): (Vec<_>, Vec<_>) = estimated.into_iter().unzip();
        let mut children = vec![Vec::new(); kinds.len()];
        for child in 0..kinds.len() as Variable {
            dag.parents(child).iter().for_each(|&parent| children[parent as usize].push(child));
        }
        let alone = (0..kinds.len()).map(|x| children[x].is_empty() && dag.parents(x as Variable).is_empty()).collect();
        Ok(Self { kinds, known, families, changing, children, alone })
    }

    pub(super) fn blend(&mut self, columns: &Columns, weight: f64, run: &Run) -> Result<()> {
        let count = |x: usize| {
            let (rows, constant) = &self.changing[x];
            let mut counts = constant.clone();
            self.families[x].add(&mut counts, x as Variable, columns, rows);
            counts
        };
        let new = run.map(self.families.len(), || (), |(), x| count(x))?;
        let n = columns.weight_of_all();
        self.families.iter_mut().zip(new).for_each(|(family, new)| family.blend(new, weight, n));
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
            Kind::Category(..) => columns.codes[x as usize].set(row, u32::from(code)),
            Kind::Number(_) => columns.scores[x as usize][row] = score,
        });
        Ok(())
    }

    fn draw_one<'n>(&'n self, x: Variable, workspace: &mut Workspace<'n>, rng: &mut impl rand_core::RngCore) {
        match &self.kinds[x as usize] {
            Kind::Category(_, groups) => self.draw_state(x, groups, workspace, rng),
            Kind::Number(_) => self.draw_score(x, workspace, rng),
        }
    }

    fn draw_state<'n>(
        &'n self,
        x: Variable,
        groups: &Groups,
        workspace: &mut Workspace<'n>,
        rng: &mut impl rand_core::RngCore,
    ) {
        let Workspace { row, children, logarithms, weights, of_groups } = workspace;
        self.families[x as usize].logarithms(row, logarithms);
        if !self.children[x as usize].is_empty() {
            row.codes[x as usize] = 0;
            children.read(x, &self.children[x as usize], &self.families, row);
            of_groups.clear();
            of_groups.extend((0..groups.len() as u16).map(|group| children.of_value(Value::Group(group))));
            for (state, logarithm) in (0..).zip(logarithms.iter_mut()) {
                row.codes[x as usize] = state;
                *logarithm += of_groups[usize::from(groups.group(state))] + children.of_tables(row);
            }
        }
        in_proportion(logarithms, weights);
        row.codes[x as usize] = pick(weights, uniform(rng));
    }

    fn draw_score<'n>(&'n self, x: Variable, workspace: &mut Workspace<'n>, rng: &mut impl rand_core::RngCore) {
        let Workspace { row, children, logarithms, weights, .. } = workspace;
        let (Some(line), Some(known)) = (self.families[x as usize].line(), &self.known[x as usize]) else { return };
        let present = row.scores[x as usize];
        row.scores[x as usize] = 0.0;
        children.read(x, &self.children[x as usize], &self.families, row);
        // What is normal: the line of its own, and those of its children as far as they are straight.
        let (own, of_own) = (line.mean(row), line.variance().recip());
        let (below, shift) = children.straight();
        let precision = of_own + below;
        let (mean, deviation) = ((own * of_own + shift) / precision, precision.sqrt().recip());
        let mut scores = [present; PROPOSALS + 1];
        for score in &mut scores[1..] {
            let wide = uniform(rng) < WIDE;
            let z = normal(rng);
            *score = known.within(if wide { z } else { mean + deviation * z });
        }
        // The densities of proposals.
        let mut narrow = scores.map(|score| -0.5 * ((score - mean) / deviation).powi(2));
        let mut wide = scores.map(|score| -0.5 * score * score);
        exponentials_below(&mut narrow);
        exponentials_below(&mut wide);
        logarithms.clear();
        for (score, (narrow, wide)) in scores.into_iter().zip(narrow.into_iter().zip(wide)) {
            let of_line = -0.5 * (score - own).powi(2) * of_own;
            let proposal = (1.0 - WIDE) / deviation * narrow + WIDE * wide;
            let of_children = children.of_value(Value::Score(score)) + children.of_tables(row);
            logarithms.push(of_line + of_children - proposal.ln());
        }
        in_proportion(logarithms, weights);
        row.scores[x as usize] = scores[usize::from(pick(weights, uniform(rng)))];
    }
}

/// Numbers in the proportion that their logarithms say, the largest 1.
fn in_proportion(logarithms: &[f64], weights: &mut Vec<f64>) {
    let largest = logarithms.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    weights.clear();
    weights.extend(logarithms.iter().map(|logarithm| logarithm - largest));
    exponentials_below(weights);
}
