//! Deterministic relations between columns of state codes: copies, and columns that another one determines.

use std::hash::{Hash, Hasher};

use rustc_hash::{FxHashMap, FxHasher};

use super::{Codes, CodesView};
use crate::run::Run;
use crate::{Result, Variable};

/// Rows of the sample that refutes most relations: those of one column are 16 words of bits.
const SAMPLE: usize = 1024 + 1;

/// Groups of columns with the same codes in all rows, of two columns or more, each by increasing index; `left_out` says
/// which columns are not looked at.
///
/// Where states are numbered by first appearance these are the columns that are the same partition of the rows.
///
/// # Examples
///
/// ```
/// use phgs::data::{Codes, copies};
/// let columns = [vec![0, 1, 0], vec![0, 1, 1], vec![0, 1, 0]].map(Codes::Narrow);
/// assert_eq!(copies(&columns, |_| false), [[0, 2]]);
/// ```
pub fn copies(columns: &[Codes], left_out: impl Fn(Variable) -> bool) -> Vec<Vec<Variable>> {
    let mut groups: Vec<Vec<Variable>> = Vec::new();
    // Hashes first, so that few columns are compared.
    let mut of_hash: FxHashMap<u64, Vec<usize>> = FxHashMap::default();
    for (x, codes) in columns.iter().enumerate() {
        if left_out(x as Variable) {
            continue;
        }
        let mut hasher = FxHasher::default();
        match codes.view() {
            CodesView::Narrow(codes) => hasher.write(codes),
            CodesView::Wide(codes) => codes.hash(&mut hasher),
            CodesView::Packed(codes) => hasher.write(&codes.to_bytes()),
        }
        let alike = of_hash.entry(hasher.finish()).or_default();
        match alike.iter().find(|&&group| columns[groups[group][0] as usize] == *codes) {
            Some(&group) => groups[group].push(x as Variable),
            None => {
                alike.push(groups.len());
                groups.push(vec![x as Variable]);
            }
        }
    }
    groups.retain(|group| group.len() > 1);
    groups
}

/// Pairs (x, y) of different columns among `variables` such that x has one code wherever y has one code: y determines x.
/// By the order of y in `variables`, then of x.
///
/// # Examples
///
/// ```
/// use phgs::data::{Codes, determined};
/// let columns = [vec![0, 1, 2, 1], vec![0, 1, 0, 1]].map(Codes::Narrow);
/// assert_eq!(determined(&columns, &[0, 1]), [(1, 0)]);
/// ```
pub fn determined(columns: &[Codes], variables: &[Variable]) -> Vec<(Variable, Variable)> {
    determined_within(columns, variables, &Run::unlimited()).expect("nobody cancels it")
}

/// [`determined`] for many columns, of which each may nearly determine each.
///
/// # Errors
///
/// [`crate::Error::Interrupted`] when the run is cancelled.
pub fn determined_within(columns: &[Codes], variables: &[Variable], run: &Run) -> Result<Vec<(Variable, Variable)>> {
    let samples: Vec<Sample> = variables.iter().map(|&x| Sample::of(&columns[x as usize])).collect();
    let mut value = Values::default();
    let mut found = Vec::new();
    for (&y, by) in variables.iter().zip(&samples) {
        for (&x, of) in variables.iter().zip(&samples) {
            if x == y || by.refutes_at_once(of) {
                continue;
            }
            run.check()?;
            value.forget();
            let holds = value.agree(by.codes.iter().copied().zip(of.codes.iter().copied()))
                && value.agree_on(&columns[y as usize], &columns[x as usize]);
            if holds {
                found.push((x, y));
            }
        }
    }
    Ok(found)
}

/// Some rows of a column, evenly spread.
struct Sample {
    codes: Vec<u16>,
    /// One bit for each row but the first: whether the code is that of the row before.
    same: Vec<u64>,
}

impl Sample {
    fn of(column: &Codes) -> Self {
        let size = column.len().min(SAMPLE);
        let last = column.len().saturating_sub(1);
        // Codes are below 65,535.
        let codes: Vec<u16> = (0..size).map(|i| column.get(i * last / (size - 1).max(1)) as u16).collect();
        let pairs: Vec<bool> = codes.windows(2).map(|pair| pair[0] == pair[1]).collect();
        let word = |bits: &[bool]| bits.iter().rev().fold(0u64, |word, &bit| word << 1 | u64::from(bit));
        let same = pairs.chunks(64).map(word).collect();
        Self { codes, same }
    }

    /// Whether two rows that follow each other in the sample have one code of this column and two of another.
    fn refutes_at_once(&self, other: &Self) -> bool {
        self.same.iter().zip(&other.same).any(|(by, of)| by & !of != 0)
    }
}

/// For each code of one column the code of another that it goes with.
#[derive(Default)]
struct Values {
    of: Vec<(u32, u16)>,
    round: u32,
}

impl Values {
    fn forget(&mut self) {
        self.round = self.round.wrapping_add(1);
        if self.round == 0 {
            self.of.clear();
            self.round = 1;
        }
    }

    /// Whether every code of the first goes with one code of the second, here and in what came since `forget`.
    fn agree(&mut self, mut pairs: impl Iterator<Item = (u16, u16)>) -> bool {
        pairs.all(|(by, of)| {
            let at = usize::from(by);
            if at >= self.of.len() {
                self.of.resize(at + 1, (0, 0));
            }
            let (round, value) = &mut self.of[at];
            if *round == self.round {
                return *value == of;
            }
            (*round, *value) = (self.round, of);
            true
        })
    }

    fn agree_on(&mut self, by: &Codes, of: &Codes) -> bool {
        let narrow = |codes: &u8| u16::from(*codes);
        let (by, of) = (by.unpacked(), of.unpacked());
        match (by.view(), of.view()) {
            (CodesView::Narrow(by), CodesView::Narrow(of)) => {
                self.agree(by.iter().map(narrow).zip(of.iter().map(narrow)))
            }
            (CodesView::Narrow(by), CodesView::Wide(of)) => self.agree(by.iter().map(narrow).zip(of.iter().copied())),
            (CodesView::Wide(by), CodesView::Narrow(of)) => self.agree(by.iter().copied().zip(of.iter().map(narrow))),
            (CodesView::Wide(by), CodesView::Wide(of)) => self.agree(by.iter().copied().zip(of.iter().copied())),
            _ => unreachable!("both are unpacked"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn columns(n_rows: usize) -> Vec<Codes> {
        let of = |f: &dyn Fn(usize) -> usize| -> Vec<usize> { (0..n_rows).map(f).collect() };
        let noise = of(&|row| ((row as u32).wrapping_mul(2_654_435_761) >> 29) as usize);
        let many = of(&|row| row % 300);
        let narrow = |codes: &[usize]| Codes::Narrow(codes.iter().map(|&code| code as u8).collect());
        let half: Vec<usize> = noise.iter().map(|&code| code / 2).collect();
        // Refuted by the last row alone.
        let mut nearly = half.clone();
        nearly[n_rows - 1] = 9;
        vec![
            narrow(&noise),
            narrow(&half),
            narrow(&nearly),
            Codes::Wide(many.iter().map(|&code| code as u16).collect()),
            narrow(&many.iter().map(|&code| code / 100).collect::<Vec<_>>()),
            narrow(&vec![0; n_rows]),
        ]
    }

    /// The definition: no two rows with one code of y and two of x.
    fn by_definition(columns: &[Codes], variables: &[Variable]) -> Vec<(Variable, Variable)> {
        let mut found = Vec::new();
        for &y in variables {
            for &x in variables.iter().filter(|&&x| x != y) {
                let (x_codes, y_codes) = (&columns[x as usize], &columns[y as usize]);
                let mut value = std::collections::HashMap::new();
                if (0..x_codes.len()).all(|i| *value.entry(y_codes.get(i)).or_insert(x_codes.get(i)) == x_codes.get(i))
                {
                    found.push((x, y));
                }
            }
        }
        found
    }

    #[test]
    fn what_determines_what_is_found_as_defined() {
        for n_rows in [1, 2, 63, 700, 1025, 1026, 5000] {
            let columns = columns(n_rows);
            let all: Vec<Variable> = (0..columns.len() as Variable).collect();
            assert_eq!(determined(&columns, &all), by_definition(&columns, &all), "{n_rows} rows");
            assert_eq!(determined(&columns, &[4, 3]), by_definition(&columns, &[4, 3]));
        }
        assert_eq!(determined(&columns(5000), &[0, 1, 2, 3, 4]), [(1, 0), (1, 2), (4, 3)]);
    }

    #[test]
    fn copies_are_grouped() {
        let mut columns = columns(1000);
        columns.extend_from_within(..4);
        columns.push(columns[0].clone());
        assert_eq!(copies(&columns, |_| false), [vec![0, 6, 10], vec![1, 7], vec![2, 8], vec![3, 9]]);
        assert_eq!(copies(&columns, |x| x == 0 || x == 7), [vec![2, 8], vec![3, 9], vec![6, 10]]);
        assert!(copies(&columns[..6], |_| false).is_empty());
    }
}
