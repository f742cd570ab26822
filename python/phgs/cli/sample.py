"""Draw data from a Bayesian network, or from copies of it tiled to a large one."""

from __future__ import annotations

import io
import sys
from argparse import Namespace
from pathlib import Path
from typing import Any

from phgs.cli.common import Parser, whole_number
from phgs.errors import ParameterError
from phgs.output import check_writable, write_all

_WRITERS = {".csv": "csv", ".parquet": "parquet", ".pq": "parquet", ".feather": "feather", ".arrow": "feather"}


def add(parser: Parser) -> None:
    """Add the options."""
    parser.add_argument("network", metavar="NETWORK", help="a name ('phgs networks' lists them) or a BIF file")
    parser.add_argument("-n", "--rows", type=whole_number, required=True, metavar="N", help="number of rows")
    parser.add_argument("--out", required=True, metavar="FILE", help="where to write: .csv, .parquet or .feather")
    parser.add_argument("--edges", metavar="FILE.csv", help="write the true arcs too (columns from and to)")
    parser.add_argument("--bif", metavar="FILE.bif", help="write the network that was drawn from too")
    parser.add_argument(
        "--tiles",
        type=whole_number,
        default=1,
        metavar="K",
        help="connect K copies by tiling, prepared as with --prepare (default 1: the network itself)",
    )
    parser.add_argument(
        "--prepare",
        action="store_true",
        help="as in the paper: drop impossible states and one-state variables, keep at most 8 states",
    )
    parser.add_argument("--permute", action="store_true", help="put the columns in random order")
    parser.add_argument(
        "--seed", type=whole_number, default=0, metavar="S", help="seed of all random choices (default 0)"
    )
    parser.add_argument("--threads", type=whole_number, default=0, metavar="N", help="threads (default: all cores)")
    parser.add_argument("--quiet", action="store_true", help="print nothing")


def run(options: Namespace) -> int:
    """Draw and write."""
    from phgs.network import Network

    kind = _kind(options.out)
    for path in (options.out, options.edges, options.bif):
        if path is not None:
            check_writable(path)
    network = Network.load(options.network)
    if options.prepare or options.tiles != 1:
        network = network.prepare(seed=options.seed, threads=options.threads).network
    network = network.tile(options.tiles, seed=options.seed, threads=options.threads)
    if options.permute:
        network = network.permuted(seed=options.seed)
    rows = network.sample(options.rows, seed=options.seed, threads=options.threads)
    files = {Path(options.out): _bytes(rows, kind)}
    if options.edges is not None:
        files[Path(options.edges)] = _edges(network)
    if options.bif is not None:
        files[Path(options.bif)] = network.to_bif().encode()
    write_all(files)
    if not options.quiet:
        sys.stdout.write(
            f"{options.out}: {options.rows:,} rows × {len(network.nodes):,} variables from {options.network} "
            f"({len(network.edges):,} arcs, {network.n_parameters:,} parameters)\n"
        )
    return 0


def _kind(path: str) -> str:
    kind = _WRITERS.get(Path(path).suffix.lower())
    if kind is None:
        raise ParameterError(f"cannot tell the kind of {path}; let it end in .csv, .parquet or .feather")
    return kind


def _bytes(rows: Any, kind: str) -> bytes:
    import pyarrow as pa

    buffer = io.BytesIO()
    if kind == "csv":
        from pyarrow import csv

        plain = pa.table([column.cast(pa.string()) for column in rows.columns], names=rows.column_names)
        csv.write_csv(plain, buffer)
    elif kind == "parquet":
        from pyarrow import parquet

        parquet.write_table(rows, buffer, compression="zstd")
    else:
        from pyarrow import feather

        feather.write_feather(rows, buffer)
    return buffer.getvalue()


def _edges(network: Any) -> bytes:
    import csv

    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["from", "to"])
    writer.writerows(network.edges)
    return text.getvalue().encode()
