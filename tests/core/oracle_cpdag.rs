//! With the d-separation oracle, PC and partitioned PC find the true skeleton and the true CPDAG, whatever the clusters
//! (the paper's theorem 1).

use phgs::Variable;
use phgs::graph::DSeparation;
use phgs::independence::{Alpha, DSeparationOracle};
use phgs::knowledge::Knowledge;
use phgs::orient::{cpdag_with_knowledge, skeleton_to_cpdag, v_structures_from_separations};
use phgs::run::{Ledger, Run};
use phgs::skeleton::{PcOptions, partitioned_pc, pc};

use crate::knowledge::random_knowledge;
use crate::support::{below, random_dag, random_labels, rng, uniform};

#[test]
fn true_skeleton_separating_sets_and_cpdag() {
    let run = Run::new(1).unwrap();
    let options = PcOptions::new(Alpha::default()).with_max_conditioning_size(None);
    for seed in 0..2000 {
        let rng = &mut rng(seed);
        // 5 to 40 variables; most graphs are small, so that the proof stays quick.
        let p = 5 + (36.0 * uniform(rng).powi(2)) as usize;
        let degree: f64 = [1.0, 1.5, 2.0, 2.5, 3.0][below(rng, 5)];
        let dag = random_dag(rng, p, degree.min(p as f64 - 1.0));
        let oracle = DSeparationOracle::new(&dag);
        let n_clusters = 1 + below(rng, 5);
        let labels = random_labels(rng, p, n_clusters);
        let knowledge =
            if seed % 4 == 3 { random_knowledge(rng, p, Some(&dag), seed % 8 == 3) } else { Knowledge::none() };
        let mut separation = DSeparation::new(&dag);
        let truth = cpdag_with_knowledge(&dag, &knowledge);
        let one = pc(&oracle, &options, &knowledge, &run, &mut Ledger::new()).unwrap();
        let several = partitioned_pc(&oracle, &labels, &options, &knowledge, &run, &mut Ledger::new()).unwrap();
        for skeleton in [one, several] {
            assert_eq!(skeleton.graph(), &dag.skeleton(), "seed {seed}");
            let mut pair_forbidden = false;
            for x in 0..p as Variable {
                for y in x + 1..p as Variable {
                    pair_forbidden |= !knowledge.allows_edge(x, y);
                    if !dag.adjacent(x, y) && knowledge.allows_edge(x, y) {
                        assert!(separation.separated(x, y, skeleton.separating_set(x, y)), "seed {seed}: {x} {y}");
                    }
                }
            }
            // A pair that is never tested tells of no v-structure, so that directions cannot all be found.
            if !pair_forbidden {
                let v_structures = v_structures_from_separations(skeleton.graph(), &skeleton, &knowledge);
                let oriented = skeleton_to_cpdag(skeleton.graph(), &v_structures, &knowledge);
                assert!(oriented.extendable && oriented.conflicts.is_empty(), "seed {seed}");
                assert_eq!(oriented.pdag, truth, "seed {seed}");
            }
        }
    }
}
