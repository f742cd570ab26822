"""Measure what many rows take: bytes of memory for each value of a table, and seconds of the processor.

    python benches/long.py FOLDER [--rows 1000000 10000000] [--from file frame] [--methods read pc tabu] [--threads 2]

Rows are drawn from the network alarm (37 columns of two to four states) a million at a time, from fixed seeds, and
written to Parquet files in FOLDER, which are kept. Each run has a process of its own: it learns a small table first, so
that modules are loaded, then reads the rows (and learns). What the process then takes more at its peak is divided by
rows × columns; of a frame, which is pandas' with one byte a value, the frame itself is left out. Prints a table in
Markdown. The digest is of the codes of the table or of what was learned, the same for the same rows.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import subprocess
import sys
import time
import warnings
from pathlib import Path
from typing import Any

PART = 1_000_000
SMALL = 300


def written(folder: Path, rows: int) -> Path:
    """Write a file of so many rows, unless there is one."""
    import pyarrow.parquet as pq

    import phgs

    path = folder / f"alarm-{rows}.parquet"
    if not path.exists():
        network = phgs.Network.load("alarm")
        writer = None
        for part, start in enumerate(range(0, rows, PART)):
            drawn = network.sample(min(PART, rows - start), seed=part + 1)
            writer = writer or pq.ParquetWriter(path.with_suffix(".part"), drawn.schema)
            writer.write_table(drawn)
        assert writer is not None
        writer.close()
        path.with_suffix(".part").rename(path)
    return path


def megabytes(entry: str) -> float:
    """Memory of this process (VmRSS), or the most that it ever had (VmHWM); on Linux alone."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(entry):
            return int(line.split()[1]) / 1e3
    raise RuntimeError("memory is measured on Linux alone")


def frame(path: Path) -> Any:
    """Read a file into a pandas frame, a column at a time, so that this is not what takes the most."""
    import pandas as pd
    import pyarrow.parquet as pq

    with pq.ParquetFile(path) as file:
        names = file.schema_arrow.names
        return pd.DataFrame({name: file.read(columns=[name]).to_pandas()[name] for name in names}, copy=False)


def one(path: Path, source: str, method: str, threads: int) -> None:
    """Run once and print what it took."""
    import pyarrow.parquet as pq

    import phgs
    from phgs.data import as_data

    warnings.simplefilter("ignore")
    options: dict[str, Any] = {"threads": threads, "progress": False}
    small = phgs.Network.load("alarm").sample(SMALL, seed=1)
    phgs.learn(small, method="pc" if method == "read" else method, **options)
    rows = pq.ParquetFile(path).metadata.num_rows
    data = frame(path) if source == "frame" else path
    before, seconds = megabytes("VmRSS"), time.process_time()
    found = hashlib.sha256()
    if method == "read":
        table = as_data(data, warn=False)
        table.core  # noqa: B018 - what the core makes of the table belongs to it
        seconds = time.process_time() - seconds
        for codes in table.arrays():
            found.update(codes)
    else:
        result = phgs.learn(data, method=method, **options)
        seconds = time.process_time() - seconds
        learned = result.to_dict(separations=True)
        for day in ("seconds", "stages", "version", "parameters"):
            del learned[day]
        found.update(json.dumps(learned, sort_keys=True).encode())
    peak = megabytes("VmHWM") - before
    print(json.dumps({"bytes": peak * 1e6 / rows / small.num_columns, "seconds": seconds, "digest": found.hexdigest()}))


def main() -> None:
    """Run every number of rows, kind of data and method, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--rows", type=int, nargs="+", default=[1_000_000, 10_000_000])
    parser.add_argument("--from", dest="sources", nargs="+", default=["file", "frame"], choices=["file", "frame"])
    parser.add_argument("--methods", nargs="+", default=["read", "pc", "tabu"])
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--one", nargs=2, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.one:
        one(given.folder, *given.one, given.threads)
        return
    given.folder.mkdir(parents=True, exist_ok=True)
    print(
        "| rows | from | method | bytes a value | processor, s | digest |\n| ---: | :--- | :--- | ---: | ---: | :--- |"
    )
    for rows in given.rows:
        path = written(given.folder, rows)
        for source in given.sources:
            for method in given.methods:
                arguments = [str(path), "--one", source, method, "--threads", str(given.threads)]
                done = subprocess.run(
                    [sys.executable, __file__, *arguments], check=True, capture_output=True, text=True
                )
                took: dict[str, Any] = json.loads(done.stdout)
                figures = f"{took['bytes']:.2f} | {took['seconds']:.1f} | {took['digest'][:12]}"
                print(f"| {rows:,} | {source} | {method} | {figures} |", flush=True)


if __name__ == "__main__":
    main()
