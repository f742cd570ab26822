//! From a network to text.

use std::borrow::Cow;
use std::fmt::Write;

use super::tokens::is_mark;
use crate::Variable;
use crate::network::BayesianNetwork;

/// Writes a network so that reading it gives the same network: names, states, order and every number.
pub(in crate::network) fn write(network: &BayesianNetwork) -> String {
    let mut out = String::new();
    let name = if network.name().is_empty() { "unknown" } else { network.name() };
    // Writing to a string cannot fail.
    let _ = writeln!(out, "network {} {{\n}}", quoted(name));
    for node in network.nodes() {
        let _ = writeln!(out, "variable {} {{", quoted(&node.name));
        let _ = write!(out, "  type discrete [ {} ] {{ ", node.arity());
        join(&mut out, node.states.iter().map(|state| quoted(state)));
        out.push_str(" };\n}\n");
    }
    for node in network.nodes() {
        let _ = write!(out, "probability ( {}", quoted(&node.name));
        if !node.parents.is_empty() {
            out.push_str(" | ");
            join(&mut out, node.parents.iter().map(|&parent| quoted(&network.node(parent).name)));
        }
        out.push_str(" ) {\n");
        if node.parents.is_empty() {
            out.push_str("  table ");
            join(&mut out, node.row(0).iter().map(number));
            out.push_str(";\n");
        } else {
            for (configuration, row) in node.rows().enumerate() {
                out.push_str("  (");
                join(&mut out, labels(network, &node.parents, configuration));
                out.push_str(") ");
                join(&mut out, row.iter().map(number));
                out.push_str(";\n");
            }
        }
        out.push_str("}\n");
    }
    out
}

fn labels<'n>(
    network: &'n BayesianNetwork,
    parents: &[Variable],
    mut configuration: usize,
) -> impl Iterator<Item = Cow<'n, str>> {
    let mut labels = Vec::with_capacity(parents.len());
    for &parent in parents.iter().rev() {
        let states = &network.node(parent).states;
        labels.push(quoted(&states[configuration % states.len()]));
        configuration /= states.len();
    }
    labels.into_iter().rev()
}

fn join(out: &mut String, items: impl Iterator<Item = impl AsRef<str>>) {
    for (i, item) in items.enumerate() {
        if i > 0 {
            out.push_str(", ");
        }
        out.push_str(item.as_ref());
    }
}

/// The shortest text that reads back as the same number.
fn number(value: &f64) -> String {
    format!("{value:?}")
}

/// A name as it is where it can stand alone, in quotes otherwise.
fn quoted(name: &str) -> Cow<'_, str> {
    let plain = !name.is_empty()
        && !name.starts_with("//")
        && !name.starts_with("/*")
        && !name.starts_with('"')
        && name.bytes().all(|b| !b.is_ascii_whitespace() && !is_mark(b));
    if plain {
        Cow::Borrowed(name)
    } else {
        Cow::Owned(format!("\"{}\"", name.replace('\\', "\\\\").replace('"', "\\\"")))
    }
}
