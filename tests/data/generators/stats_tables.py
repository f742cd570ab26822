"""Computes the constants of src/stats and the reference values of tests/data/*_tails.csv with mpmath (30 digits and more).

Run from the root of the repository: python tests/data/generators/stats_tables.py
"""

from fractions import Fraction
from pathlib import Path

import mpmath as mp

ROOT = Path(__file__).resolve().parents[3]
mp.mp.dps = 50

# --- erfcx: piecewise polynomials -------------------------------------------------------------------------------

INTERVALS, DEGREE, KNEE = 32, 9, mp.mpf(4)


def erfcx(x):
    """exp(x^2) erfc(x) for x >= 0."""
    if x > 100:
        total, term, k = mp.mpf(1), mp.mpf(1), 0
        while abs(term) > mp.mpf(10) ** -48 and k < 400:
            k += 1
            term *= -(2 * k - 1) / (2 * x * x)
            total += term
        return total / (x * mp.sqrt(mp.pi))
    return mp.exp(x * x) * mp.erfc(x)


def scaled(t):
    """erfcx(x) / t at x = 4 / t - 4, finite at t = 0."""
    if t == 0:
        return 1 / (KNEE * mp.sqrt(mp.pi))
    return erfcx(KNEE / t - KNEE) / t


def interpolate(f, low, high, degree):
    """Coefficients, in u in [-1, 1], of the interpolant of f at Chebyshev points."""
    m = degree + 1
    nodes = [mp.cos(mp.pi * (2 * i + 1) / (2 * m)) for i in range(m)]
    values = [f((low + high) / 2 + (high - low) / 2 * u) for u in nodes]
    matrix = mp.matrix(m, m)
    for i, u in enumerate(nodes):
        for j in range(m):
            matrix[i, j] = u**j
    return list(mp.lu_solve(matrix, mp.matrix(values)))


def literal(value):
    """The double nearest to a value, as Rust writes it (repr is the shortest text that reads back as that double)."""
    return repr(float(value))


def erfcx_table():
    lines = [
        "//! Polynomials for `erfcx`; written by tests/data/generators/stats_tables.py.",
        "",
        "/// For x >= 0 and t = 4 / (4 + x), in interval i of 32 equal ones of t: erfcx(x) / t as a polynomial, lowest power",
        "/// first, in u = 2 (32 t - i) - 1.",
        f"pub(super) static ERFCX: [[f64; {DEGREE + 1}]; {INTERVALS}] = [",
    ]
    for i in range(INTERVALS):
        low, high = mp.mpf(i) / INTERVALS, mp.mpf(i + 1) / INTERVALS
        row = interpolate(scaled, low, high, DEGREE)
        lines.append("    [" + ", ".join(literal(c) for c in row) + "],")
    lines.append("];")
    (ROOT / "src/stats/erfcx_table.rs").write_text("\n".join(lines) + "\n")


# --- Temme's uniform expansion ----------------------------------------------------------------------------------

# Number of coefficients kept of c_0, c_1, ...: enough for |eta| <= 0.48 and a >= 128.
LENGTHS = [20, 17, 15, 12, 10, 7, 5, 3]


def temme_series():
    """Exact power series in eta of c_0 .. c_7 (DLMF 8.12.9 - 8.12.10)."""
    length = 64
    # mu = sum m_i eta^i with eta^2 / 2 = mu - ln(1 + mu), so mu mu' = eta (1 + mu).
    m = [Fraction(0), Fraction(1)]
    for i in range(2, length):
        # coefficient of eta^i in mu mu': sum_j j m_j m_(i+1-j); equals m_(i-1).
        known = sum(j * m[j] * m[i + 1 - j] for j in range(2, i))
        m.append((m[i - 1] - known) / (i + 1))
    shifted = m[1:]  # mu / eta
    inverse = [1 / shifted[0]]  # eta / mu
    for i in range(1, len(shifted)):
        inverse.append(-sum(shifted[j] * inverse[i - j] for j in range(1, i + 1)) / shifted[0])
    # Stirling coefficients g_k of Gamma*, from its logarithm sum B_2k / (2k (2k-1) a^(2k-1)).
    log = [Fraction(0)] * 12
    for k in range(1, 6):
        top, bottom = mp.bernfrac(2 * k)
        log[2 * k - 1] = Fraction(int(top), int(bottom)) / (2 * k * (2 * k - 1))
    g = [Fraction(1)]
    for k in range(1, 10):
        g.append(sum(j * log[j] * g[k - j] for j in range(1, k + 1)) / k)
    # c_0 = 1/mu - 1/eta: coefficients of eta^0, eta^1, ...
    series = [inverse[1:]]
    for k in range(1, len(LENGTHS)):
        before = series[-1]
        # (1/eta) c'_(k-1) = sum i c_i eta^(i-2); (-1)^k g_k / mu = (-1)^k g_k sum inverse_i eta^(i-1).
        sign = (-1) ** k
        pole = before[1] * 1 + sign * g[k] * inverse[0]
        assert pole == 0, (k, pole)
        series.append([(i + 2) * before[i + 2] + sign * g[k] * inverse[i + 1] for i in range(len(before) - 2)])
    return series


def temme_table():
    lines = [
        "//! Coefficients of Temme's uniform expansion; written by tests/data/generators/stats_tables.py.",
        "",
    ]
    for k, (row, length) in enumerate(zip(temme_series(), LENGTHS, strict=True)):
        lines.append(f"/// Power series of c_{k} in eta (DLMF 8.12.10), lowest power first.")
        lines.append(f"pub(super) static C{k}: [f64; {length}] = [")
        lines.extend(f"    {literal(mp.mpf(c.numerator) / c.denominator)}," for c in row[:length])
        lines.append("];")
    (ROOT / "src/stats/temme_table.rs").write_text("\n".join(lines) + "\n")


# --- Reference values -------------------------------------------------------------------------------------------


def log_upper(a, y):
    """ln Q(a, y) by continued fraction or series with as many terms as it takes."""
    tolerance = mp.mpf(10) ** -40
    log_front = a * mp.log(y) - y - mp.loggamma(a)
    if y > a + 1:
        b = y + 1 - a
        c, d = mp.mpf(10) ** 400, 1 / b
        h, i = d, 0
        while True:
            i += 1
            an = -i * (i - a)
            b += 2
            d = 1 / (an * d + b)
            c = b + an / c
            delta = c * d
            h *= delta
            if abs(delta - 1) < tolerance:
                return log_front + mp.log(h)
    term = total = 1 / a
    n = a
    while term > tolerance * total:
        n += 1
        term *= y / n
        total += term
    lower = mp.exp(log_front) * total
    return mp.log1p(-lower)


def chi_squared_tails():
    degrees = [*range(1, 13), 15, 16, 27, 36, 41, 63, 64, 65, 99, 108, 127, 128, 200, 254, 255, 256, 257, 258, 301, 576]
    degrees += [1000, 1001, 4096, 10_007, 25_088, 100_000, 1_000_001, 50_000_000]
    rows = ["statistic,degrees_of_freedom,log_p"]
    for df in degrees:
        spread = (2.0 * df) ** 0.5
        if df <= 20_000:
            points = [1e-3 * df, 0.1 * df, 0.4 * df, 0.59 * df, 0.61 * df, 0.9 * df, df, df + spread, df + 4 * spread]
            points += [1.39 * df, 1.41 * df, 2.0 * df, 3 * df + 20, 5 * df + 100, 9 * df + 1000]
            if df <= 1001:
                points += [9_990.0, 10_010.0, 23_100.0 + 2 * df, 1e6, 1e12]
        else:
            points = [0.3 * df, 0.59 * df, df - 5 * spread, df - spread, df, df + 0.5 * spread, df + 3 * spread]
            points += [df + 9 * spread, df + 30 * spread, 1.41 * df, 2 * df]
        for x in points:
            x = float(f"{x:.12g}")
            value = log_upper(mp.mpf(df) / 2, mp.mpf(x) / 2)
            rows.append(f"{x!r},{df},{mp.nstr(value, 30)}")
    (ROOT / "tests/data/chi_squared_tails.csv").write_text("\n".join(rows) + "\n")


def normal_tails():
    rows = ["z,log_upper_tail"]
    for z in [-40, -8, -3, -1, -0.25, -1e-9, 0, 1e-12, 1e-3, 0.1, 0.5, 0.75, 1, 1.5, 1.96, 2.5, 3, 4, 5, 6.5, 8, 10]:
        rows.append(f"{z},{mp.nstr(mp.log(mp.erfc(mp.mpf(z) / mp.sqrt(2)) / 2), 30)}")
    for z in [15, 20, 30, 37.5, 38.5, 50, 100, 1000, 1e5]:
        x = mp.mpf(z) / mp.sqrt(2)
        rows.append(f"{z},{mp.nstr(-x * x + mp.log(erfcx(x) / 2), 30)}")
    (ROOT / "tests/data/normal_tails.csv").write_text("\n".join(rows) + "\n")


def log_gammas():
    rows = ["x,log_gamma"]
    points = [1e-300, 1e-10, 1e-3, 0.1, 0.25, 0.5, 0.9999, 1, 1.0001, 1.25, 1.5, 1.999, 2, 2.001, 2.5, 3, 4.75, 7, 9.99]
    points += [10, 10.01, 15.5, 31, 100.25, 170, 1000.5, 25_000, 1e6, 1e10, 1e100, 1e300]
    rows.extend(f"{x!r},{mp.nstr(mp.loggamma(mp.mpf(x)), 30)}" for x in map(float, points))
    (ROOT / "tests/data/log_gammas.csv").write_text("\n".join(rows) + "\n")


if __name__ == "__main__":
    erfcx_table()
    temme_table()
    normal_tails()
    log_gammas()
    chi_squared_tails()
