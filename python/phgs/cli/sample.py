"""Draw data from a Bayesian network, or from copies of it tiled to a large one."""

from __future__ import annotations

import io
from argparse import Namespace
from pathlib import Path
from typing import Any

from phgs.cli.common import STANDARD_OUTPUT, Parser, number, outputs, say, summary_stream, whole_number, write
from phgs.errors import ParameterError

_WRITERS = {".csv": "csv", ".parquet": "parquet", ".pq": "parquet", ".feather": "feather", ".arrow": "feather"}


def add(parser: Parser) -> None:
    """Add the options."""
    parser.add_argument("network", metavar="NETWORK", help="a name ('phgs networks' lists them) or a BIF file")
    parser.add_argument("-n", "--rows", type=whole_number, required=True, metavar="N", help="number of rows")
    parser.add_argument(
        "--out",
        required=True,
        metavar="FILE",
        help="where to write: .csv, .parquet or .feather; '-' is CSV on standard output",
    )
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
    reading = parser.add_argument_group("reading a BIF file")
    reading.add_argument(
        "--encoding", metavar="NAME", help="such as latin-1 or gbk (default: UTF-8, or UTF-16 by its mark)"
    )
    reading.add_argument(
        "--tolerance",
        type=number,
        metavar="T",
        help="divide rows by sums that are so far from 1, and read rows of NaN as uniform (default: refuse)",
    )
    reading.add_argument(
        "--max-entries", type=whole_number, metavar="N", help="most entries of all tables (default 33554432)"
    )
    reading.add_argument(
        "--max-bytes",
        type=whole_number,
        metavar="N",
        help="the most bytes that a compressed file may unpack to (default 256 MiB, or a hundred times its size)",
    )


def run(options: Namespace) -> int:
    """Draw and write."""
    from phgs.graphs import as_graph
    from phgs.graphs.export import to_csv
    from phgs.network import Network

    kind = _kind(options.out)
    wanted = outputs(options, ("out", "edges", "bif"))
    network = Network.load(
        options.network,
        encoding=options.encoding,
        tolerance=options.tolerance,
        max_entries=options.max_entries,
        max_bytes=options.max_bytes,
    )
    if options.prepare or options.tiles != 1:
        network = network.prepare(seed=options.seed, threads=options.threads).network
    network = network.tile(options.tiles, seed=options.seed, threads=options.threads)
    if options.permute:
        network = network.permuted(seed=options.seed)
    rows = network.sample(options.rows, seed=options.seed, threads=options.threads)
    files = {wanted["out"]: _bytes(rows, kind)}
    if "edges" in wanted:
        files[wanted["edges"]] = to_csv(as_graph(network)).encode()
    if "bif" in wanted:
        files[wanted["bif"]] = network.to_bif().encode()
    write(files)
    if not options.quiet:
        say(
            f"{options.out}: {options.rows:,} rows × {len(network.nodes):,} variables from {options.network} "
            f"({len(network.edges):,} arcs, {network.n_parameters:,} parameters)\n",
            summary_stream(wanted.values()),
        )
    return 0


def _kind(path: str) -> str:
    kind = "csv" if path == STANDARD_OUTPUT else _WRITERS.get(Path(path).suffix.lower())
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
