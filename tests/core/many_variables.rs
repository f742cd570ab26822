//! Pairs of so many variables that F of none is kept.

use std::time::Instant;

use phgs::Variable;
use phgs::counts::CountingEngine;
use phgs::data::{Codes, DiscreteData};
use phgs::independence::{DegreesOfFreedom, G2Test, IndependenceTest, MinimumSample, Rules};
use phgs::run::Run;

use crate::support::{below, rng};

/// Columns with one to four states, every other of which depends on the one before, and a few with forty.
fn many_columns(p: usize, n: usize) -> DiscreteData {
    let mut generator = rng(11);
    let arities: Vec<u32> = (0..p).map(|x| if x % 1_000 == 7 { 40 } else { [2, 3, 2, 1, 4][x % 5] }).collect();
    let mut columns: Vec<Vec<u8>> = Vec::new();
    for (x, &arity) in arities.iter().enumerate() {
        let mut column: Vec<u8> = (0..n).map(|_| below(&mut generator, arity as usize) as u8).collect();
        if x % 2 == 1 {
            let follows = column.iter_mut().zip(&columns[x - 1]).filter(|_| below(&mut generator, 5) > 0);
            follows.for_each(|(code, &before)| *code = before % arity as u8);
        }
        columns.push(column);
    }
    DiscreteData::new(columns.into_iter().map(Codes::Narrow).collect(), arities).unwrap()
}

#[test]
fn pairs_that_pass_by_are_those_that_are_kept() {
    let p = 4_200;
    let data = many_columns(p, 70);
    let (passing, kept) = (CountingEngine::new(&data), CountingEngine::new(&data));
    let pairs = kept.pairwise(&Run::new(2).unwrap()).unwrap();
    let run = Run::new(2).unwrap();
    let sums = passing.map_pairs(&run, |_, _, sum| sum).unwrap();
    let rows: Vec<_> = (0..p as Variable).flat_map(|x| pairs.row(x).to_vec()).collect();
    assert!(sums == rows);
    let of = |engine| {
        let test = G2Test::with_rules(engine, Rules::new(DegreesOfFreedom::Adjusted, MinimumSample::Off).unwrap());
        test.marginal_dependences(&run, 1e-4f64.ln(), |x, y| (x + y) % 7 != 0).unwrap()
    };
    let found = of(&passing);
    assert!(found == of(&kept) && found.len() > 500, "{}", found.len());
    let run = run.with_deadline(Some(Instant::now()));
    assert!(passing.visit_pairs(&run, || (), |(), _, _, _| ()).is_err());
}
