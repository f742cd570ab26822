"""Write `quotient_nml/`: regrets, a small table, and scores of DAGs on it, by the standard library alone.

Nothing here is the package's method of computing: regrets of few draws are sums over all ways to share the draws out,
in whole numbers and fractions; those of many draws come by the recurrence of Kontkanen and Myllymäki (2007) from
C(n, 2), which is summed by its definition, with 60 digits; cells are counted in dictionaries.

Run it without arguments from anywhere.
"""

import csv
import random
from collections import Counter
from decimal import Decimal, getcontext
from fractions import Fraction
from itertools import product
from math import comb, factorial, prod
from pathlib import Path

OUT = Path(__file__).parents[1] / "quotient_nml"
getcontext().prec = 60


def ln(value):
    """Return the natural logarithm of a fraction or a number."""
    fraction = Fraction(value)
    return Decimal(fraction.numerator).ln() - Decimal(fraction.denominator).ln()


def partitions(n, largest=None):
    """Yield the ways to write n as a sum of positive numbers, in falling order."""
    if n == 0:
        yield ()
    for first in range(min(n, largest or n), 0, -1):
        for rest in partitions(n - first, first):
            yield (first, *rest)


def regret_by_partitions(n, r):
    """Return C(n, r) as a fraction: sum over counts, those alike taken together."""
    total = Fraction(0)
    for counts in partitions(n):
        if len(counts) > r:
            continue
        ways = prod(range(r - len(counts) + 1, r + 1)) // prod(factorial(m) for m in Counter(counts).values())
        sequences = factorial(n) // prod(factorial(k) for k in counts)
        total += ways * sequences * Fraction(prod(k**k for k in counts), n**n)
    return total


def regrets_by_recurrence(n, wanted):
    """Yield (r, C(n, r)) with 60 digits for each r that is wanted, in increasing order."""
    two = Decimal(0)
    for k in range(n + 1):
        share = Decimal(k) / n
        term = Decimal(comb(n, k)) * share**k * (1 - share) ** (n - k) if 0 < k < n else Decimal(1)
        two += term
    before, now = Decimal(1), two
    for r in range(1, max(wanted) + 1):
        if r in wanted:
            yield r, before
        before, now = now, now + Decimal(n) / r * before


def write_regrets():
    rows = []
    for n in (1, 2, 3, 5, 8, 13, 24):
        for r in (1, 2, 3, 4, 7, 30, 1000, 10**6, 2**53, 10**17, 10**40, 10**155, 10**260, 10**270, 10**300):
            rows.append((n, r, ln(regret_by_partitions(n, r))))
    for n in (24, 100, 1000, 5000):
        wanted = {1, 2, 3, 4, 5, 10, 31, 100, 316, 999, 1000, 1001, 4999, 5000, 5001, 31623, 100_000}
        rows += [(n, r, value.ln()) for r, value in regrets_by_recurrence(n, wanted)]
    # The two ways agree where both are feasible.
    known = {(n, r): value for n, r, value in rows if n == 24}
    by_recurrence = dict(regrets_by_recurrence(24, {2, 3, 4, 30, 1000}))
    assert all(
        abs(value.ln() - ln(regret_by_partitions(24, r))) < Decimal("1e-50") for r, value in by_recurrence.items()
    )
    assert len(known) > 15
    with (OUT / "regrets.csv").open("w", newline="") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow(["n", "r", "ln_regret"])
        out.writerows((n, r, f"{value:.25e}") for n, r, value in rows)


def write_table():
    """Write 300 rows of seven columns with structural zeros, a copy and a large arity; and scores of DAGs on it."""
    generator = random.Random(20261128)
    columns = {name: [] for name in "abcdefg"}
    for _ in range(300):
        a = generator.randrange(3)
        b = (a + (generator.random() < 0.2)) % 4
        c = 0 if a == 0 else generator.randrange(2)
        d = a * 2 + c if generator.random() < 0.9 else generator.randrange(6)
        e = d
        f = generator.randrange(40)
        g = int(b == c) if generator.random() < 0.8 else generator.randrange(2)
        for name, value in zip("abcdefg", (a, b, c, d, e, f, g), strict=True):
            columns[name].append(value)
    names = list(columns)
    arity = {name: max(column) + 1 for name, column in columns.items()}
    assert all(set(column) == set(range(arity[name])) for name, column in columns.items())
    with (OUT / "table.csv").open("w", newline="") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow(names)
        out.writerows(zip(*columns.values(), strict=True))
    n = 300
    regrets = {1: Decimal(1)} | dict(regrets_by_recurrence(n, set(range(1, 5000))))

    def value(subset, coded):
        cells = prod(arity[name] for name in subset)
        counts = Counter(zip(*(columns[name] for name in subset), strict=True)) if subset else {(): n}
        fitted = sum((Decimal(k) * Decimal(k).ln() for k in counts.values()), Decimal(0))
        if not coded:
            return fitted - regrets[cells].ln()
        return fitted - regrets[len(counts)].ln() - Decimal(comb(cells, len(counts))).ln()

    dags = [
        "",
        "a>b",
        "b>a",
        "a>c;a>d;c>d",
        "a>d;c>d",
        "d>e",
        "a>d;d>e;a>e",
        "f>g",
        "a>f;d>f",
        "b>g;c>g;a>b;a>c",
        "a>g;b>g;c>g;d>g",
    ]
    with (OUT / "scores.csv").open("w", newline="") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow(["score", "gamma", "dag", "total", *names])
        for (score, gamma), dag in product(
            (("qnml", "0"), ("qnml", "1"), ("sqnml", "0"), ("sqnml", "0.5"), ("sqnml", "1")), dags
        ):
            arcs = [arc.split(">") for arc in dag.split(";") if arc]
            local = []
            for name in names:
                parents = [tail for tail, head in arcs if head == name]
                family = [other for other in names if other == name or other in parents]
                parents = [other for other in names if other in parents]
                charge = Decimal(gamma) * Decimal(len(names)).ln() * len(parents)
                local.append(value(family, score == "sqnml") - value(parents, score == "sqnml") - charge)
            out.writerow([score, gamma, dag, *(f"{number:.20e}" for number in (sum(local), *local))])


if __name__ == "__main__":
    OUT.mkdir(exist_ok=True)
    write_regrets()
    write_table()
