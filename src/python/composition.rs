//! The composition of a method, as the facade describes it in dictionaries.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::graph::{Dag, UndirectedGraph};
use crate::hybrid::{Adaptive, Equivalence, Hybrid, Initialise, Maximise, Partition, Refine, Restrict, VStructureRule};
use crate::knowledge::Knowledge;
use crate::orient::ColliderRule;
use crate::orient::path::PathOptions;
use crate::run::Phase;
use crate::search::ges::Schedule;
use crate::search::{BossOptions, Restarts, SearchOptions, Tabu, TieRule};
use crate::skeleton::PcOptions;
use crate::skeleton::local::{LocalLearner, LocalOptions};
use crate::{Result, Variable};

/// A value that every dictionary of this kind has.
pub(super) fn item<'py, T: for<'a> FromPyObject<'a, 'py>>(dict: &Bound<'py, PyDict>, key: &str) -> PyResult<T> {
    let value = dict.get_item(key)?.ok_or_else(|| PyValueError::new_err(format!("{key} is missing")))?;
    value.extract().map_err(|e| PyValueError::new_err(format!("{key}: {}", Into::<PyErr>::into(e))))
}

fn kind(dict: &Bound<'_, PyDict>) -> PyResult<String> {
    item(dict, "kind")
}

pub(super) fn unknown<T>(what: &str, kind: &str) -> PyResult<T> {
    Err(PyValueError::new_err(format!("{what}: unknown kind {kind:?}")))
}

/// The composition of stages.
pub(super) fn hybrid(dict: &Bound<'_, PyDict>, n_variables: usize) -> PyResult<Hybrid> {
    let refine: Vec<Bound<'_, PyDict>> = item(dict, "refine")?;
    Ok(Hybrid {
        restrict: restrict(&item(dict, "restrict")?, n_variables)?,
        select: PathOptions {
            path_length: item(dict, "path_length")?,
            min_log_alpha: item::<f64>(dict, "min_alpha")?.ln(),
        },
        initialise: initialise(&item(dict, "initialise")?, n_variables)?,
        maximise: maximise(&item(dict, "maximise")?)?,
        refine: refine.iter().map(refinement).collect::<PyResult<_>>()?,
        max_parents: item(dict, "max_parents")?,
    })
}

fn restrict(dict: &Bound<'_, PyDict>, n_variables: usize) -> PyResult<Restrict> {
    Ok(match kind(dict)?.as_str() {
        "none" => Restrict::None,
        "ppc" => Restrict::PartitionedPc(partition(dict)?, pc(dict)?),
        "pef" => Restrict::Fusion(partition(dict)?, pc(dict)?),
        "given" => Restrict::Given(UndirectedGraph::from_edges(n_variables, item::<Vec<_>>(dict, "edges")?)),
        _ => {
            let (learner, options) = local(dict)?;
            Restrict::Local(learner, options)
        }
    })
}

fn pc(dict: &Bound<'_, PyDict>) -> PyResult<PcOptions> {
    let log_alpha = item::<f64>(dict, "alpha")?.ln();
    Ok(PcOptions { log_alpha, max_conditioning_size: item(dict, "max_conditioning_size")? })
}

fn partition(dict: &Bound<'_, PyDict>) -> PyResult<Partition> {
    Ok(match dict.get_item("partition")? {
        Some(p) if p.extract::<&str>().is_ok_and(|p| p == "clustered") => Partition::Clustered,
        Some(p) if !p.is_none() => Partition::Labels(p.extract()?),
        _ => Partition::One,
    })
}

/// A learner of neighbourhoods by its name, with its options.
pub(super) fn local(dict: &Bound<'_, PyDict>) -> PyResult<(LocalLearner, LocalOptions)> {
    let kind = kind(dict)?;
    let Some(learner) = LocalLearner::from_name(&kind) else {
        return unknown("restrict", &kind);
    };
    let log_alpha = item::<f64>(dict, "alpha")?.ln();
    Ok((learner, LocalOptions { log_alpha, max_conditioning_size: item(dict, "max_conditioning_size")? }))
}

fn v_structures(dict: &Bound<'_, PyDict>) -> PyResult<VStructureRule> {
    Ok(match item::<String>(dict, "v_structures")?.as_str() {
        "separating_sets" => VStructureRule::SeparatingSets,
        "conservative" => decided(dict, ColliderRule::Conservative)?,
        "majority" => decided(dict, ColliderRule::Majority)?,
        "max-p" => decided(dict, ColliderRule::MaxP)?,
        "testing" => VStructureRule::Testing {
            log_alpha: item::<f64>(dict, "alpha")?.ln(),
            max_conditioning_size: item(dict, "max_conditioning_size")?,
        },
        other => return unknown("v_structures", other),
    })
}

fn decided(dict: &Bound<'_, PyDict>, rule: ColliderRule) -> PyResult<VStructureRule> {
    Ok(VStructureRule::Decided { rule, max_conditioning_size: item(dict, "max_conditioning_size")? })
}

fn initialise(dict: &Bound<'_, PyDict>, n_variables: usize) -> PyResult<Initialise> {
    Ok(match kind(dict)?.as_str() {
        "empty" => Initialise::Empty,
        "oriented" => Initialise::Oriented(v_structures(dict)?),
        "hgi" => Initialise::HybridGreedy(v_structures(dict)?),
        "given" => Initialise::Given(Dag::from_arcs(n_variables, item::<Vec<_>>(dict, "arcs")?)?),
        other => return unknown("initialise", other),
    })
}

fn search(dict: &Bound<'_, PyDict>, phase: Phase) -> PyResult<SearchOptions> {
    let tabu: Option<(usize, usize)> = item(dict, "tabu")?;
    let restarts: Option<(usize, usize, u64)> = item(dict, "restarts")?;
    Ok(SearchOptions {
        tabu: tabu.map(|(length, patience)| Tabu { length, patience }),
        ties: ties(&item::<String>(dict, "ties")?)?,
        restarts: restarts.map(|(count, perturbations, seed)| Restarts { count, perturbations, seed }),
        max_parents: item(dict, "max_parents")?,
        max_iterations: item(dict, "max_iterations")?,
        phase,
    })
}

fn ties(rule: &str) -> PyResult<TieRule> {
    Ok(match rule {
        "lookahead" => TieRule::Lookahead,
        "association" => TieRule::Association,
        "columns" => TieRule::Columns,
        other => return unknown("ties", other),
    })
}

fn order(dict: &Bound<'_, PyDict>, phase: Phase) -> PyResult<BossOptions> {
    Ok(BossOptions {
        max_parents: item(dict, "max_parents")?,
        growing: item(dict, "growing")?,
        backward: item(dict, "backward")?,
        phase,
    })
}

fn equivalence(dict: &Bound<'_, PyDict>) -> PyResult<Equivalence> {
    let schedule = match item::<String>(dict, "schedule")?.as_str() {
        "phases" => Schedule::Phases,
        "rounds" => Schedule::Rounds,
        "interleaved" => Schedule::Interleaved,
        "extended" => Schedule::Extended,
        other => return unknown("schedule", other),
    };
    let adaptive = match item::<String>(dict, "adaptive")?.as_str() {
        "no" => Adaptive::No,
        "skeleton" => Adaptive::Skeleton,
        "cig" => Adaptive::Cig,
        other => return unknown("adaptive", other),
    };
    Ok(Equivalence {
        forward: item(dict, "forward")?,
        backward: item(dict, "backward")?,
        turning: item(dict, "turning")?,
        schedule,
        adaptive,
        max_parents: item(dict, "max_parents")?,
    })
}

fn maximise(dict: &Bound<'_, PyDict>) -> PyResult<Maximise> {
    Ok(match kind(dict)?.as_str() {
        "none" => Maximise::None,
        "hill-climbing" => Maximise::HillClimb(search(dict, Phase::Search)?),
        "ges" => Maximise::Ges(equivalence(dict)?),
        "boss" => Maximise::Boss(order(dict, Phase::Search)?),
        other => return unknown("maximise", other),
    })
}

fn refinement(dict: &Bound<'_, PyDict>) -> PyResult<Refine> {
    Ok(match kind(dict)?.as_str() {
        "free" => Refine::Free(search(dict, Phase::Refine)?),
        "growing" => Refine::Growing(search(dict, Phase::Refine)?),
        "ges" => Refine::Ges(equivalence(dict)?),
        "boss" => Refine::Boss(order(dict, Phase::Refine)?),
        other => return unknown("refine", other),
    })
}

/// Background knowledge: `required` arcs, `required_edges`, `forbidden` arcs and `tiers` (a list with `None` for
/// variables in no tier, or empty), and `isolated` variables; `None` for none.
pub(super) fn knowledge(dict: Option<&Bound<'_, PyDict>>, n_variables: usize) -> PyResult<Knowledge> {
    type Arcs = Vec<(Variable, Variable)>;
    let Some(dict) = dict else { return Ok(Knowledge::none()) };
    let made: Result<Knowledge> = Knowledge::new(
        n_variables,
        item::<Arcs>(dict, "required")?,
        item::<Arcs>(dict, "required_edges")?,
        item::<Arcs>(dict, "forbidden")?,
        item(dict, "tiers")?,
    );
    Ok(made?.with_isolated(n_variables, item::<Vec<Variable>>(dict, "isolated")?)?)
}
