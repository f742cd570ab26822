//! A discrete Bayesian network.

use rustc_hash::FxHashMap;

use super::bif::{BifOptions, Repair};
use crate::data::MAX_ARITY;
use crate::graph::Dag;
use crate::run::Run;
use crate::{Error, Result, Variable};

/// How far from 1 the probabilities of a row may sum: published tables are rounded to a few digits. Tables are kept as
/// given; sampling and inference divide each row by its sum.
pub const ROW_SUM_TOLERANCE: f64 = 0.001;

/// The most entries a conditional table may have.
pub(super) const MAX_TABLE: usize = 1 << 28;

/// A variable of a [`BayesianNetwork`] with its conditional table.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Node {
    /// Name of the variable.
    pub name: String,
    /// Names of its states, in the order of their codes.
    pub states: Vec<String>,
    /// Its parents, in the order in which the table runs through them.
    pub parents: Vec<Variable>,
    /// The conditional table, one row of `states.len()` probabilities for each configuration of the parents; the last
    /// parent runs fastest.
    pub probabilities: Vec<f64>,
}

impl Node {
    /// Number of states.
    pub fn arity(&self) -> usize {
        self.states.len()
    }

    /// The distribution given the configuration of the parents with this number.
    pub fn row(&self, configuration: usize) -> &[f64] {
        &self.probabilities[configuration * self.arity()..][..self.arity()]
    }

    /// The distributions given each configuration of the parents, in order.
    pub fn rows(&self) -> impl Iterator<Item = &[f64]> {
        self.probabilities.chunks_exact(self.arity())
    }

    /// Number of configurations of the parents.
    pub fn n_configurations(&self) -> usize {
        self.probabilities.len() / self.arity()
    }
}

/// A discrete Bayesian network: a DAG whose variables have named states and a conditional table each.
///
/// # Examples
///
/// ```
/// use phgs::network::{BayesianNetwork, Node};
/// let states = || vec!["no".to_string(), "yes".to_string()];
/// let rain = Node { name: "rain".into(), states: states(), parents: vec![], probabilities: vec![0.8, 0.2] };
/// let wet =
///     Node { name: "wet".into(), states: states(), parents: vec![0], probabilities: vec![0.9, 0.1, 0.2, 0.8] };
/// let network = BayesianNetwork::new("garden", vec![rain, wet])?;
/// assert_eq!(network.dag().parents(1), [0]);
/// assert_eq!(network.n_parameters(), 3);
/// assert_eq!(BayesianNetwork::from_bif(&network.to_bif())?, network);
/// # Ok::<(), phgs::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct BayesianNetwork {
    name: String,
    nodes: Vec<Node>,
    dag: Dag,
}

impl BayesianNetwork {
    /// Checks the nodes and makes them a network. `Node::parents` are positions in `nodes`.
    ///
    /// # Errors
    ///
    /// [`Error::Data`] when there are no nodes, two have the same name, a node has no states or two of the same name,
    /// or a table has the wrong size, a value outside \[0, 1\] or a row whose sum differs from 1 by more than
    /// [`ROW_SUM_TOLERANCE`]; [`Error::Graph`] when parents do not exist, repeat or close a cycle, which is named.
    pub fn new(name: impl Into<String>, nodes: Vec<Node>) -> Result<Self> {
        if nodes.is_empty() {
            return Err(Error::Data("the network has no variables".into()));
        }
        if let Some(name) = first_repeated(nodes.iter().map(|node| node.name.as_str())) {
            return Err(Error::Data(format!("two variables are named '{name}'")));
        }
        for node in &nodes {
            check_node(node, &nodes)?;
        }
        let arcs = nodes
            .iter()
            .enumerate()
            .flat_map(|(child, node)| node.parents.iter().map(move |&parent| (parent, child as Variable)));
        let dag = Dag::from_arcs(nodes.len(), arcs).map_err(|_| Error::Graph(name_cycle(&nodes)))?;
        Ok(Self { name: name.into(), nodes, dag })
    }

    /// Reads the text of a BIF file (version 0.15; see the module's source for what is accepted). Rows are placed by
    /// their labels whatever their order; `property` lines are skipped.
    ///
    /// # Errors
    ///
    /// [`Error::Parse`] with line and column when the text is not a network: truncated, an unknown variable or state, a
    /// row missing, given twice, of the wrong length or not summing to 1 within [`ROW_SUM_TOLERANCE`], a cycle,
    /// tables of more entries than [`BifOptions`] allow by default.
    pub fn from_bif(text: &str) -> Result<Self> {
        Ok(super::bif::read(text, &BifOptions::default(), None)?.0)
    }

    /// Reads the text of a BIF file with options; also returns what was done to rows, which the options allow.
    ///
    /// # Errors
    ///
    /// As [`from_bif`](Self::from_bif), and [`Error::Interrupted`].
    pub fn from_bif_with(text: &str, options: &BifOptions, run: &Run) -> Result<(Self, Vec<Repair>)> {
        super::bif::read(text, options, Some(run))
    }

    /// The network as the text of a BIF file. Reading it gives the same network, number for number; a network without
    /// a name is called `unknown`, which reads as no name.
    pub fn to_bif(&self) -> String {
        super::bif::write(self, None).unwrap_or_default()
    }

    /// As [`to_bif`](Self::to_bif); a run can stop it.
    ///
    /// # Errors
    ///
    /// [`Error::Interrupted`].
    pub fn to_bif_within(&self, run: &Run) -> Result<String> {
        super::bif::write(self, Some(run))
    }

    /// Name of the network.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The variables with their tables.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// One variable with its table.
    pub fn node(&self, x: Variable) -> &Node {
        &self.nodes[x as usize]
    }

    /// The graph.
    pub fn dag(&self) -> &Dag {
        &self.dag
    }

    /// Number of variables.
    pub fn n_variables(&self) -> usize {
        self.nodes.len()
    }

    /// Number of states of a variable.
    pub fn arity(&self, x: Variable) -> usize {
        self.nodes[x as usize].arity()
    }

    /// The variable of this name.
    pub fn variable(&self, name: &str) -> Option<Variable> {
        self.nodes.iter().position(|node| node.name == name).map(|x| x as Variable)
    }

    /// Number of free parameters, Σ (r − 1) q (the paper's |Θ|).
    pub fn n_parameters(&self) -> usize {
        self.nodes.iter().map(|node| (node.arity() - 1) * node.n_configurations()).sum()
    }

    /// Largest number of parents.
    pub fn max_in_degree(&self) -> usize {
        self.nodes.iter().map(|node| node.parents.len()).max().unwrap_or(0)
    }

    /// The same network with another name.
    #[must_use]
    pub fn renamed(mut self, name: impl Into<String>) -> Self {
        self.name = name.into();
        self
    }

    /// The same network with its variables in another order: variable `order[i]` becomes variable i.
    ///
    /// # Errors
    ///
    /// [`Error::Parameter`] when `order` is not a permutation of the variables.
    pub fn reordered(&self, order: &[Variable]) -> Result<Self> {
        let p = self.n_variables();
        let mut position = vec![Variable::MAX; p];
        for (i, &x) in order.iter().enumerate() {
            if let Some(at) = position.get_mut(x as usize) {
                *at = i as Variable;
            }
        }
        if order.len() != p || position.contains(&Variable::MAX) {
            return Err(Error::parameter("order", "every variable must be listed once"));
        }
        let nodes = order.iter().map(|&x| {
            let mut node = self.nodes[x as usize].clone();
            for parent in &mut node.parents {
                *parent = position[*parent as usize];
            }
            node
        });
        Self::new(self.name.clone(), nodes.collect())
    }

    /// The same network with its variables in a random order, as in the paper's simulations, so that columns of a
    /// sample say nothing about causal order.
    pub fn permuted(&self, seed: u64) -> Result<Self> {
        let mut rng = crate::random_numbers::generator(seed);
        self.reordered(&crate::random_numbers::permutation(&mut rng, self.n_variables()))
    }
}

fn check_node(node: &Node, nodes: &[Node]) -> Result<()> {
    let name = &node.name;
    if node.states.is_empty() {
        return Err(Error::Data(format!("variable '{name}' has no states")));
    }
    if node.arity() > MAX_ARITY as usize {
        return Err(Error::Data(format!("variable '{name}' has {} states; at most {MAX_ARITY}", node.arity())));
    }
    if let Some(state) = first_repeated(node.states.iter().map(String::as_str)) {
        return Err(Error::Data(format!("variable '{name}' has two states named '{state}'")));
    }
    let mut size = node.arity();
    for (i, &parent) in node.parents.iter().enumerate() {
        let Some(other) = nodes.get(parent as usize) else {
            return Err(Error::Graph(format!("variable '{name}' has a parent that does not exist")));
        };
        if node.parents[..i].contains(&parent) {
            return Err(Error::Graph(format!("variable '{name}' has '{}' as a parent twice", other.name)));
        }
        size = size.saturating_mul(other.arity());
    }
    if size > MAX_TABLE {
        return Err(Error::Data(format!("the table of '{name}' has more than {MAX_TABLE} entries")));
    }
    if node.probabilities.len() != size {
        return Err(Error::Data(format!("the table of '{name}' has {} of {size} entries", node.probabilities.len())));
    }
    for (i, row) in node.rows().enumerate() {
        check_row(row).map_err(|problem| Error::Data(format!("row {i} of the table of '{name}': {problem}")))?;
    }
    Ok(())
}

/// Whether the numbers are a distribution, up to the tolerance; says what is wrong.
pub(super) fn check_row(row: &[f64]) -> std::result::Result<(), String> {
    if let Some(bad) = row.iter().find(|&&v| !(0.0..=1.0 + ROW_SUM_TOLERANCE).contains(&v)) {
        return Err(format!("{bad} is not a probability"));
    }
    let sum: f64 = row.iter().sum();
    // A little more, so that 0.333 three times, which sums to 0.999 less a rounding error, passes.
    if (sum - 1.0).abs() > ROW_SUM_TOLERANCE + 1e-9 {
        return Err(format!("probabilities sum to {sum}; a sum within {ROW_SUM_TOLERANCE} of 1 is needed"));
    }
    Ok(())
}

/// The first name that was there before.
pub(super) fn first_repeated<'a>(names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let mut seen = FxHashMap::default();
    let mut names = names;
    names.find(|&name| seen.insert(name, ()).is_some())
}

/// A cycle among the parents, by name. There is one.
fn name_cycle(nodes: &[Node]) -> String {
    let mut left: Vec<usize> = nodes.iter().map(|node| node.parents.len()).collect();
    let mut children: Vec<Vec<usize>> = vec![Vec::new(); nodes.len()];
    for (child, node) in nodes.iter().enumerate() {
        for &parent in &node.parents {
            children[parent as usize].push(child);
        }
    }
    let mut done: Vec<usize> = (0..nodes.len()).filter(|&x| left[x] == 0).collect();
    while let Some(x) = done.pop() {
        for &child in &children[x] {
            left[child] -= 1;
            if left[child] == 0 {
                done.push(child);
            }
        }
    }
    // What is left has a parent that is left too: walking up must come round.
    let Some(start) = left.iter().position(|&n| n > 0) else { return "the parents close a cycle".into() };
    let mut walk = vec![start];
    loop {
        let x = walk[walk.len() - 1];
        let Some(&up) = nodes[x].parents.iter().find(|&&parent| left[parent as usize] > 0) else {
            return "the parents close a cycle".into();
        };
        let first = walk.iter().position(|&y| y == up as usize);
        walk.push(up as usize);
        if let Some(first) = first {
            let names: Vec<&str> = walk[first..].iter().rev().map(|&y| nodes[y].name.as_str()).collect();
            return format!("the parents close a cycle: {}", names.join(" → "));
        }
    }
}
