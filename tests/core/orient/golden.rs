//! The CPDAGs of ten networks, as another package gives them.

use std::collections::HashMap;

use phgs::Variable;
use phgs::graph::{Dag, EdgeMark};
use phgs::orient::{all_members, consistent_extension, cpdag_of_dag};
use phgs::run::Run;

use crate::support::read_csv;

/// The variables of a network and its arcs, each with whether it is compelled.
#[derive(Default)]
struct Network<'r> {
    index: HashMap<&'r str, Variable>,
    edges: Vec<(Variable, Variable, bool)>,
}

#[test]
fn cpdags_of_networks() {
    let run = Run::new(1).unwrap();
    let (_, rows) = read_csv("golden/cpdag.csv");
    let mut networks: HashMap<&str, Network> = HashMap::new();
    for row in &rows {
        let Network { index, edges } = networks.entry(&row[0]).or_default();
        let mut number = |name| {
            let next = index.len() as Variable;
            *index.entry(name).or_insert(next)
        };
        edges.push((number(row[1].as_str()), number(row[2].as_str()), row[3] == "directed"));
    }
    assert_eq!(networks.len(), 10);
    for (name, Network { index, edges }) in networks {
        let dag = Dag::from_arcs(index.len(), edges.iter().map(|&(x, y, _)| (x, y))).unwrap();
        let cpdag = cpdag_of_dag(&dag);
        for (x, y, directed) in edges {
            assert_eq!(
                cpdag.tie(x, y),
                if directed { EdgeMark::Forward } else { EdgeMark::Undirected },
                "{name}: {x} {y}"
            );
        }
        let extension = consistent_extension(&cpdag).unwrap();
        assert_eq!(cpdag_of_dag(&extension), cpdag, "{name}");
        for member in all_members(&cpdag, 20, &run).unwrap() {
            assert_eq!(cpdag_of_dag(&member), cpdag, "{name}");
        }
    }
}
