//! Integers as state codes, numbered in the order in which they first appear.

use rustc_hash::FxHashMap;

use super::{Codes, MAX_ARITY};

/// State codes of a column, in the order in which its values first appear, with the values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Encoded {
    /// The code of each row.
    pub codes: Codes,
    /// The value of each code.
    pub values: Vec<i64>,
}

/// Numbers the values of a column in the order of their first appearance.
///
/// `None` when there are more than [`MAX_ARITY`] of them.
///
/// # Examples
///
/// ```
/// use phgs::data::{Codes, encode};
///
/// let encoded = encode(&[7i64, -1, 7, 3]).expect("few values");
/// assert_eq!(encoded.codes, Codes::Narrow(vec![0, 1, 0, 2]));
/// assert_eq!(encoded.values, [7, -1, 3]);
/// ```
pub fn encode<T: Copy + Ord + Into<i64>>(values: &[T]) -> Option<Encoded> {
    let Some(&first) = values.first() else { return Some(Encoded { codes: Codes::Narrow(vec![]), values: vec![] }) };
    let (low, high) = values.iter().fold((first, first), |(low, high), &value| (low.min(value), high.max(value)));
    let (low, high): (i64, i64) = (low.into(), high.into());
    let span = high.wrapping_sub(low) as u64;
    let mut seen: Vec<i64> = Vec::new();
    let mut codes: Vec<u16> = vec![0; values.len()];
    let full = MAX_ARITY as usize;
    if span < 1 << 20 {
        // Small range: a table, 65,535 (never a code: codes end at 65,534) for values not seen yet.
        let mut table = vec![u16::MAX; span as usize + 1];
        for (code, &value) in codes.iter_mut().zip(values) {
            let value = value.into();
            let slot = &mut table[(value - low) as usize];
            if *slot == u16::MAX {
                if seen.len() == full {
                    return None;
                }
                *slot = seen.len() as u16;
                seen.push(value);
            }
            *code = *slot;
        }
    } else {
        let mut table: FxHashMap<i64, u16> = FxHashMap::default();
        for (code, &value) in codes.iter_mut().zip(values) {
            let value = value.into();
            let next = seen.len();
            *code = *table.entry(value).or_insert(next.min(full) as u16);
            if usize::from(*code) == next {
                if next == full {
                    return None;
                }
                seen.push(value);
            }
        }
    }
    let codes = if seen.len() <= 256 {
        Codes::Narrow(codes.into_iter().map(|c| c as u8).collect())
    } else {
        Codes::Wide(codes)
    };
    Some(Encoded { codes, values: seen })
}

/// [`encode`] for values of one byte, given as the number `as_byte` of each. Mostly these are few small numbers, and blocks
/// of them are coded without looking at each by itself. Returns the codes and the value of each code.
pub fn encode_bytes<T: Copy + Into<i64>>(values: &[T], as_byte: impl Fn(T) -> u8) -> (Vec<u8>, Vec<i64>) {
    /// Rows that are looked at together.
    const BLOCK: usize = 64;
    /// Up to so many values comparing all rows with each is faster than looking the rows up.
    const FEW: usize = 8;
    let (mut code_of, mut is_known) = ([0u8; 256], [false; 256]);
    // All values below this one have codes.
    let mut known_below = 0u8;
    let mut seen: Vec<i64> = Vec::new();
    let mut codes = vec![0u8; values.len()];
    for (codes, values) in codes.chunks_mut(BLOCK).zip(values.chunks(BLOCK)) {
        let largest = values.iter().fold(0, |largest, &value| as_byte(value).max(largest));
        if largest >= known_below {
            for &value in values {
                let at = usize::from(as_byte(value));
                if !is_known[at] {
                    (code_of[at], is_known[at]) = (seen.len() as u8, true);
                    seen.push(value.into());
                }
            }
            known_below = is_known.iter().take(255).take_while(|&&known| known).count() as u8;
        }
        if usize::from(known_below) == seen.len() && seen.len() <= FEW {
            for (value, &code_of) in code_of[..seen.len()].iter().enumerate() {
                for (code, &of) in codes.iter_mut().zip(values) {
                    *code |= if as_byte(of) == value as u8 { code_of } else { 0 };
                }
            }
        } else {
            for (code, &value) in codes.iter_mut().zip(values) {
                *code = code_of[usize::from(as_byte(value))];
            }
        }
    }
    (codes, seen)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn codes(values: &[i64]) -> Option<(Vec<u32>, Vec<i64>)> {
        encode(values).map(|e| ((0..e.codes.len()).map(|i| e.codes.get(i)).collect(), e.values))
    }

    #[test]
    fn codes_follow_first_appearance() {
        assert_eq!(codes(&[7, -1, 7, 3]), Some((vec![0, 1, 0, 2], vec![7, -1, 3])));
        assert_eq!(codes(&[i64::MAX, i64::MIN, i64::MAX]), Some((vec![0, 1, 0], vec![i64::MAX, i64::MIN])));
        assert_eq!(codes(&[]), Some((vec![], vec![])));
    }

    #[test]
    fn bytes_are_numbered_like_other_integers() {
        for values in [
            vec![],
            vec![5u8, 0, 5, 255],
            [vec![1; 100], vec![7], vec![1; 100]].concat(),
            (0..1000u32).map(|i| (i * 7919 % 256) as u8).collect(),
        ] {
            let (bytes, seen) = encode_bytes(&values, |value| value);
            let wide: Vec<i64> = values.iter().copied().map(i64::from).collect();
            assert_eq!(codes(&wide), Some((bytes.into_iter().map(u32::from).collect(), seen)));
            let signed: Vec<i8> = values.iter().map(|&value| value as i8).collect();
            let (bytes, seen) = encode_bytes(&signed, |value| value as u8);
            let wide: Vec<i64> = signed.iter().copied().map(i64::from).collect();
            assert_eq!(codes(&wide), Some((bytes.into_iter().map(u32::from).collect(), seen)));
        }
    }

    #[test]
    fn too_many_values_are_refused_by_table_and_by_hash() {
        for step in [1, 1000] {
            let fits: Vec<i64> = (0..65_535).map(|i| i * step).collect();
            assert_eq!(codes(&fits).unwrap().1.len(), 65_535);
            let over: Vec<i64> = (0..65_536).map(|i| i * step).collect();
            assert_eq!(codes(&over), None);
        }
    }
}
