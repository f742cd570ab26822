//! Graph comparison: against another implementation's figures, and against all pairs of classes on four variables.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use phgs::Variable;
use phgs::graph::{Comparison, Dag, EdgeMark, Pdag, compare};

use crate::support::read_csv;

/// The CPDAG of a DAG by definition of the rules, without care for speed: an arc stays directed when it is in a
/// v-structure or when one of Meek's first three rules makes it so.
fn plain_cpdag(dag: &Dag) -> Pdag {
    let mut pdag = Pdag::from_undirected(&dag.skeleton());
    for (x, z, y) in dag.v_structures() {
        pdag.orient(x, z);
        pdag.orient(y, z);
    }
    loop {
        let compelled = pdag.undirected_edges().flat_map(|(x, y)| [(x, y), (y, x)]).find(|&(x, y)| {
            let into_y = pdag.parents(y);
            let chain = pdag.parents(x).iter().any(|&z| !pdag.adjacent(z, y));
            let triangle = pdag.children(x).iter().any(|&z| pdag.has_arc(z, y));
            let kite = pdag.undirected(x).iter().any(|&z| {
                into_y.contains(&z)
                    && pdag.undirected(x).iter().any(|&w| w != z && into_y.contains(&w) && !pdag.adjacent(w, z))
            });
            chain || triangle || kite
        });
        match compelled {
            Some((x, y)) => pdag.orient(x, y),
            None => return pdag,
        }
    }
}

/// The number of a variable, the next free one when it is new (variables without a true edge come last).
fn number(names: &mut HashMap<String, Variable>, name: &str) -> Variable {
    let next = names.len() as Variable;
    *names.entry(name.to_owned()).or_insert(next)
}

#[test]
fn figures_of_another_implementation_are_reproduced() {
    let mut index: HashMap<String, HashMap<String, Variable>> = HashMap::new();
    let mut truths: HashMap<String, Vec<(Variable, Variable, bool)>> = HashMap::new();
    for row in read_csv("golden/cpdag.csv").1 {
        let names = index.entry(row[0].clone()).or_default();
        let (from, to) = (number(names, &row[1]), number(names, &row[2]));
        truths.entry(row[0].clone()).or_default().push((from, to, row[3] == "directed"));
    }
    let mut arcs: BTreeMap<(String, String), Vec<(Variable, Variable)>> = BTreeMap::new();
    for row in read_csv("reference/arcs.csv").1 {
        let names = index.get_mut(&row[0]).unwrap();
        let arc = (number(names, &row[2]), number(names, &row[3]));
        arcs.entry((row[0].clone(), row[1].clone())).or_default().push(arc);
    }
    let rows = read_csv("reference/comparisons.csv").1;
    assert_eq!(rows.len(), 72);
    for row in rows {
        let p = index[&row[0]].len();
        let mut truth = Pdag::empty(p);
        for &(x, y, directed) in &truths[&row[0]] {
            truth.set(x, y, if directed { EdgeMark::Forward } else { EdgeMark::Undirected });
        }
        let arcs = &arcs[&(row[0].clone(), row[1].clone())];
        let learned = if row[2] == "dag" {
            plain_cpdag(&Dag::from_arcs(p, arcs.iter().copied()).unwrap())
        } else {
            let mut pdag = Pdag::empty(p);
            for &(x, y) in arcs {
                let back = arcs.contains(&(y, x));
                pdag.set(x, y, if back { EdgeMark::Undirected } else { EdgeMark::Forward });
            }
            pdag
        };
        let c = compare(&truth, &learned).unwrap();
        let counts = [
            c.learned_edges(),
            c.true_positives,
            c.wrong_directions(),
            c.false_positives,
            c.structural_hamming_distance(),
        ];
        let expected: Vec<usize> = row[3..8].iter().map(|v| v.parse().unwrap()).collect();
        assert_eq!(counts[..], expected[..], "{row:?}");
        // Printed with three digits after rounding to four.
        assert!((c.jaccard_index() - row[8].parse::<f64>().unwrap()).abs() < 0.000_55, "{row:?}");
    }
}

/// All 185 classes of DAGs on four variables, each as its CPDAG found by enumeration: an edge is directed when all
/// members agree on it.
fn classes_on_four_variables() -> Vec<Pdag> {
    let pairs: Vec<(Variable, Variable)> = (0..4).flat_map(|x| (x + 1..4).map(move |y| (x, y))).collect();
    let mut classes: BTreeMap<_, Vec<Dag>> = BTreeMap::new();
    for code in 0..3u32.pow(6) {
        let arcs = pairs.iter().enumerate().filter_map(|(i, &(x, y))| match code / 3u32.pow(i as u32) % 3 {
            0 => None,
            1 => Some((x, y)),
            _ => Some((y, x)),
        });
        if let Ok(dag) = Dag::from_arcs(4, arcs) {
            let skeleton: Vec<_> = dag.skeleton().edges().collect();
            classes.entry((skeleton, dag.v_structures())).or_default().push(dag);
        }
    }
    let classes: Vec<Pdag> = classes
        .into_values()
        .map(|members| {
            let mut pdag = Pdag::from_undirected(&members[0].skeleton());
            for (x, y) in members[0].arcs() {
                if members.iter().all(|dag| dag.contains(x, y)) {
                    pdag.orient(x, y);
                }
            }
            pdag
        })
        .collect();
    assert_eq!(classes.len(), 185);
    classes
}

/// Edges of a graph as a set of marks: "x→y" and "x−y", so that equality of marks is equality of edges.
fn marks(graph: &Pdag) -> BTreeSet<(Variable, Variable, bool)> {
    let directed = graph.directed_edges().map(|(x, y)| (x, y, true));
    directed.chain(graph.undirected_edges().map(|(x, y)| (x, y, false))).collect()
}

#[test]
fn all_pairs_of_classes_on_four_variables() {
    let classes = classes_on_four_variables();
    for truth in &classes {
        let in_truth = marks(truth);
        for learned in &classes {
            let found = marks(learned);
            let both = in_truth.intersection(&found).count();
            let either = in_truth.union(&found).count();
            // The distance is the number of pairs of variables that are not tied in the same way.
            let distance =
                (0..4).flat_map(|x| (0..x).map(move |y| (x, y))).filter(|&(x, y)| truth.tie(x, y) != learned.tie(x, y));
            let c: Comparison = compare(truth, learned).unwrap();
            assert_eq!(c.structural_hamming_distance(), distance.count());
            assert_eq!(c.jaccard_index(), if either == 0 { 1.0 } else { both as f64 / either as f64 });
            let back = compare(learned, truth).unwrap();
            assert_eq!((c.true_positives, c.false_positives), (back.true_positives, back.false_negatives));
            assert_eq!((c.reversed, c.direction_lost), (back.reversed, back.direction_invented));
            assert_eq!(c.structural_hamming_distance() == 0, truth == learned);
        }
    }
}
