//! Columns of state codes.

use std::borrow::Cow;
use std::sync::Arc;

use super::shape::{check_arity, check_size};
use super::{PackedCodes, Shape};
use crate::{Error, Result, Variable};

/// The state codes of one column, as narrow as its number of states allows.
#[derive(Debug, Clone)]
pub enum Codes {
    /// At most 256 states.
    Narrow(Vec<u8>),
    /// At most 65,535 states.
    Wide(Vec<u16>),
    /// At most 256 states, in memory that others hold too.
    Shared(SharedCodes),
    /// At most 32 states, a bit for each but the first.
    Packed(PackedCodes),
}

/// Codes of at most 256 states in memory of any owner, which is let go of with the last copy of these.
#[derive(Clone)]
pub struct SharedCodes(Arc<dyn AsRef<[u8]> + Send + Sync>);

impl SharedCodes {
    /// The codes that an owner holds. They must never change.
    pub fn new(owner: impl AsRef<[u8]> + Send + Sync + 'static) -> Self {
        Self(Arc::new(owner))
    }
}

impl std::fmt::Debug for SharedCodes {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.as_ref().as_ref().fmt(f)
    }
}

/// The codes of a column as they lie in memory.
#[derive(Debug, Clone, Copy)]
pub enum CodesView<'a> {
    /// At most 256 states.
    Narrow(&'a [u8]),
    /// At most 65,535 states.
    Wide(&'a [u16]),
    /// At most 32 states, a bit for each but the first.
    Packed(&'a PackedCodes),
}

impl CodesView<'_> {
    /// The code of a row.
    #[inline]
    pub fn get(self, row: usize) -> u32 {
        match self {
            Self::Narrow(codes) => u32::from(codes[row]),
            Self::Wide(codes) => u32::from(codes[row]),
            Self::Packed(codes) => codes.get(row),
        }
    }
}

/// An expression of the codes of a column, whichever integers these are. Packed codes are unpacked for it.
macro_rules! with_codes {
    ($column:expr, |$codes:ident| $body:expr) => {
        match $column.view() {
            $crate::data::CodesView::Narrow($codes) => $body,
            $crate::data::CodesView::Wide($codes) => $body,
            $crate::data::CodesView::Packed(packed) => {
                let unpacked = packed.to_bytes();
                let $codes = unpacked.as_slice();
                $body
            }
        }
    };
}
pub(crate) use with_codes;

/// The same of some consecutive rows, at most 1,024.
macro_rules! with_codes_of_rows {
    ($column:expr, $rows:expr, |$codes:ident| $body:expr) => {
        match $column.view() {
            $crate::data::CodesView::Narrow(codes) => {
                let $codes = &codes[$rows];
                $body
            }
            $crate::data::CodesView::Wide(codes) => {
                let $codes = &codes[$rows];
                $body
            }
            $crate::data::CodesView::Packed(packed) => {
                let (rows, mut unpacked) = ($rows, [0u8; 1024]);
                let $codes = &mut unpacked[..rows.len()];
                packed.read(rows, $codes);
                let $codes = &*$codes;
                $body
            }
        }
    };
}
pub(crate) use with_codes_of_rows;

impl Codes {
    /// The codes as they lie in memory: look at them once, where those of many rows are wanted.
    pub fn view(&self) -> CodesView<'_> {
        match self {
            Self::Narrow(codes) => CodesView::Narrow(codes),
            Self::Wide(codes) => CodesView::Wide(codes),
            Self::Shared(codes) => CodesView::Narrow(codes.0.as_ref().as_ref()),
            Self::Packed(codes) => CodesView::Packed(codes),
        }
    }

    /// The same codes with an integer for each row, where many are looked at that do not follow each other.
    pub(crate) fn unpacked(&self) -> Cow<'_, Self> {
        match self {
            Self::Packed(codes) => Cow::Owned(Self::Narrow(codes.to_bytes())),
            _ => Cow::Borrowed(self),
        }
    }

    /// The code of a row.
    pub fn get(&self, row: usize) -> u32 {
        self.view().get(row)
    }

    /// Sets the code of a row, which must be one that the integers hold. Shared and packed codes are copied first.
    pub(crate) fn set(&mut self, row: usize, code: u32) {
        match self {
            Self::Narrow(codes) => codes[row] = code as u8,
            Self::Wide(codes) => codes[row] = code as u16,
            Self::Shared(shared) => {
                *self = Self::Narrow(shared.0.as_ref().as_ref().to_vec());
                self.set(row, code);
            }
            Self::Packed(packed) => {
                *self = Self::Narrow(packed.to_bytes());
                self.set(row, code);
            }
        }
    }

    /// The codes of some rows.
    pub(crate) fn of_rows(&self, rows: &[usize]) -> Self {
        match self.view() {
            CodesView::Narrow(codes) => Self::Narrow(rows.iter().map(|&row| codes[row]).collect()),
            CodesView::Wide(codes) => Self::Wide(rows.iter().map(|&row| codes[row]).collect()),
            CodesView::Packed(codes) => Self::Narrow(rows.iter().map(|&row| codes.get(row) as u8).collect()),
        }
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        match self.view() {
            CodesView::Narrow(codes) => codes.len(),
            CodesView::Wide(codes) => codes.len(),
            CodesView::Packed(codes) => codes.n_rows(),
        }
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl From<PackedCodes> for Codes {
    fn from(codes: PackedCodes) -> Self {
        Self::Packed(codes)
    }
}

impl PartialEq for Codes {
    fn eq(&self, other: &Self) -> bool {
        match (self.unpacked().view(), other.unpacked().view()) {
            (CodesView::Narrow(a), CodesView::Narrow(b)) => a == b,
            (CodesView::Wide(a), CodesView::Wide(b)) => a == b,
            _ => false,
        }
    }
}

impl Eq for Codes {}

/// A table of categorical variables: `n_rows` rows of state codes `0..arity` for each variable.
///
/// # Examples
///
/// ```
/// use phgs::data::DiscreteData;
/// let data = DiscreteData::from_columns(vec![vec![0, 1, 1], vec![2, 0, 1]])?;
/// assert_eq!((data.n_rows(), data.n_variables(), data.arity(1)), (3, 2, 3));
/// # Ok::<(), phgs::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DiscreteData {
    shape: Shape,
    columns: Vec<Codes>,
}

/// The most states a variable may have.
pub const MAX_ARITY: u32 = 65_535;

impl DiscreteData {
    /// Builds the table from columns of codes; the arity of a column is its largest code plus one.
    ///
    /// # Errors
    ///
    /// [`Error::Data`] when columns differ in length, there are no rows or a code is too large.
    pub fn from_columns(columns: Vec<Vec<u32>>) -> Result<Self> {
        let arities = columns.iter().map(|c| c.iter().max().map_or(1, |m| m.saturating_add(1))).collect();
        let columns = columns
            .into_iter()
            .zip(&arities)
            .map(|(codes, &arity): (Vec<u32>, &u32)| narrow(&codes, arity))
            .collect::<Vec<_>>();
        Self::new(columns, arities)
    }

    /// Builds the table from codes that are already narrow.
    ///
    /// # Errors
    ///
    /// [`Error::Data`] when columns differ in length, there are no rows, or a code is not below its arity.
    pub fn new(columns: Vec<Codes>, arities: Vec<u32>) -> Result<Self> {
        let n_rows = check_columns(&columns, &arities, |largest, arity| largest < arity)?;
        Ok(Self { shape: Shape::of(n_rows, arities), columns })
    }

    /// Number of rows and of states.
    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    /// Number of rows.
    pub fn n_rows(&self) -> usize {
        self.shape.n_rows()
    }

    /// Number of variables.
    pub fn n_variables(&self) -> usize {
        self.columns.len()
    }

    /// Number of states of a variable.
    pub fn arity(&self, variable: Variable) -> u32 {
        self.shape.arity(variable)
    }

    /// Number of states of every variable.
    pub fn arities(&self) -> &[u32] {
        self.shape.arities()
    }

    /// The table of some of the variables, in this order.
    pub fn select(&self, variables: &[Variable]) -> Self {
        let arities = variables.iter().map(|&v| self.arity(v)).collect();
        let columns = variables.iter().map(|&v| self.column(v).clone()).collect();
        Self { shape: Shape::of(self.n_rows(), arities), columns }
    }

    /// The codes of all variables.
    pub fn columns(&self) -> &[Codes] {
        &self.columns
    }

    /// The codes of a variable.
    pub fn column(&self, variable: Variable) -> &Codes {
        &self.columns[variable as usize]
    }
}

/// The number of rows of columns that make a table; `fits` says whether a largest code goes with an arity.
pub(super) fn check_columns(columns: &[Codes], arities: &[u32], fits: impl Fn(u32, u32) -> bool) -> Result<usize> {
    let n_rows = columns.first().map_or(0, Codes::len);
    check_size(n_rows, columns.len())?;
    if columns.len() != arities.len() {
        return Err(Error::Data("every column needs an arity".into()));
    }
    for (index, (codes, &arity)) in columns.iter().zip(arities).enumerate() {
        if codes.len() != n_rows {
            return Err(Error::Data(format!("column {index} has {} rows, column 0 has {n_rows}", codes.len())));
        }
        check_arity(index, arity)?;
        // Folds of values: these become vector instructions.
        let largest = match codes.view() {
            CodesView::Narrow(codes) => u32::from(codes.iter().fold(0, |largest, &code| code.max(largest))),
            CodesView::Wide(codes) => u32::from(codes.iter().fold(0, |largest, &code| code.max(largest))),
            CodesView::Packed(codes) => codes.largest(),
        };
        if !fits(largest, arity) {
            return Err(Error::Data(format!("column {index} has code {largest} but only {arity} states")));
        }
    }
    Ok(n_rows)
}

fn narrow(codes: &[u32], arity: u32) -> Codes {
    if arity <= 256 {
        Codes::Narrow(codes.iter().map(|&c| c as u8).collect())
    } else {
        Codes::Wide(codes.iter().map(|&c| c as u16).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bad_tables_are_refused() {
        assert!(DiscreteData::from_columns(vec![]).is_err());
        assert!(DiscreteData::from_columns(vec![vec![]]).is_err());
        assert!(DiscreteData::from_columns(vec![vec![0, 1], vec![0]]).is_err());
        assert!(DiscreteData::from_columns(vec![vec![0, 70_000]]).is_err());
        assert!(DiscreteData::new(vec![Codes::Narrow(vec![0, 2])], vec![2]).is_err());
    }

    #[test]
    fn wide_columns_keep_their_codes() {
        let data = DiscreteData::from_columns(vec![(0..1000).collect()]).unwrap();
        assert_eq!(data.arity(0), 1000);
        assert_eq!(data.column(0).get(999), 999);
    }
    #[test]
    fn shared_codes_are_the_same_and_are_copied_when_they_change() {
        let owner: Arc<[u8]> = Arc::from([0u8, 2, 1]);
        let mut shared = Codes::Shared(SharedCodes::new(Arc::clone(&owner)));
        let copy = shared.clone();
        assert_eq!(Arc::strong_count(&owner), 2);
        assert_eq!(shared, Codes::Narrow(vec![0, 2, 1]));
        assert_ne!(shared, Codes::Wide(vec![0, 2, 1]));
        let data = DiscreteData::new(vec![shared.clone(), Codes::Narrow(vec![1, 0, 1])], vec![3, 2]).unwrap();
        assert_eq!(data, DiscreteData::from_columns(vec![vec![0, 2, 1], vec![1, 0, 1]]).unwrap());
        assert!(DiscreteData::new(vec![shared.clone()], vec![2]).is_err());
        shared.set(1, 0);
        assert_eq!((shared, copy), (Codes::Narrow(vec![0, 0, 1]), Codes::Narrow(vec![0, 2, 1])));
        drop(data);
        assert_eq!(Arc::strong_count(&owner), 1);
    }
}
