//! From a network to text.

use std::borrow::Cow;
use std::fmt::Write;

use super::tokens::is_mark;
use crate::network::BayesianNetwork;
use crate::run::Run;
use crate::{Result, Variable};

/// Writes a network so that reading it gives the same network: names, states, order and every number.
///
/// # Errors
///
/// Only that the run was interrupted.
pub(in crate::network) fn write(network: &BayesianNetwork, run: Option<&Run>) -> Result<String> {
    let mut out = String::new();
    // A network without a name is `unknown`, as in the repositories; one of that name stands in quotes.
    let name = match network.name() {
        "" => Cow::Borrowed("unknown"),
        "unknown" => Cow::Borrowed("\"unknown\""),
        name => quoted(name),
    };
    // Writing to a string cannot fail.
    let _ = writeln!(out, "network {name} {{\n}}");
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
                if configuration.is_multiple_of(4096) {
                    run.map_or(Ok(()), Run::check)?;
                }
                out.push_str("  (");
                join(&mut out, labels(network, &node.parents, configuration));
                out.push_str(") ");
                join(&mut out, row.iter().map(number));
                out.push_str(";\n");
            }
        }
        out.push_str("}\n");
    }
    Ok(out)
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

/// Words of the grammar, which other readers may take for themselves where they are names.
const GRAMMAR: [&str; 7] = ["network", "variable", "probability", "property", "type", "table", "default"];

/// A name as it is where it can stand alone, in quotes otherwise.
fn quoted(name: &str) -> Cow<'_, str> {
    let plain = !name.is_empty()
        && !name.contains("//")
        && !name.contains("/*")
        && !GRAMMAR.contains(&name)
        && name.bytes().all(|b| b != b'"' && !is_mark(b))
        && name.chars().all(|c| !c.is_whitespace() && !c.is_control() && c != '\u{feff}');
    if plain {
        Cow::Borrowed(name)
    } else {
        Cow::Owned(format!("\"{}\"", name.replace('\\', "\\\\").replace('"', "\\\"")))
    }
}
