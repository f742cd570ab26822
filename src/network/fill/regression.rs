//! Least squares from means of products.

/// Rows that the estimates of a regression are shrunk by, towards no effect: parents that are copies of each other, or
/// more of them than rows, then have an answer too.
const RIDGE: f64 = 1e-3;

/// The least variance of what parents leave: of a column that they determine it would be 0.
const SMALLEST: f64 = 1e-8;

/// A variable as a linear function of its parents, and the variance of what they leave.
pub(super) struct Regression {
    pub(super) intercept: f64,
    pub(super) weights: Vec<f64>,
    pub(super) variance: f64,
}

/// The regression on k variables from the means of products of any two of: 1, these, and what is explained; the lower
/// triangle, row by row.
pub(super) fn regression(moments: &[f64], k: usize, n_rows: f64) -> Regression {
    let at = |i: usize, j: usize| moments[i * (i + 1) / 2 + j];
    let mean = |i: usize| at(i + 1, 0);
    let covariance = |i: usize, j: usize| at(i + 1, j + 1) - mean(i) * mean(j);
    let mut matrix = vec![0.0; k * k];
    for i in 0..k {
        for j in 0..=i {
            matrix[i * k + j] = covariance(i, j);
        }
        matrix[i * k + i] += RIDGE / n_rows;
    }
    factor(&mut matrix, k);
    let mut weights: Vec<f64> = (0..k).map(|i| covariance(k, i)).collect();
    solve_lower(&matrix, k, &mut weights);
    // What the parents explain is the sum of the squares here.
    let explained: f64 = weights.iter().map(|value| value * value).sum();
    solve_upper(&matrix, k, &mut weights);
    let intercept = mean(k) - weights.iter().enumerate().map(|(i, weight)| weight * mean(i)).sum::<f64>();
    Regression { intercept, weights, variance: (covariance(k, k) - explained).max(SMALLEST) }
}

/// The Cholesky factor of a positive definite matrix of k rows, in place of its lower triangle.
pub(super) fn factor(matrix: &mut [f64], k: usize) {
    for i in 0..k {
        for j in 0..=i {
            let sum: f64 = (0..j).map(|m| matrix[i * k + m] * matrix[j * k + m]).sum();
            let left = matrix[i * k + j] - sum;
            // Rounding must not leave what has no root.
            matrix[i * k + j] = if i == j { left.max(SMALLEST * SMALLEST).sqrt() } else { left / matrix[j * k + j] };
        }
    }
}

/// Solves L x = right, in place of the right side.
pub(super) fn solve_lower(factor: &[f64], k: usize, right: &mut [f64]) {
    for i in 0..k {
        let sum: f64 = (0..i).map(|j| factor[i * k + j] * right[j]).sum();
        right[i] = (right[i] - sum) / factor[i * k + i];
    }
}

/// Solves Lᵀ x = right, in place of the right side.
pub(super) fn solve_upper(factor: &[f64], k: usize, right: &mut [f64]) {
    for i in (0..k).rev() {
        let sum: f64 = (i + 1..k).map(|j| factor[j * k + i] * right[j]).sum();
        right[i] = (right[i] - sum) / factor[i * k + i];
    }
}
