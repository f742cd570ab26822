"""Starting workers one after another, with limits of time and memory."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from comparison.datasets import DataSet
from comparison.packages import MODULES

WORKER = Path(__file__).with_name("worker.py")

# What the usual numerical libraries read to know how many threads they may use.
THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS", "RAYON_NUM_THREADS")


@dataclass(frozen=True)
class Limits:
    """What a worker may use.

    Attributes
    ----------
    seconds : float
        CPU seconds of one call; wall time may be four times as much and a minute more.
    memory_mb : float
        Resident memory.
    repeats : int
        Calls, if they are quick; the median counts.
    threads : int
        Threads that packages are told to use.
    """

    seconds: float
    memory_mb: float
    repeats: int
    threads: int


def run(package: str, task: str, data: DataSet, limits: Limits, interpreter: str, folder: Path) -> dict[str, Any]:
    """Run a package in a process of its own.

    Returns
    -------
    dict
        What the worker says (seconds, memory, edges), or ``"failed"`` with the reason.
    """
    job, answer = folder / "job.json", folder / "answer.json"
    started = Path(f"{answer}.started")
    for file in (answer, started):
        file.unlink(missing_ok=True)
    described = {
        "module": MODULES[package],
        "package": package,
        "task": task,
        "file": str(data.file),
        "data_type": data.data_type,
        "threads": limits.threads,
        "repeats": limits.repeats,
        "limit": limits.seconds,
    }
    job.write_text(json.dumps(described))
    environment = {**os.environ, **dict.fromkeys(THREADS, str(limits.threads)), "PYTHONHASHSEED": "0"}
    errors = folder / "errors.txt"
    with errors.open("w") as stream:
        command = [interpreter, str(WORKER), str(job), str(answer)]
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=stream, env=environment)
        reason, peak = _watch(process, started, limits)
    if answer.exists():
        return json.loads(answer.read_text())
    if reason is None and process.returncode in (-24, -9):  # SIGXCPU, and SIGKILL at the hard limit
        reason = f"> {limits.seconds:g} s"
    if reason is None:
        lines = errors.read_text(errors="replace").strip().splitlines()
        reason = lines[-1][:120] if lines else f"exit status {process.returncode}"
        if "ModuleNotFoundError" in reason:
            reason = "not installed"
    return {"failed": reason, "peak_mb": peak}


def _watch(process: subprocess.Popen[bytes], started: Path, limits: Limits) -> tuple[str | None, float]:
    page = os.sysconf("SC_PAGE_SIZE") / 2**20
    begun: float | None = None
    peak = 0.0
    while process.poll() is None:
        time.sleep(0.05)
        if begun is None and started.exists():
            begun = time.monotonic()
        try:
            resident = int(Path(f"/proc/{process.pid}/statm").read_text().split()[1]) * page
        except (OSError, IndexError):
            continue
        peak = max(peak, resident)
        late = begun is not None and time.monotonic() - begun > 4 * limits.seconds + 60
        if late or peak > limits.memory_mb:
            process.kill()
            process.wait()
            return (f"> {limits.seconds:g} s" if late else f"> {limits.memory_mb / 1024:g} GB"), peak
    return None, peak


def interpreters(given: list[str]) -> dict[str, str]:
    """Read ``PACKAGE=PYTHON`` pairs; packages that are not named use the current interpreter."""
    return dict.fromkeys(MODULES, sys.executable) | dict(pair.split("=", 1) for pair in given)
