//! Grow-shrink trees: for one child, the parents that greedy growing and shrinking picks from any set of predecessors.

use std::borrow::Cow;

use rustc_hash::FxHashMap;

use super::super::candidates::Candidates;
use super::super::known_parents::KnownParents;
use crate::run::Run;
use crate::score::ScoreSession;
use crate::{SortedSet, Variable, VariableSet};

/// What holds for every tree of a search.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rules<'a> {
    pub(super) candidates: Candidates<'a>,
    pub(super) max_parents: usize,
    /// A parent is added or dropped only for a gain larger than this.
    pub(super) tolerance: f64,
    /// Scores kept in one tree before it starts anew.
    pub(super) capacity: usize,
    pub(super) run: &'a Run,
}

impl Rules<'_> {
    /// Whether the run is over. What a tree says then is not what it would have said, and of no use but as some graph.
    fn over(&self) -> bool {
        self.run.check().is_err() || self.run.out_of_time()
    }
}

/// The parents of a child given a set of predecessors, and what the answer depends on.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Trace {
    /// The local score with `parents`.
    pub(super) score: f64,
    /// Parents after growing; a predecessor that is not among them can leave without a change.
    pub(super) grown: VariableSet,
    /// Parents after shrinking.
    pub(super) parents: VariableSet,
    /// Variables that would change the answer if they became predecessors.
    pub(super) blocked: Vec<Variable>,
    /// Whether the predecessors that must be parents are more than may be: no place for the child.
    pub(super) overfull: bool,
}

#[derive(Debug)]
struct Branch {
    score: f64,
    variable: Variable,
    node: Option<u32>,
}

#[derive(Debug)]
struct Node {
    parents: VariableSet,
    score: f64,
    /// The node that growing came from when it reached this one first.
    from: Option<u32>,
    /// The additions that gain, best first; `None` before they are asked for.
    branches: Option<Vec<Branch>>,
    /// Score and parents after shrinking; `None` before it is asked for.
    shrunk: Option<(f64, VariableSet)>,
}

/// The tree of one child. A node is a set of parents; its branches are the additions that gain, best first. Growing follows
/// the first branch whose variable is a predecessor. Nodes reached on several ways are one.
#[derive(Debug)]
pub(super) struct GrowShrinkTree {
    child: Variable,
    /// Parents that are worth scoring (`None`: all).
    worth: Option<KnownParents>,
    /// Of these, those that are scored at every node. Others are scored at a node only if they gained at the node before it.
    /// `None`: all are scored at every node.
    everywhere: Option<KnownParents>,
    nodes: Vec<Node>,
    by_set: FxHashMap<VariableSet, u32>,
    /// What the last trace has grown.
    likely: VariableSet,
    stored: usize,
    calls: u64,
}

impl GrowShrinkTree {
    /// A tree that grows by what is worth it, or by all variables.
    /// With `narrowing`, what gains alone is scored further along a branch only as long as it gains.
    pub(super) fn new(child: Variable, growing: bool, narrowing: bool) -> Self {
        let worth = growing.then(KnownParents::default);
        let everywhere = narrowing.then(KnownParents::default);
        Self {
            child,
            worth,
            everywhere,
            nodes: Vec::new(),
            by_set: FxHashMap::default(),
            likely: VariableSet::new(),
            stored: 0,
            calls: 0,
        }
    }

    /// Local scores computed so far.
    pub(super) fn calls(&self) -> u64 {
        self.calls
    }

    /// From now on grows by these variables, too.
    pub(super) fn know(&mut self, variables: impl Iterator<Item = Variable>) {
        let variables: Vec<Variable> = variables.collect();
        let more = self.score_everywhere(&variables);
        if self.worth.as_mut().is_some_and(|worth| worth.add(variables)) || more {
            self.clear();
        }
    }

    /// From now on scores these at every node. Returns whether any is new.
    fn score_everywhere(&mut self, variables: &[Variable]) -> bool {
        self.everywhere.as_mut().is_some_and(|everywhere| everywhere.add(variables.iter().copied()))
    }

    fn clear(&mut self) {
        self.nodes.clear();
        self.by_set.clear();
        self.stored = 0;
    }

    /// From now on grows by `parents` and by all that gains beside them, too. Returns whether any of these is new.
    pub(super) fn widen(&mut self, session: &mut impl ScoreSession, rules: &Rules<'_>, parents: &[Variable]) -> bool {
        if rules.over() {
            return false;
        }
        let Some(worth) = &mut self.worth else { return false };
        let mut more = worth.add(parents.iter().copied());
        if !worth.knows(parents) {
            let free = rules.candidates.parents_for(self.child, parents);
            let mut scores = Vec::new();
            let own = session.local_score(self.child, parents);
            session.local_scores_above(self.child, parents, &free, own + rules.tolerance, &mut scores);
            self.calls += 1 + free.len() as u64;
            worth.note(parents);
            let gaining = free.iter().zip(&scores).filter(|(_, with)| **with > own + rules.tolerance);
            let gaining: Vec<Variable> = gaining.map(|(&x, _)| x).collect();
            more |= worth.add(gaining.iter().copied());
            if !parents.is_empty() {
                more |= self.score_everywhere(&gaining);
            }
        }
        more |= self.score_everywhere(parents);
        if more {
            self.clear();
        }
        more
    }

    /// The parents of the child when its predecessors are those of which `precedes` is true. `forced` (increasing) are
    /// the predecessors that must be parents. They are grown and shrunk from `from`, if given: from those of these that
    /// precede the child.
    pub(super) fn trace(
        &mut self,
        session: &mut impl ScoreSession,
        rules: &Rules<'_>,
        forced: &[Variable],
        from: Option<&[Variable]>,
        precedes: impl Fn(Variable) -> bool,
    ) -> Trace {
        if self.stored > rules.capacity {
            self.clear();
        }
        if let Some(from) = from {
            return self.trace_from(session, rules, forced, from, precedes);
        }
        let mut blocked = Vec::new();
        let mut at = self.node(VariableSet::from_slice(forced), None, None, session);
        while self.nodes[at].parents.len() < rules.max_parents && !rules.over() {
            self.expect(at, session, rules, &precedes);
            self.expand(at, session, rules);
            let branches = self.nodes[at].branches.as_deref().unwrap_or_default();
            let Some(next) = branches.iter().position(|branch| precedes(branch.variable)) else {
                blocked.extend(branches.iter().map(|branch| branch.variable));
                break;
            };
            blocked.extend(branches[..next].iter().map(|branch| branch.variable));
            at = self.follow(at, next, session);
        }
        self.likely = self.nodes[at].parents.clone();
        self.shrink(at, forced, session, rules);
        let node = &self.nodes[at];
        let (score, parents) = node.shrunk.clone().unwrap_or_else(|| (node.score, node.parents.clone()));
        Trace { score, grown: node.parents.clone(), parents, blocked, overfull: forced.len() > rules.max_parents }
    }

    /// Grows and shrinks until neither gains. A predecessor that is no parent can leave without a change, and one that comes
    /// changes something only if it gains beside the parents.
    fn trace_from(
        &mut self,
        session: &mut impl ScoreSession,
        rules: &Rules<'_>,
        forced: &[Variable],
        from: &[Variable],
        precedes: impl Fn(Variable) -> bool,
    ) -> Trace {
        let mut first: VariableSet =
            from.iter().copied().filter(|&x| precedes(x)).chain(forced.iter().copied()).collect();
        first.sort_unstable();
        first.dedup();
        let mut at = self.node(first, None, None, session);
        loop {
            while self.nodes[at].parents.len() < rules.max_parents && !rules.over() {
                self.expand(at, session, rules);
                let branches = self.nodes[at].branches.as_deref().unwrap_or_default();
                let Some(next) = branches.iter().position(|branch| precedes(branch.variable)) else { break };
                at = self.follow(at, next, session);
            }
            self.shrink(at, forced, session, rules);
            let (score, parents) = match &self.nodes[at].shrunk {
                Some(shrunk) => shrunk.clone(),
                None => (self.nodes[at].score, self.nodes[at].parents.clone()),
            };
            if parents == self.nodes[at].parents || rules.over() {
                break;
            }
            at = self.node(parents, Some(score), None, session);
        }
        let node = &self.nodes[at];
        let blocked = node.branches.iter().flatten().map(|branch| branch.variable).filter(|&x| !precedes(x)).collect();
        let (score, parents) = (node.score, node.parents.clone());
        Trace { score, grown: parents.clone(), parents, blocked, overfull: forced.len() > rules.max_parents }
    }

    /// The node at the end of a branch.
    fn follow(&mut self, at: usize, next: usize, session: &mut impl ScoreSession) -> usize {
        let Some(branches) = &self.nodes[at].branches else { return at };
        let Branch { score, variable, node } = branches[next];
        if let Some(node) = node {
            return node as usize;
        }
        let parents = self.nodes[at].parents.with(variable);
        let node = self.node(parents, session.ranks_by_scores().then_some(score), Some(at as u32), session);
        if let Some(branches) = &mut self.nodes[at].branches {
            branches[next].node = Some(node as u32);
        }
        node
    }

    /// The node of a set of parents, whose score may be known, and the node that growing comes from.
    fn node(
        &mut self,
        parents: VariableSet,
        score: Option<f64>,
        from: Option<u32>,
        session: &mut impl ScoreSession,
    ) -> usize {
        if let Some(&node) = self.by_set.get(&parents) {
            return node as usize;
        }
        let score = score.unwrap_or_else(|| {
            self.calls += 1;
            session.local_score(self.child, &parents)
        });
        self.by_set.insert(parents.clone(), self.nodes.len() as u32);
        self.nodes.push(Node { parents, score, from, branches: None, shrunk: None });
        self.stored += 4;
        self.nodes.len() - 1
    }

    /// What is scored at a node that has no branches yet.
    fn free(&self, node: &Node, rules: &Rules<'_>) -> Vec<Variable> {
        let Some(worth) = &self.worth else { return rules.candidates.parents_for(self.child, &node.parents) };
        let before = node.from.and_then(|from| self.nodes[from as usize].branches.as_ref());
        let variables: Cow<'_, KnownParents> = match (&self.everywhere, before) {
            (Some(everywhere), Some(before)) => {
                let mut some = everywhere.clone();
                some.add(before.iter().map(|branch| branch.variable));
                Cow::Owned(some)
            }
            _ => Cow::Borrowed(worth),
        };
        let free = variables.variables().iter().copied().filter(|x| node.parents.binary_search(x).is_err());
        free.filter(|&x| rules.candidates.allows(x, self.child)).collect()
    }

    /// Says what growing will score from a node on if it goes the way that the last trace has gone, where tables come from far
    /// away: they are then asked for together, not node by node.
    fn expect(
        &self,
        at: usize,
        session: &mut impl ScoreSession,
        rules: &Rules<'_>,
        precedes: impl Fn(Variable) -> bool,
    ) {
        let node = &self.nodes[at];
        if node.branches.is_some() || !session.asks() {
            return;
        }
        let free = self.free(node, rules);
        let mut likely: Vec<Variable> = self.likely.iter().copied().filter(|&x| precedes(x)).collect();
        likely.retain(|x| free.binary_search(x).is_ok());
        if let Some(before) = node.from.and_then(|from| self.nodes[from as usize].branches.as_ref()) {
            let rank = |x: &Variable| before.iter().position(|branch| branch.variable == *x).unwrap_or(before.len());
            likely.sort_by_key(rank);
        }
        let mut families = Vec::new();
        let mut family = node.parents.with(self.child);
        let room = rules.max_parents - node.parents.len();
        for next in std::iter::once(None).chain(likely.into_iter().map(Some)).take(room) {
            if let Some(next) = next {
                family = family.with(next);
            }
            let others = free.iter().copied().filter(|x| family.binary_search(x).is_err());
            families.extend(others.map(|x| family.with(x)));
        }
        session.expect(families);
    }

    fn expand(&mut self, at: usize, session: &mut impl ScoreSession, rules: &Rules<'_>) {
        let node = &self.nodes[at];
        if node.branches.is_some() {
            return;
        }
        let free = self.free(node, rules);
        let mut scores = Vec::new();
        session.rank_scores_above(self.child, &node.parents, &free, node.score + rules.tolerance, &mut scores);
        self.calls += free.len() as u64;
        let mut branches: Vec<Branch> = free
            .into_iter()
            .zip(scores)
            .filter(|(_, score)| *score > node.score + rules.tolerance)
            .map(|(variable, score)| Branch { score, variable, node: None })
            .collect();
        branches.sort_unstable_by(|a, b| b.score.total_cmp(&a.score).then(a.variable.cmp(&b.variable)));
        branches.shrink_to_fit();
        self.stored += branches.len();
        self.nodes[at].branches = Some(branches);
    }

    /// Drops parents that are not forced, the one without which the score is best first, while that costs nothing: of equal scores
    /// the one with fewer parents is better.
    fn shrink(&mut self, at: usize, forced: &[Variable], session: &mut impl ScoreSession, rules: &Rules<'_>) {
        if self.nodes[at].shrunk.is_some() {
            return;
        }
        let (mut score, mut parents) = (self.nodes[at].score, self.nodes[at].parents.clone());
        loop {
            let mut best: Option<(f64, usize)> = None;
            for (i, x) in parents.iter().enumerate() {
                if forced.binary_search(x).is_ok() {
                    continue;
                }
                if rules.over() {
                    return;
                }
                let mut others = parents.clone();
                others.remove(i);
                let without = match self.by_set.get(&others) {
                    Some(&node) => self.nodes[node as usize].score,
                    None => {
                        self.calls += 1;
                        session.local_score(self.child, &others)
                    }
                };
                if without >= score - rules.tolerance && best.is_none_or(|(most, _)| without > most) {
                    best = Some((without, i));
                }
            }
            let Some((without, i)) = best else { break };
            parents.remove(i);
            score = without;
        }
        self.nodes[at].shrunk = Some((score, parents));
    }
}
