//! Detection of v-structures from separating sets (the paper's equation vs1).

use rustc_hash::FxHashMap;

use super::VStructure;
use crate::graph::UndirectedGraph;
use crate::independence::{IndependenceTest, TestSession};
use crate::knowledge::Knowledge;
use crate::run::Run;
use crate::skeleton::Skeleton;
use crate::{Result, Variable};

/// The v-structures of a skeleton: the unshielded triples x − z − y of `graph` whose centre z is not in the separating
/// set of x and y. By increasing centre, then (x, y).
///
/// `graph` is the learned skeleton, or the skeleton at a lower threshold: a pair that thresholding removed is separated
/// by the set that came closest to separating it. A pair that `knowledge` forbids was never tested and
/// speaks for no v-structure.
///
/// `log_p_value` is Φ of the pair. The store has none for a pair that its marginal test separated; there it is 0
/// (p-value 1) until [`fill_marginal_p_values`] looks it up. Only the order of conflicting v-structures depends on it.
pub fn v_structures_from_separations(
    graph: &UndirectedGraph,
    skeleton: &Skeleton,
    knowledge: &Knowledge,
) -> Vec<VStructure> {
    v_structures_within(graph, skeleton, knowledge, &Run::unlimited()).expect("nobody cancels it")
}

/// [`v_structures_from_separations`] for a skeleton that may be too dense to go through in the time of the run.
///
/// # Errors
///
/// [`crate::Error::Interrupted`] and [`crate::Error::OutOfTime`], as [`Run::check_overtime`] tells them.
pub fn v_structures_within(
    graph: &UndirectedGraph,
    skeleton: &Skeleton,
    knowledge: &Knowledge,
    run: &Run,
) -> Result<Vec<VStructure>> {
    let mut found = Vec::new();
    for_each_unshielded(graph, run, |x, centre, y| {
        if !knowledge.allows_edge(x, y) {
            return;
        }
        match skeleton.record(x, y) {
            None => found.push(VStructure { x, centre, y, log_p_value: 0.0 }),
            Some(record) if !record.separating_set.contains(&centre) => {
                found.push(VStructure { x, centre, y, log_p_value: record.max_log_p_value });
            }
            Some(_) => {}
        }
    })?;
    Ok(found)
}

/// Calls `work(x, z, y)` for all unshielded triples in the order of [`UndirectedGraph::unshielded_triples`], of which a
/// dense graph has about p³.
///
/// # Errors
///
/// As for [`v_structures_within`].
pub(super) fn for_each_unshielded(
    graph: &UndirectedGraph,
    run: &Run,
    mut work: impl FnMut(Variable, Variable, Variable),
) -> Result<()> {
    for z in 0..graph.n_variables() as Variable {
        let around = graph.neighbours(z);
        for (i, &x) in around.iter().enumerate() {
            run.check_overtime()?;
            around[i + 1..].iter().filter(|&&y| !graph.contains(x, y)).for_each(|&y| work(x, z, y));
        }
    }
    Ok(())
}

/// Sets `log_p_value` to the marginal p-value for the v-structures whose ends were separated by their marginal test.
///
/// The skeleton learner made these tests and did not keep them (there may be p² of them), so that repeating those few
/// that matter is no new statistical call.
///
/// # Errors
///
/// As for [`v_structures_within`].
pub fn fill_marginal_p_values<T: IndependenceTest>(
    v_structures: &mut [VStructure],
    skeleton: &Skeleton,
    test: &T,
    run: &Run,
) -> Result<()> {
    let mut session = test.session();
    let mut known = FxHashMap::default();
    for v in v_structures.iter_mut().filter(|v| skeleton.record(v.x, v.y).is_none()) {
        run.check_overtime()?;
        v.log_p_value = *known.entry((v.x, v.y)).or_insert_with(|| session.test(v.x, v.y, &[]).log_p_value);
    }
    Ok(())
}

/// All unshielded triples as (x, y, z) with ends x < y and centre z, in increasing order: those with the same ends together.
///
/// # Errors
///
/// As for [`v_structures_within`].
pub(super) fn unshielded_by_ends(graph: &UndirectedGraph, run: &Run) -> Result<Vec<(Variable, Variable, Variable)>> {
    let mut triples = Vec::new();
    for x in 0..graph.n_variables() as Variable {
        let first = triples.len();
        for &z in graph.neighbours(x) {
            run.check_overtime()?;
            let beyond = graph.neighbours(z);
            let above = &beyond[beyond.partition_point(|&y| y <= x)..];
            triples.extend(above.iter().filter(|&&y| !graph.contains(x, y)).map(|&y| (x, y, z)));
        }
        triples[first..].sort_unstable();
    }
    Ok(triples)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::VariableSet;
    use crate::independence::Alpha;
    use crate::skeleton::PairRecord;

    fn record(x: u32, y: u32, p: f64, set: &[u32]) -> PairRecord {
        PairRecord { x, y, max_log_p_value: p.ln(), separating_set: VariableSet::from_slice(set) }
    }

    #[test]
    fn centre_outside_the_separating_set_is_a_v_structure() {
        // 0 − 1 − 2 separated by 1; 1 − 2 − 3 with 1, 3 separated marginally; 0 − 3 weakly adjacent.
        let records =
            vec![record(0, 1, 1e-9, &[]), record(1, 2, 1e-9, &[]), record(2, 3, 1e-9, &[]), record(0, 2, 0.7, &[1])];
        let skeleton = Skeleton::new(4, Alpha::default(), records);
        let found = v_structures_from_separations(skeleton.graph(), &skeleton, &Knowledge::none());
        assert_eq!(found, [VStructure { x: 1, centre: 2, y: 3, log_p_value: 0.0 }]);
    }

    #[test]
    fn a_forbidden_pair_makes_no_v_structure() {
        let skeleton = Skeleton::new(3, Alpha::default(), vec![record(0, 1, 1e-9, &[]), record(1, 2, 1e-9, &[])]);
        let knowledge = Knowledge::new(3, [], [], [(0, 2), (2, 0)], vec![]).unwrap();
        assert!(v_structures_from_separations(skeleton.graph(), &skeleton, &knowledge).is_empty());
    }

    #[test]
    fn a_pair_removed_by_a_threshold_can_be_a_base() {
        let records = vec![record(0, 1, 1e-9, &[]), record(1, 2, 1e-9, &[]), record(0, 2, 0.01, &[])];
        let skeleton = Skeleton::new(3, Alpha::default(), records);
        let none = Knowledge::none();
        assert!(v_structures_from_separations(skeleton.graph(), &skeleton, &none).is_empty());
        let found = v_structures_from_separations(&skeleton.graph_at(0.001f64.ln()), &skeleton, &none);
        assert_eq!(found, [VStructure { x: 0, centre: 1, y: 2, log_p_value: 0.01f64.ln() }]);
    }
}
