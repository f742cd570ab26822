//! Detection of v-structures from separating sets (the paper's equation vs1).

use rustc_hash::FxHashMap;

use super::VStructure;
use crate::graph::UndirectedGraph;
use crate::independence::{IndependenceTest, TestSession};
use crate::knowledge::Knowledge;
use crate::skeleton::Skeleton;

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
    graph
        .unshielded_triples()
        .filter(|&(x, _, y)| knowledge.allows_edge(x, y))
        .filter_map(|(x, centre, y)| match skeleton.record(x, y) {
            None => Some(VStructure { x, centre, y, log_p_value: 0.0 }),
            Some(record) => (!record.separating_set.contains(&centre)).then_some(VStructure {
                x,
                centre,
                y,
                log_p_value: record.max_log_p_value,
            }),
        })
        .collect()
}

/// Sets `log_p_value` to the marginal p-value for the v-structures whose ends were separated by their marginal test.
///
/// The skeleton learner made these tests and did not keep them (there may be p² of them), so that repeating those few
/// that matter is no new statistical call.
pub fn fill_marginal_p_values<T: IndependenceTest>(v_structures: &mut [VStructure], skeleton: &Skeleton, test: &T) {
    let mut session = test.session();
    let mut known = FxHashMap::default();
    for v in v_structures.iter_mut().filter(|v| skeleton.record(v.x, v.y).is_none()) {
        v.log_p_value = *known.entry((v.x, v.y)).or_insert_with(|| session.test(v.x, v.y, &[]).log_p_value);
    }
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
