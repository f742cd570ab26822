//! How close a learned graph is to the true one.
//!
//! The paper (section 5.1) compares the CPDAG of an estimate with the CPDAG of the truth, since data cannot tell the
//! members of a class apart. Its symbols: P is [`Comparison::learned_edges`], TP is [`Comparison::true_positives`], R is
//! [`Comparison::wrong_directions`], FP is [`Comparison::false_positives`], |E| is [`Comparison::true_edges`], SHD is
//! [`Comparison::structural_hamming_distance`] and JI is [`Comparison::jaccard_index`].

use super::{EdgeMark, Pdag};
use crate::{Error, Result, Variable};

/// Edges of one kind (directed or undirected): how many the truth has, how many were learned, and how many of these
/// are the same in both (for directed edges, with the same direction).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct KindCounts {
    /// Edges of this kind in the true graph.
    pub in_truth: usize,
    /// Edges of this kind in the learned graph.
    pub learned: usize,
    /// Edges of this kind that are the same in both.
    pub same: usize,
}

impl KindCounts {
    /// Share of the learned edges of this kind that are right; none when nothing was learned.
    pub fn precision(&self) -> Option<f64> {
        ratio(self.same, self.learned)
    }

    /// Share of the true edges of this kind that were learned; none when the truth has no edge of this kind.
    pub fn recall(&self) -> Option<f64> {
        ratio(self.same, self.in_truth)
    }
}

/// What two graphs over the same variables have in common, edge by edge.
///
/// Every edge of either skeleton is counted once, in exactly one of [`true_positives`](Self::true_positives),
/// [`reversed`](Self::reversed), [`direction_lost`](Self::direction_lost), [`direction_invented`](Self::direction_invented),
/// [`false_positives`](Self::false_positives) and [`false_negatives`](Self::false_negatives).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Comparison {
    /// Edges in both graphs with the same direction, or undirected in both (TP).
    pub true_positives: usize,
    /// Edges directed in both graphs, in opposite directions.
    pub reversed: usize,
    /// Edges directed in the truth and undirected in the learned graph.
    pub direction_lost: usize,
    /// Edges undirected in the truth and directed in the learned graph.
    pub direction_invented: usize,
    /// Learned edges between variables that are not adjacent in the truth (FP).
    pub false_positives: usize,
    /// True edges between variables that are not adjacent in the learned graph (FN).
    pub false_negatives: usize,
    /// Directed edges alone.
    pub directed: KindCounts,
    /// Undirected edges alone.
    pub undirected: KindCounts,
}

impl Comparison {
    /// Edges of the learned graph (P).
    pub fn learned_edges(&self) -> usize {
        self.true_positives + self.wrong_directions() + self.false_positives
    }

    /// Edges of the true graph (|E|).
    pub fn true_edges(&self) -> usize {
        self.true_positives + self.wrong_directions() + self.false_negatives
    }

    /// Edges in both skeletons whose direction or kind differs (R).
    pub fn wrong_directions(&self) -> usize {
        self.reversed + self.direction_lost + self.direction_invented
    }

    /// The least number of edges to add, remove, or re-direct (direct, undirect or reverse) that makes the learned
    /// graph the true one (SHD; Tsamardinos, Brown and Aliferis 2006): R + FP + FN.
    pub fn structural_hamming_distance(&self) -> usize {
        self.wrong_directions() + self.false_positives + self.false_negatives
    }

    /// TP / (|E| + P − TP), between 0 and 1, larger is better (JI); 1 when neither graph has an edge.
    pub fn jaccard_index(&self) -> f64 {
        ratio(self.true_positives, self.true_edges() + self.learned_edges() - self.true_positives).unwrap_or(1.0)
    }

    /// Edges in both skeletons, whatever their directions.
    pub fn adjacent_in_both(&self) -> usize {
        self.true_positives + self.wrong_directions()
    }

    /// Share of the learned adjacencies that are true; none when nothing was learned.
    pub fn skeleton_precision(&self) -> Option<f64> {
        ratio(self.adjacent_in_both(), self.learned_edges())
    }

    /// Share of the true adjacencies that were learned; none when the truth has no edge.
    pub fn skeleton_recall(&self) -> Option<f64> {
        ratio(self.adjacent_in_both(), self.true_edges())
    }

    /// Share of the learned edges that are true in existence and direction; none when nothing was learned.
    pub fn precision(&self) -> Option<f64> {
        ratio(self.true_positives, self.learned_edges())
    }

    /// Share of the true edges that were learned with their direction; none when the truth has no edge.
    pub fn recall(&self) -> Option<f64> {
        ratio(self.true_positives, self.true_edges())
    }
}

fn ratio(part: usize, whole: usize) -> Option<f64> {
    (whole > 0).then(|| part as f64 / whole as f64)
}

/// Compares a learned graph with the true one, edge by edge. Pass CPDAGs to compare classes, as the paper does;
/// pass graphs made by [`Pdag::from_dag`] to compare DAGs arc by arc.
///
/// # Errors
///
/// [`Error::Graph`] when the graphs do not have the same number of variables.
///
/// # Examples
///
/// ```
/// use phgs::graph::{Pdag, compare};
/// let mut truth = Pdag::empty(3);
/// truth.orient(0, 2);
/// truth.orient(1, 2);
/// let mut learned = truth.clone();
/// learned.orient(2, 0);
/// let comparison = compare(&truth, &learned)?;
/// assert_eq!((comparison.true_positives, comparison.reversed), (1, 1));
/// assert_eq!(comparison.structural_hamming_distance(), 1);
/// assert_eq!(comparison.jaccard_index(), 1.0 / 3.0);
/// # Ok::<(), phgs::Error>(())
/// ```
pub fn compare(truth: &Pdag, learned: &Pdag) -> Result<Comparison> {
    if truth.n_variables() != learned.n_variables() {
        return Err(Error::Graph(format!(
            "graphs over {} and {} variables cannot be compared",
            truth.n_variables(),
            learned.n_variables()
        )));
    }
    let directed = KindCounts {
        in_truth: truth.directed_edges().count(),
        learned: learned.directed_edges().count(),
        same: learned.directed_edges().filter(|&(x, y)| truth.has_arc(x, y)).count(),
    };
    let undirected = KindCounts {
        in_truth: truth.undirected_edges().count(),
        learned: learned.undirected_edges().count(),
        same: learned.undirected_edges().filter(|&(x, y)| truth.has_undirected(x, y)).count(),
    };
    let mut comparison = Comparison { directed, undirected, ..Comparison::default() };
    for (x, y, tie) in edges(learned) {
        *match (truth.tie(x, y), tie) {
            (EdgeMark::None, _) => &mut comparison.false_positives,
            (a, b) if a == b => &mut comparison.true_positives,
            (EdgeMark::Undirected, _) => &mut comparison.direction_invented,
            (_, EdgeMark::Undirected) => &mut comparison.direction_lost,
            _ => &mut comparison.reversed,
        } += 1;
    }
    comparison.false_negatives = truth.n_edges() - comparison.adjacent_in_both();
    Ok(comparison)
}

fn edges(graph: &Pdag) -> impl Iterator<Item = (Variable, Variable, EdgeMark)> + '_ {
    let directed = graph.directed_edges().map(|(x, y)| (x, y, EdgeMark::Forward));
    directed.chain(graph.undirected_edges().map(|(x, y)| (x, y, EdgeMark::Undirected)))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TIES: [EdgeMark; 4] = [EdgeMark::None, EdgeMark::Undirected, EdgeMark::Forward, EdgeMark::Backward];

    fn graph(n: usize, ties: &[(Variable, Variable, EdgeMark)]) -> Pdag {
        let mut graph = Pdag::empty(n);
        for &(x, y, tie) in ties {
            graph.set(x, y, tie);
        }
        graph
    }

    /// One edge, all sixteen pairs of ties, against a table written by hand.
    #[test]
    fn one_edge_in_every_way() {
        // Rows: truth none, −, →, ←; columns: learned none, −, →, ←. Letters: . nothing, = same, p false positive,
        // n false negative, l direction lost, i direction invented, r reversed.
        let table = [".ppp", "n=ii", "nl=r", "nlr="];
        for (truth, row) in TIES.iter().zip(table) {
            for (learned, expected) in TIES.iter().zip(row.chars()) {
                let c = compare(&graph(2, &[(0, 1, *truth)]), &graph(2, &[(0, 1, *learned)])).unwrap();
                let found = match [
                    c.true_positives,
                    c.false_positives,
                    c.false_negatives,
                    c.direction_lost,
                    c.direction_invented,
                    c.reversed,
                ] {
                    [0, 0, 0, 0, 0, 0] => '.',
                    [1, 0, 0, 0, 0, 0] => '=',
                    [0, 1, 0, 0, 0, 0] => 'p',
                    [0, 0, 1, 0, 0, 0] => 'n',
                    [0, 0, 0, 1, 0, 0] => 'l',
                    [0, 0, 0, 0, 1, 0] => 'i',
                    [0, 0, 0, 0, 0, 1] => 'r',
                    other => panic!("{other:?}"),
                };
                assert_eq!(found, expected, "{truth:?} {learned:?}");
                assert_eq!(c.structural_hamming_distance(), usize::from(truth != learned));
                assert_eq!(c.jaccard_index(), if truth == learned { 1.0 } else { 0.0 });
            }
        }
    }

    /// Truth 0 → 2 ← 1, 2 → 3, 3 − 4 against 0 → 2, 1 − 2, 3 → 2, 3 − 4, 0 → 4: worked by hand.
    #[test]
    fn worked_by_hand() {
        let truth = graph(
            5,
            &[
                (0, 2, EdgeMark::Forward),
                (1, 2, EdgeMark::Forward),
                (2, 3, EdgeMark::Forward),
                (3, 4, EdgeMark::Undirected),
            ],
        );
        let learned = graph(
            5,
            &[
                (0, 2, EdgeMark::Forward),
                (1, 2, EdgeMark::Undirected),
                (3, 2, EdgeMark::Forward),
                (3, 4, EdgeMark::Undirected),
                (0, 4, EdgeMark::Forward),
            ],
        );
        let c = compare(&truth, &learned).unwrap();
        assert_eq!((c.learned_edges(), c.true_edges(), c.true_positives), (5, 4, 2));
        assert_eq!((c.wrong_directions(), c.false_positives, c.false_negatives), (2, 1, 0));
        assert_eq!(c.structural_hamming_distance(), 3);
        assert_eq!(c.jaccard_index(), 2.0 / 7.0);
        assert_eq!((c.skeleton_precision(), c.skeleton_recall()), (Some(4.0 / 5.0), Some(1.0)));
        assert_eq!((c.precision(), c.recall()), (Some(2.0 / 5.0), Some(2.0 / 4.0)));
        assert_eq!(c.directed, KindCounts { in_truth: 3, learned: 3, same: 1 });
        assert_eq!(c.undirected, KindCounts { in_truth: 1, learned: 2, same: 1 });
    }

    #[test]
    fn empty_and_complete_graphs() {
        let empty = Pdag::empty(4);
        let complete = Pdag::from_undirected(&crate::graph::UndirectedGraph::complete(4));
        let c = compare(&empty, &empty).unwrap();
        assert_eq!((c.jaccard_index(), c.structural_hamming_distance(), c.precision()), (1.0, 0, None));
        let c = compare(&complete, &empty).unwrap();
        assert_eq!((c.jaccard_index(), c.structural_hamming_distance(), c.skeleton_recall()), (0.0, 6, Some(0.0)));
        let c = compare(&empty, &complete).unwrap();
        assert_eq!((c.jaccard_index(), c.false_positives, c.skeleton_recall()), (0.0, 6, None));
        let c = compare(&complete, &complete).unwrap();
        assert_eq!((c.jaccard_index(), c.true_positives), (1.0, 6));
        assert!(compare(&empty, &Pdag::empty(5)).is_err());
    }
}
