//! Neighbouring groups merged where that loses the least.

use std::cmp::Ordering;

/// Most groups that a number is cut into.
const MOST_GROUPS: usize = 20;

/// The table of the groups of a number and the states of another column, group by group.
#[derive(Debug, Clone)]
pub(super) struct Partner {
    pub(super) n_states: usize,
    pub(super) cells: Vec<f64>,
}

impl Partner {
    /// The weights of the groups, and of the states.
    pub(super) fn margins(&self) -> (Vec<f64>, Vec<f64>) {
        let rows = self.cells.chunks_exact(self.n_states).map(|row| row.iter().sum()).collect();
        let mut columns = vec![0.0; self.n_states];
        for row in self.cells.chunks_exact(self.n_states) {
            columns.iter_mut().zip(row).for_each(|(sum, cell)| *sum += cell);
        }
        (rows, columns)
    }

    fn group(&self, at: usize) -> &[f64] {
        &self.cells[at * self.n_states..][..self.n_states]
    }

    /// What is known less of the states once two groups are one, in nats.
    fn loss(&self, first: usize, second: usize) -> f64 {
        let (a, b) = (self.group(first), self.group(second));
        let (mut cells, mut of_a, mut of_b) = (0.0, 0.0, 0.0);
        for (&a, &b) in a.iter().zip(b) {
            cells += x_ln_x(a) + x_ln_x(b) - x_ln_x(a + b);
            of_a += a;
            of_b += b;
        }
        cells - (x_ln_x(of_a) + x_ln_x(of_b) - x_ln_x(of_a + of_b))
    }

    /// Adds the second group, which comes after it, to the first.
    fn add(&mut self, first: usize, second: usize) {
        let (before, after) = self.cells.split_at_mut(second * self.n_states);
        let both = before[first * self.n_states..].iter_mut().zip(&after[..self.n_states]);
        both.for_each(|(sum, cell)| *sum += cell);
    }

    /// The table of some groups.
    fn only(&self, groups: &[usize]) -> Self {
        Self { n_states: self.n_states, cells: groups.iter().flat_map(|&at| self.group(at)).copied().collect() }
    }
}

/// Σ n ln n.
pub(super) fn n_ln_n(cells: &[f64]) -> f64 {
    cells.iter().map(|&cell| x_ln_x(cell)).sum()
}

fn x_ln_x(x: f64) -> f64 {
    if x > 0.0 { x * x.ln() } else { 0.0 }
}

/// The new group of each of `masses.len()` groups of such weights: neighbours are merged that lose the least of the partners in
/// sum, until two are left, and the step is taken whose partners gain the most in sum; of equal ones the later.
pub(super) fn merged(partners: &[Partner], masses: &[f64], gain: impl Fn(&Partner) -> f64) -> Vec<u16> {
    let size = masses.len();
    let mut left = Groups {
        partners: partners.to_vec(),
        masses: masses.to_vec(),
        starts: (0..size).collect(),
        is_mirrored: is_mirrored(partners),
    };
    let mut best = left.starts.clone();
    let mut most = f64::NEG_INFINITY;
    let mut losses: Vec<f64> = (1..size).map(|at| left.loss(at - 1)).collect();
    loop {
        if left.starts.len() <= MOST_GROUPS {
            let gains: f64 = left.partners.iter().map(|partner| gain(&partner.only(&left.starts)).max(0.0)).sum();
            if gains >= most {
                best.clone_from(&left.starts);
                most = gains;
            }
        }
        if left.starts.len() <= 2 {
            return (0..size).map(|group| best.partition_point(|&start| start <= group) as u16 - 1).collect();
        }
        let at = left.least(&losses);
        left.merge(at);
        losses.remove(at);
        for i in at.saturating_sub(1)..(at + 1).min(losses.len()) {
            losses[i] = left.loss(i);
        }
    }
}

/// The groups that are left: cells and weights of each are at the place of its first.
struct Groups {
    partners: Vec<Partner>,
    masses: Vec<f64>,
    /// The first of those that each was made of.
    starts: Vec<usize>,
    /// Whether the first is that with the largest number: so that a number and its negative are cut alike.
    is_mirrored: bool,
}

/// Whether the cells read from the last group to the first come before those read from the first to the last.
fn is_mirrored(partners: &[Partner]) -> bool {
    let turned = |partner: &Partner| {
        let backwards = partner.cells.chunks_exact(partner.n_states).rev().flatten();
        backwards.partial_cmp(&partner.cells).unwrap_or(Ordering::Equal)
    };
    partners.iter().map(turned).find(|order| order.is_ne()) == Some(Ordering::Less)
}

impl Groups {
    /// What merging the group at a place with the next loses.
    fn loss(&self, at: usize) -> f64 {
        self.partners.iter().map(|partner| partner.loss(self.starts[at], self.starts[at + 1])).sum()
    }

    /// Where the least is lost. Of equal losses: the pair of least weight, and then the first.
    fn least(&self, losses: &[f64]) -> usize {
        let mass = |at: usize| self.masses[self.starts[at]] + self.masses[self.starts[at + 1]];
        let comes_first = |&a: &usize, &b: &usize| {
            let by_size = losses[a].total_cmp(&losses[b]).then_with(|| mass(a).total_cmp(&mass(b)));
            by_size.then(if self.is_mirrored { b.cmp(&a) } else { a.cmp(&b) })
        };
        (0..losses.len()).min_by(comes_first).unwrap_or(0)
    }

    fn merge(&mut self, at: usize) {
        let (first, second) = (self.starts[at], self.starts.remove(at + 1));
        self.partners.iter_mut().for_each(|partner| partner.add(first, second));
        self.masses[first] += self.masses[second];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The information of the groups about the states, in nats times rows.
    fn information(table: &Partner) -> f64 {
        let (rows, columns) = table.margins();
        let n: f64 = rows.iter().sum();
        n_ln_n(&table.cells) - n_ln_n(&rows) - n_ln_n(&columns) + n * n.ln()
    }

    #[test]
    fn a_loss_is_the_difference_of_informations() {
        let table = Partner { n_states: 3, cells: vec![5.0, 0.0, 2.0, 1.0, 4.0, 0.5, 3.0, 3.0, 0.0] };
        for at in 0..2 {
            let mut smaller = table.clone();
            smaller.add(at, at + 1);
            let smaller = smaller.only(&[0, 2 - at]);
            assert_eq!(smaller.cells.len(), 6);
            assert!((table.loss(at, at + 1) - (information(&table) - information(&smaller))).abs() < 1e-12);
        }
    }

    #[test]
    fn what_is_alike_is_merged() {
        // Six groups whose states change after the second and after the fifth.
        let group = |kind: usize| [[80.0, 10.0, 10.0], [10.0, 80.0, 10.0], [10.0, 10.0, 80.0]][kind];
        let cells = [0, 0, 1, 1, 1, 2].iter().flat_map(|&kind| group(kind)).collect();
        let table = Partner { n_states: 3, cells };
        // A charge for each group that no merge of unlike ones is worth.
        let found = merged(&[table], &[100.0; 6], |table| information(table) - 5.0 * (table.cells.len() / 3) as f64);
        assert_eq!(found, [0, 0, 1, 1, 1, 2]);
    }

    #[test]
    fn at_least_two_groups_are_left() {
        let table = Partner { n_states: 2, cells: vec![1.0; 8] };
        let found = merged(&[table], &[2.0; 4], |_| 0.0);
        assert_eq!(found.iter().max(), Some(&1));
        assert_eq!(merged(&[Partner { n_states: 2, cells: vec![1.0, 2.0] }], &[3.0], |_| 0.0), [0]);
    }

    #[test]
    fn mirrored_groups_are_merged_alike() {
        // Few rows in each group, so that many losses are the same.
        for seed in 0..200usize {
            let state = |group: usize| (group * 7 + seed * 13 + group * group * (seed % 5)) % 3;
            let cells = |group: usize| (0..3).map(move |s| f64::from(u8::from(s == state(group)))).collect::<Vec<_>>();
            let there: Vec<f64> = (0..30).flat_map(cells).collect();
            let back: Vec<f64> = (0..30).rev().flat_map(cells).collect();
            if there == back {
                // There is no telling which way is which.
                continue;
            }
            let gain = |table: &Partner| information(table) - 2.0 * (table.cells.len() / 3) as f64;
            let of = |cells: Vec<f64>| merged(&[Partner { n_states: 3, cells }], &[1.0; 30], gain);
            let (found, mut mirrored) = (of(there), of(back));
            mirrored.reverse();
            let last = mirrored[0].max(mirrored[29]);
            assert!(found.iter().zip(&mirrored).all(|(a, b)| a + b == last), "{seed}: {found:?} {mirrored:?}");
        }
    }
}
