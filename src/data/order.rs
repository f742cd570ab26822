//! An order of the variables that correlations suggest.

use super::correlation::Correlation;
use crate::run::Run;
use crate::{Result, Variable};

impl Correlation {
    /// An order in which each variable is the one that those before it explain least: Cholesky's factorisation that takes
    /// the largest of what is left of the variances, from the variable that correlates most with all (the sum of squares).
    ///
    /// Parents that are caused by nothing else share little with each other, and their children are explained by them, so
    /// that causes tend to come first. Of equal variables the one with the lower index comes first.
    ///
    /// # Errors
    ///
    /// [`crate::Error::Interrupted`].
    pub fn least_explained_first(&self, run: &Run) -> Result<Vec<Variable>> {
        let p = self.n_variables();
        let squares = |x: usize| (0..p).map(|y| self.get(x as Variable, y as Variable).powi(2)).sum::<f64>();
        let sums: Vec<f64> = (0..p).map(squares).collect();
        let mut waiting: Vec<usize> = (0..p).collect();
        let mut left = vec![1.0; p];
        // Row i: the covariances with the i-th variable of the order that those before it leave, over its deviation.
        let mut factor: Vec<Vec<f64>> = Vec::with_capacity(p);
        let mut order = Vec::with_capacity(p);
        while !waiting.is_empty() {
            run.check()?;
            let by: &[f64] = if order.is_empty() { &sums } else { &left };
            let most = waiting.iter().map(|&x| by[x]).fold(f64::NEG_INFINITY, f64::max);
            let at = waiting.iter().position(|&x| by[x] >= most).unwrap_or(0);
            let x = waiting.remove(at);
            order.push(x as Variable);
            let inverse = if left[x] > super::SINGULAR { left[x].sqrt().recip() } else { 0.0 };
            let mut row: Vec<f64> = (0..p).map(|y| self.get(x as Variable, y as Variable)).collect();
            for earlier in &factor {
                let weight = earlier[x];
                row.iter_mut().zip(earlier).for_each(|(value, before)| *value -= weight * before);
            }
            for (value, left) in row.iter_mut().zip(&mut left) {
                *value *= inverse;
                *left -= *value * *value;
            }
            factor.push(row);
        }
        Ok(order)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A collider: its causes are independent, and explain it.
    #[test]
    fn causes_come_before_what_they_explain() {
        let half = 0.49f64.sqrt();
        let rows = [vec![1.0, half, half], vec![half, 1.0, 0.0], vec![half, 0.0, 1.0]];
        let correlation = Correlation::from_matrix(&rows, 100).unwrap();
        // The effect correlates most with all. After it each cause is left with 0.51, and after one of them the other with
        // 0.51 - 0.49² / 0.51.
        assert_eq!(correlation.least_explained_first(&Run::unlimited()).unwrap(), [0, 1, 2]);
        let independent: Vec<Vec<f64>> =
            (0..3).map(|x| (0..3).map(|y| f64::from(u8::from(x == y))).collect()).collect();
        let correlation = Correlation::from_matrix(&independent, 100).unwrap();
        assert_eq!(correlation.least_explained_first(&Run::unlimited()).unwrap(), [0, 1, 2]);
    }

    /// By definition: what is left of each variance after regression on those before, from Gauss's elimination.
    #[test]
    fn each_is_the_least_explained_of_those_left() {
        // Half a chain and half a common factor: positive definite.
        let loading = [0.9, -0.3, 0.5, 0.8, -0.7, 0.1, 0.6];
        let entry = |x: usize, y: usize| {
            if x == y { 1.0 } else { 0.5 * 0.8f64.powi(x.abs_diff(y) as i32) + 0.5 * loading[x] * loading[y] }
        };
        let rows: Vec<Vec<f64>> = (0..7).map(|x| (0..7).map(|y| entry(x, y)).collect()).collect();
        let correlation = Correlation::from_matrix(&rows, 100).unwrap();
        let order = correlation.least_explained_first(&Run::unlimited()).unwrap();
        let left = |x: Variable, given: &[Variable]| {
            let all: Vec<usize> = given.iter().chain([&x]).map(|&v| v as usize).collect();
            let mut m: Vec<Vec<f64>> = all.iter().map(|&a| all.iter().map(|&b| entry(a, b)).collect()).collect();
            for k in 0..given.len() {
                let pivot = m[k].clone();
                for row in &mut m[k + 1..] {
                    let f = row[k] / pivot[k];
                    row.iter_mut().zip(&pivot).skip(k).for_each(|(value, above)| *value -= f * above);
                }
            }
            m[given.len()][given.len()]
        };
        for at in 1..7 {
            let own = left(order[at], &order[..at]);
            assert!(order[at + 1..].iter().all(|&x| left(x, &order[..at]) <= own + 1e-9));
        }
    }
}
