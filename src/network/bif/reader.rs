//! From text to a network.

use rustc_hash::FxHashMap;

use super::hint::hint;
use super::rows::{Rows, Settled};
use super::tokens::{Token, Tokens, shown};
use super::{BifOptions, Repair};
use crate::network::bayesian_network::first_repeated;
use crate::network::{BayesianNetwork, Node};
use crate::run::Run;
use crate::{Error, Result, Variable};

/// Parses a BIF file.
pub(in crate::network) fn read(
    text: &str,
    options: &BifOptions,
    run: Option<&Run>,
) -> Result<(BayesianNetwork, Vec<Repair>)> {
    let (name, mut variables) = declarations(text, run)?;
    let index: FxHashMap<String, Variable> =
        variables.iter().enumerate().map(|(i, node)| (node.name.clone(), i as Variable)).collect();
    let mut tables: Vec<Option<usize>> = vec![None; variables.len()];
    let mut entries_left = options.max_entries;
    let mut repairs = Vec::new();
    let mut tokens = Tokens::new(text, run);
    loop {
        match tokens.next()? {
            Token::End => break,
            Token::Word(word) if word == "probability" => {
                let begin = tokens.start;
                let child = Family::parse(&mut tokens, &index, &variables)?;
                if tables[child.child as usize].replace(begin).is_some() {
                    let name = &variables[child.child as usize].name;
                    return Err(tokens.error_at(begin, format!("'{name}' has a second probability block")));
                }
                let mut repair = Repair { variable: child.child, scaled: 0, unseen: 0 };
                let mut rows = Rows { options, entries_left: &mut entries_left, repair: &mut repair };
                let probabilities = child.table(&mut tokens, &variables, &mut rows)?;
                if repair.scaled + repair.unseen > 0 {
                    repairs.push(repair);
                }
                let node = &mut variables[child.child as usize];
                node.parents = child.parents;
                node.probabilities = probabilities;
            }
            Token::Word(_) => tokens.skip_block()?,
            other => return Err(tokens.error(format!("expected a block, found {other}"))),
        }
    }
    let end = text.trim_end().len();
    if let Some(node) = variables.iter().zip(&tables).find_map(|(node, table)| table.is_none().then_some(node)) {
        let problem = format!("'{}' has no probability block: the file is truncated or incomplete", node.name);
        return Err(tokens.error_at(end, problem));
    }
    let network = BayesianNetwork::new(name, variables).map_err(|error| match error {
        // The only thing that the blocks do not show by themselves; point to the last block that takes part.
        Error::Graph(problem) => tokens.error_at(tables.iter().flatten().max().copied().unwrap_or(end), problem),
        other => other,
    })?;
    Ok((network, repairs))
}

/// First pass: the network's name and its variables with their states.
fn declarations(text: &str, run: Option<&Run>) -> Result<(String, Vec<Node>)> {
    let mut tokens = Tokens::new(text, run);
    let mut name = String::new();
    let mut nodes: Vec<Node> = Vec::new();
    let mut seen: FxHashMap<String, ()> = FxHashMap::default();
    loop {
        match tokens.next()? {
            Token::End => break,
            Token::Word(word) => match &*word {
                "network" => {
                    let mut ahead = tokens.clone();
                    if let Token::Word(word) = ahead.next()? {
                        // Files of the repositories say this where there is no name.
                        name = if word == "unknown" && !ahead.is_quoted() { String::new() } else { word.into_owned() };
                    }
                    tokens.skip_block()?;
                }
                "variable" => {
                    let (at, node) = variable(&mut tokens)?;
                    if seen.insert(node.name.clone(), ()).is_some() {
                        return Err(tokens.error_at(at, format!("variable '{}' is declared a second time", node.name)));
                    }
                    nodes.push(node);
                }
                "probability" => tokens.skip_block()?,
                other => {
                    let problem = format!("expected 'network', 'variable' or 'probability', found '{}'", shown(other));
                    return Err(tokens.error(problem));
                }
            },
            other => return Err(tokens.error(format!("expected a block, found {other}"))),
        }
    }
    if nodes.is_empty() {
        return Err(tokens.error("no variable is declared: this is not a BIF file"));
    }
    Ok((name, nodes))
}

/// `NAME { type discrete [ 2 ] { yes, no }; property …; }`
fn variable(tokens: &mut Tokens<'_>) -> Result<(usize, Node)> {
    let name = tokens.word("the name of a variable")?.into_owned();
    let begin = tokens.start;
    let mut states: Vec<String> = Vec::new();
    tokens.expect('{')?;
    loop {
        match tokens.next()? {
            Token::Mark('}') => break,
            Token::Word(word) if word == "property" => tokens.skip_statement()?,
            Token::Word(word) if word == "type" => {
                let kind = tokens.word("'discrete'")?;
                if kind != "discrete" {
                    return Err(tokens.error(format!("'{name}' is {kind}; only discrete variables are supported")));
                }
                tokens.expect('[')?;
                let declared: usize = match tokens.word("the number of states")?.parse() {
                    Ok(declared) => declared,
                    Err(_) => return Err(tokens.error(format!("the number of states of '{name}' is not a number"))),
                };
                tokens.expect(']')?;
                tokens.expect('{')?;
                let list_begin = tokens.start;
                states = list(tokens, '}', |_, word| Ok(word.into_owned()))?;
                if let Some(state) = first_repeated(states.iter().map(String::as_str)) {
                    return Err(tokens.error_at(list_begin, format!("'{name}' has two states named '{state}'")));
                }
                if states.len() != declared {
                    let problem = format!("'{name}' declares {declared} states and lists {}", states.len());
                    return Err(tokens.error(problem));
                }
                tokens.expect(';')?;
            }
            other => return Err(tokens.error(format!("expected 'type', 'property' or '}}', found {other}"))),
        }
    }
    if states.is_empty() {
        return Err(tokens.error_at(begin, format!("'{name}' has no states")));
    }
    Ok((begin, Node { name, states, ..Node::default() }))
}

/// Words up to a closing mark, with or without commas between them.
fn list<'t, T>(
    tokens: &mut Tokens<'t>,
    close: char,
    mut take: impl FnMut(&Tokens<'t>, std::borrow::Cow<'t, str>) -> Result<T>,
) -> Result<Vec<T>> {
    let begin = tokens.start;
    let mut items = Vec::new();
    loop {
        match tokens.next()? {
            Token::Mark(mark) if mark == close => return Ok(items),
            Token::Mark(',') => {}
            Token::Word(word) => items.push(take(tokens, word)?),
            Token::End => return Err(tokens.error_at(begin, format!("a '{close}' is missing: the file is truncated"))),
            other => return Err(tokens.error(format!("expected ',' or '{close}', found {other}"))),
        }
    }
}

/// The head of a probability block.
struct Family {
    child: Variable,
    parents: Vec<Variable>,
    begin: usize,
}

impl Family {
    /// `( child | parent, … )`
    fn parse(tokens: &mut Tokens<'_>, index: &FxHashMap<String, Variable>, nodes: &[Node]) -> Result<Self> {
        let begin = tokens.start;
        tokens.expect('(')?;
        let mut family: Vec<Variable> = Vec::new();
        loop {
            match tokens.next()? {
                Token::Mark(')') => break,
                Token::Mark('|' | ',') => {}
                Token::Word(word) => {
                    let Some(&x) = index.get(&*word) else {
                        let names = nodes.iter().map(|node| node.name.as_str());
                        return Err(tokens.error(format!(
                            "variable '{}' is not declared{}",
                            shown(&word),
                            hint(&word, names)
                        )));
                    };
                    if family.contains(&x) {
                        return Err(tokens.error(format!("'{}' is listed twice", shown(&word))));
                    }
                    family.push(x);
                }
                other => return Err(tokens.error(format!("expected a variable or ')', found {other}"))),
            }
        }
        let mut family = family.into_iter();
        match family.next() {
            Some(child) => Ok(Self { child, parents: family.collect(), begin }),
            None => Err(tokens.error("the probability block names no variable")),
        }
    }

    /// `{ (state, …) p, …; default p, …; table p, …; property …; }`
    fn table(&self, tokens: &mut Tokens<'_>, nodes: &[Node], rows: &mut Rows<'_>) -> Result<Vec<f64>> {
        let node = &nodes[self.child as usize];
        let arity = node.arity();
        let configurations =
            self.parents.iter().fold(1usize, |size, &parent| size.saturating_mul(nodes[parent as usize].arity()));
        let size = configurations.saturating_mul(arity);
        let mut table: Vec<f64> =
            rows.reserve(size, &node.name).map_err(|problem| tokens.error_at(self.begin, problem))?;
        table.resize(size, 0.0);
        let mut filled = vec![false; configurations];
        let mut default: Option<(Vec<f64>, Settled)> = None;
        tokens.expect('{')?;
        loop {
            match tokens.next()? {
                Token::Mark('}') => break,
                Token::Mark('(') => {
                    let begin = tokens.start;
                    let configuration = self.configuration(tokens, nodes)?;
                    if std::mem::replace(&mut filled[configuration], true) {
                        return Err(tokens.error_at(begin, format!("this row of '{}' is given twice", node.name)));
                    }
                    let mut row = numbers(tokens, arity)?;
                    let settled = rows.settle(&mut row).map_err(|problem| tokens.error_at(begin, problem))?;
                    rows.count(settled, 1);
                    table[configuration * arity..][..arity].copy_from_slice(&row);
                }
                Token::Word(word) if word == "property" => tokens.skip_statement()?,
                Token::Word(word) if word == "default" => {
                    let begin = tokens.start;
                    let mut row = numbers(tokens, arity)?;
                    let settled = rows.settle(&mut row).map_err(|problem| tokens.error_at(begin, problem))?;
                    if default.replace((row, settled)).is_some() {
                        return Err(tokens.error_at(begin, format!("'{}' has a second default", node.name)));
                    }
                }
                Token::Word(word) if word == "table" => {
                    let begin = tokens.start;
                    let values = numbers(tokens, table.len())?;
                    if filled.contains(&true) {
                        return Err(tokens.error_at(begin, format!("rows of '{}' are given twice", node.name)));
                    }
                    for configuration in 0..configurations {
                        for state in 0..arity {
                            table[configuration * arity + state] = values[state * configurations + configuration];
                        }
                        let settled = rows
                            .settle(&mut table[configuration * arity..][..arity])
                            .map_err(|problem| tokens.error_at(begin, problem))?;
                        rows.count(settled, 1);
                    }
                    filled.fill(true);
                }
                Token::End => {
                    let problem = format!("the block of '{}' is never closed: the file is truncated", node.name);
                    return Err(tokens.error_at(self.begin, problem));
                }
                other => return Err(tokens.error(format!("expected a row, 'table' or '}}', found {other}"))),
            }
        }
        if let Some(missing) = filled.iter().position(|&filled| !filled) {
            let Some((default, settled)) = default else {
                let labels = self.labels(missing, nodes);
                let problem = format!("'{}' has no row for ({labels}) and no default", node.name);
                return Err(tokens.error_at(self.begin, problem));
            };
            for (row, _) in table.chunks_exact_mut(arity).zip(&filled).filter(|(_, filled)| !**filled) {
                row.copy_from_slice(&default);
            }
            rows.count(settled, filled.iter().filter(|&&filled| !filled).count());
        }
        Ok(table)
    }

    /// `state, … )`: the number of the configuration.
    fn configuration(&self, tokens: &mut Tokens<'_>, nodes: &[Node]) -> Result<usize> {
        let name = &nodes[self.child as usize].name;
        let mut parents = self.parents.iter();
        let codes = list(tokens, ')', |tokens, word| {
            let Some(&parent) = parents.next() else {
                let problem = format!("'{name}' has {} parents, this row has more states", self.parents.len());
                return Err(tokens.error(problem));
            };
            let parent = &nodes[parent as usize];
            match parent.states.iter().position(|state| *state == word) {
                Some(code) => Ok((code, parent.arity())),
                None => {
                    let states = parent.states.iter().map(String::as_str);
                    Err(tokens.error(format!(
                        "'{}' has no state '{}'{}",
                        parent.name,
                        shown(&word),
                        hint(&word, states)
                    )))
                }
            }
        })?;
        if codes.len() < self.parents.len() {
            let problem = format!("'{name}' has {} parents, this row has {} states", self.parents.len(), codes.len());
            return Err(tokens.error(problem));
        }
        Ok(codes.iter().fold(0, |configuration, &(code, arity)| configuration * arity + code))
    }

    fn labels(&self, mut configuration: usize, nodes: &[Node]) -> String {
        let mut labels: Vec<&str> = Vec::new();
        for &parent in self.parents.iter().rev() {
            let states = &nodes[parent as usize].states;
            labels.push(&states[configuration % states.len()]);
            configuration /= states.len();
        }
        labels.reverse();
        labels.join(", ")
    }
}

/// `p, … ;`: exactly `count` numbers, none of them infinite; NaN is for the caller to judge.
fn numbers(tokens: &mut Tokens<'_>, count: usize) -> Result<Vec<f64>> {
    let values = list(tokens, ';', |tokens, word| match word.parse::<f64>() {
        Ok(value) if !value.is_infinite() => Ok(value),
        _ => Err(tokens.error(format!("'{}' is not a number", shown(&word)))),
    })?;
    if values.len() == count {
        Ok(values)
    } else {
        Err(tokens.error(format!("{} numbers where {count} are needed", values.len())))
    }
}
