//! What every DAG must keep: knowledge and the limit of parents, in one value that stages hand on.

use super::Scope;
use crate::graph::Dag;
use crate::{Error, Result, Variable, VariableSet};

/// Background knowledge and the most parents of a variable: what no stage of learning may break.
///
/// Whatever a stage makes goes through [`Constraints::repair`], which returns what keeps them already as it is.
#[derive(Debug, Clone, Copy)]
pub struct Constraints<'a> {
    /// Which arcs may be, and which must.
    pub scope: Scope<'a>,
    /// The most parents a variable may have; `None` for no limit.
    pub max_parents: Option<usize>,
}

impl<'a> Constraints<'a> {
    /// The same knowledge, with a limit of a stage's own where it is lower.
    #[must_use]
    pub fn within(self, max_parents: Option<usize>) -> Self {
        let lower = self.max_parents.into_iter().chain(max_parents).min();
        Self { max_parents: lower, ..self }
    }

    fn most(&self) -> usize {
        self.max_parents.unwrap_or(usize::MAX)
    }

    /// Whether a DAG has all that is required, nothing that is forbidden, and no more parents than may be.
    pub fn are_kept_by(&self, dag: &Dag) -> bool {
        (0..dag.n_variables() as Variable).all(|x| dag.parents(x).len() <= self.most())
            && (self.scope.is_all()
                || (dag.arcs().all(|(from, to)| self.scope.allows_arc(from, to))
                    && self.scope.required_pairs().iter().all(|&(x, y)| dag.adjacent(x, y))))
    }

    /// The DAG of all that is required and nothing else. Required edges have the direction that they have in `preferred`,
    /// or else from the lower to the higher variable, where the limit of parents and the other arcs allow it.
    ///
    /// A direction of all edges is found whenever there is one: a variable that has no required child can come last if it
    /// has room for all its required neighbours, and then it might as well, so that variables are taken away from the end.
    ///
    /// # Errors
    ///
    /// [`Error::Knowledge`] when required arcs close a cycle or name variables that do not exist, [`Error::Parameter`] when
    /// no directions keep the limit; both [`Error::About`] variables.
    pub fn required_dag(&self, preferred: &Dag) -> Result<Dag> {
        let p = preferred.n_variables();
        let mut dag = Dag::empty(p);
        let mut open = Vec::new();
        for (x, y) in self.scope.required_pairs() {
            if x.max(y) as usize >= p {
                return Err(Error::Knowledge("{} is required, but there is no such variable".into()).about([x.max(y)]));
            }
            let (from, to) = match (self.scope.allows_arc(x, y), self.scope.allows_arc(y, x)) {
                (true, true) => {
                    open.push(if preferred.contains(y, x) { (y, x) } else { (x, y) });
                    continue;
                }
                (true, false) => (x, y),
                (false, true) => (y, x),
                (false, false) => {
                    let problem = "the edge {} − {} is required and forbidden both ways";
                    return Err(Error::Knowledge(problem.into()).about([x, y]));
                }
            };
            if !dag.try_insert(from, to) {
                let problem = "the required edge {} − {} closes a cycle with other required edges";
                return Err(Error::Knowledge(problem.into()).about([x, y]));
            }
        }
        self.refuse_stuck(&dag, &self.stuck(&dag, &open), &open)?;
        for at in 0..open.len() {
            let (from, to) = open[at];
            if dag.try_insert(from, to) {
                if self.stuck(&dag, &open[at + 1..]).is_empty() {
                    continue;
                }
                dag.remove(from, to);
            }
            let placed = dag.try_insert(to, from);
            debug_assert!(placed, "an edge fits in one direction");
        }
        Ok(dag)
    }

    /// The variables that are left when all are taken away that can come last in their turn: none exactly if all `open` edges
    /// can be directed beside the arcs of `dag`, without a cycle and within the limit.
    fn stuck(&self, dag: &Dag, open: &[(Variable, Variable)]) -> Vec<Variable> {
        if self.max_parents.is_none() {
            return Vec::new();
        }
        let p = dag.n_variables();
        let mut around: Vec<VariableSet> = vec![VariableSet::new(); p];
        for &(x, y) in open {
            around[x as usize].push(y);
            around[y as usize].push(x);
        }
        let mut n_children: Vec<usize> = (0..p as Variable).map(|x| dag.children(x).len()).collect();
        let mut n_open: Vec<usize> = around.iter().map(|others| others.len()).collect();
        let mut gone = vec![false; p];
        let mut ready: Vec<Variable> = (0..p as Variable).rev().collect();
        while let Some(x) = ready.pop() {
            let at = x as usize;
            if gone[at] || n_children[at] > 0 || dag.parents(x).len() + n_open[at] > self.most() {
                continue;
            }
            gone[at] = true;
            for &parent in dag.parents(x) {
                n_children[parent as usize] -= 1;
                ready.push(parent);
            }
            for &other in around[at].iter().filter(|&&other| !gone[other as usize]) {
                n_open[other as usize] -= 1;
                ready.push(other);
            }
        }
        (0..p as Variable).filter(|&x| !gone[x as usize]).collect()
    }

    fn refuse_stuck(&self, dag: &Dag, stuck: &[Variable], open: &[(Variable, Variable)]) -> Result<()> {
        let most = self.most();
        if let Some(x) = stuck.iter().copied().find(|&x| dag.parents(x).len() > most) {
            let problem = format!("{most} is below the {} required parents of {{}}; raise it", dag.parents(x).len());
            return Err(Error::parameter("max_parents", problem).about([x]));
        }
        let edges: Vec<_> = open.iter().filter(|(x, y)| stuck.contains(x) && stuck.contains(y)).collect();
        if edges.is_empty() {
            return Ok(());
        }
        let list: Vec<_> = edges.iter().take(6).map(|_| "{} − {}").collect();
        let more = if edges.len() > list.len() { " and more" } else { "" };
        let problem = format!(
            "the required edges {}{more} cannot be directed so that no variable has more than {most} required parents; raise it",
            list.join(", ")
        );
        Err(Error::parameter("max_parents", problem).about(edges.iter().take(6).flat_map(|&&(x, y)| [x, y])))
    }

    /// A DAG that keeps all constraints, with as much of `dag` as they leave; `dag` itself where it keeps them.
    ///
    /// What is required comes first. Where a variable has more parents besides than there is room for, `choose` picks: it is
    /// called with the variable, its required parents, the others and how many of these may stay, and returns them in the order
    /// in which they are put in. An arc that then closes a cycle is left out.
    ///
    /// # Errors
    ///
    /// As [`Constraints::required_dag`], and those of `choose`.
    pub fn repair(
        &self,
        dag: Dag,
        mut choose: impl FnMut(Variable, &[Variable], Vec<Variable>, usize) -> Result<Vec<Variable>>,
    ) -> Result<Dag> {
        if self.are_kept_by(&dag) {
            return Ok(dag);
        }
        let mut made = self.required_dag(&dag)?;
        for x in 0..dag.n_variables() as Variable {
            let own = dag.parents(x).iter().copied();
            let mut others: Vec<Variable> =
                own.filter(|&parent| self.scope.allows_arc(parent, x) && !made.adjacent(parent, x)).collect();
            let room = self.most().saturating_sub(made.parents(x).len());
            if others.len() > room {
                others = choose(x, made.parents(x), others, room)?;
            }
            for parent in others.into_iter().take(room) {
                made.try_insert(parent, x);
            }
        }
        debug_assert!(self.are_kept_by(&made));
        Ok(made)
    }

    /// The graph that a search starts from: `given` with every required adjacency and without arcs that knowledge forbids.
    /// Of the other arcs of `given` those give way that would close a cycle with required ones, or for which these leave no room.
    ///
    /// # Errors
    ///
    /// As [`Constraints::required_dag`]; [`Error::Parameter`] when a variable of `given` has more parents than may be.
    pub fn start(&self, given: &Dag) -> Result<Dag> {
        self.refuse_parents(given, "the start graph")?;
        self.repair(given.clone(), |_, _, others, _| Ok(others))
    }

    /// Refuses a DAG in which a variable has more parents than may be.
    ///
    /// # Errors
    ///
    /// [`Error::Parameter`], about the variable.
    pub fn refuse_parents(&self, dag: &Dag, what: &str) -> Result<()> {
        for x in 0..dag.n_variables() as Variable {
            let allowed = dag.parents(x).iter().filter(|&&parent| self.scope.allows_arc(parent, x)).count();
            if allowed > self.most() {
                let problem = format!("{{}} has {allowed} parents in {what}, more than {}", self.most());
                return Err(Error::parameter("max_parents", problem).about([x]));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::knowledge::Knowledge;
    use proptest::prelude::*;

    /// Whether some directions of all required edges keep the limit, by trying all.
    fn satisfiable(p: usize, arcs: &[(u32, u32)], edges: &[(u32, u32)], most: usize) -> bool {
        (0..1u32 << edges.len()).any(|turned| {
            let directed =
                edges.iter().enumerate().map(|(i, &(x, y))| if turned >> i & 1 == 1 { (y, x) } else { (x, y) });
            let all: std::collections::BTreeSet<_> = arcs.iter().copied().chain(directed).collect();
            Dag::from_arcs(p, all).is_ok_and(|dag| (0..p as Variable).all(|x| dag.parents(x).len() <= most))
        })
    }

    #[test]
    fn an_edge_gives_way_to_a_required_arc() {
        // 0 → 3 and 3 − 4 with one parent each: only 3 → 4 is left, also where the other direction is preferred.
        let knowledge = Knowledge::new(5, [(0, 3)], [(3, 4)], [], vec![]).unwrap();
        let constraints = Constraints { scope: (&knowledge).into(), max_parents: Some(1) };
        let preferred = Dag::from_arcs(5, [(4, 3)]).unwrap();
        let dag = constraints.required_dag(&preferred).unwrap();
        assert_eq!(dag.arcs().collect::<Vec<_>>(), [(0, 3), (3, 4)]);
        let free = Constraints { max_parents: None, ..constraints };
        assert!(free.required_dag(&preferred).unwrap().contains(4, 3));
    }

    #[test]
    fn what_cannot_be_directed_is_refused_by_name() {
        // A triangle needs a variable with two parents.
        let knowledge = Knowledge::new(3, [], [(0, 1), (1, 2), (0, 2)], [], vec![]).unwrap();
        let error =
            Constraints { scope: (&knowledge).into(), max_parents: Some(1) }.required_dag(&Dag::empty(3)).unwrap_err();
        assert!(matches!(error, Error::About { ref variables, .. } if variables.len() == 6), "{error}");
        assert!(error.to_string().starts_with("max_parents: the required edges variable 0 − variable 1"), "{error}");
        assert!(Constraints { scope: (&knowledge).into(), max_parents: Some(2) }.required_dag(&Dag::empty(3)).is_ok());
    }

    proptest! {
        #[test]
        fn directions_are_found_exactly_when_there_are_some(
            pairs in proptest::sample::subsequence((0..6u32).flat_map(|x| (0..x).map(move |y| (y, x))).collect::<Vec<_>>(), 0..9),
            kinds in proptest::collection::vec(0..4u8, 9),
            most in 0..4usize,
            start in proptest::collection::vec(any::<bool>(), 15),
        ) {
            let of = |kind: &[u8]| {
                let chosen = pairs.iter().zip(&kinds).filter(|(_, k)| kind.contains(k));
                chosen.map(|(&pair, _)| pair).collect::<Vec<_>>()
            };
            let (arcs, edges) = (of(&[0]), of(&[1, 2, 3]));
            let knowledge = Knowledge::new(6, arcs.clone(), edges.clone(), [], vec![]).unwrap();
            let constraints = Constraints { scope: (&knowledge).into(), max_parents: Some(most) };
            let all = (0..6u32).flat_map(|x| (0..x).map(move |y| (x, y)));
            let start = Dag::from_arcs(6, all.zip(&start).filter(|(_, s)| **s).map(|(arc, _)| arc)).unwrap();
            let found = constraints.repair(start, |_, _, others, _| Ok(others));
            prop_assert_eq!(found.is_ok(), satisfiable(6, &arcs, &edges, most));
            if let Ok(dag) = found {
                prop_assert!(constraints.are_kept_by(&dag));
            }
        }
    }
}
