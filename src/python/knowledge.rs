//! Background knowledge, as the facade describes it: `Knowledge._for_core` makes what is read here.

use pyo3::prelude::*;

use super::described::Pairs;
use super::graph::check;
use crate::knowledge::Knowledge;
use crate::{Result, Variable};

/// Background knowledge: `required` arcs, `required_edges`, `forbidden` arcs and `tiers` (a list with `None` for
/// variables in no tier, or empty).
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(super) struct KnowledgeFacts {
    required: Pairs,
    required_edges: Pairs,
    forbidden: Pairs,
    tiers: Vec<Option<u32>>,
}

/// The knowledge that is described, or none.
pub(super) fn of_facts(facts: Option<KnowledgeFacts>, n_variables: usize) -> Result<Knowledge> {
    let Some(facts) = facts else { return Ok(Knowledge::none()) };
    Knowledge::new(n_variables, facts.required, facts.required_edges, facts.forbidden, facts.tiers)
}

/// Marks some of the variables; empty where there are none.
pub(super) fn marked(variables: &[Variable], n_variables: usize) -> PyResult<Vec<bool>> {
    check(n_variables, variables.iter().copied())?;
    let mut marks = vec![false; if variables.is_empty() { 0 } else { n_variables }];
    variables.iter().for_each(|&x| marks[x as usize] = true);
    Ok(marks)
}
