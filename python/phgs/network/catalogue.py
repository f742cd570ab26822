"""Networks that can be named: those in the wheel, and those of the data archive where one is at hand."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from phgs.errors import ParameterError
from phgs.names import unknown

ARCHIVE_VARIABLE = "PHGS_NETWORKS"
"""Environment variable with the folder of further networks (``NAME.bif`` or ``NAME.bif.gz``)."""

_BUNDLED = Path(__file__).parents[1] / "network_files"

# Variables, arcs and free parameters of the networks of the Bayesian network repository.
_FACTS = {
    "alarm": (37, 46, 509),
    "andes": (223, 338, 1157),
    "asia": (8, 8, 18),
    "barley": (48, 84, 114005),
    "cancer": (5, 4, 10),
    "child": (20, 25, 230),
    "diabetes": (413, 602, 429409),
    "earthquake": (5, 4, 10),
    "hailfinder": (56, 66, 2656),
    "hepar2": (70, 123, 1453),
    "insurance": (27, 52, 1008),
    "link": (724, 1125, 14211),
    "mildew": (35, 46, 540150),
    "munin": (1041, 1397, 80592),
    "munin1": (186, 273, 15622),
    "munin2": (1003, 1244, 69431),
    "munin3": (1041, 1306, 71059),
    "munin4": (1038, 1388, 80352),
    "pathfinder": (109, 195, 72079),
    "pigs": (441, 592, 5618),
    "sachs": (11, 17, 178),
    "survey": (6, 6, 21),
    "water": (32, 66, 10083),
    "win95pts": (76, 112, 574),
}


@dataclass(frozen=True)
class NetworkInfo:
    """A network that can be named.

    Attributes
    ----------
    name : str
        What `phgs.Network.load` and the command line take.
    variables, arcs, parameters : int or None
        Its size; None for your own files in the archive folder, which are not read for this.
    path : pathlib.Path or None
        Its file; None where it is neither in the wheel nor in the archive folder.
    """

    name: str
    variables: int | None
    arcs: int | None
    parameters: int | None
    path: Path | None


def networks() -> list[NetworkInfo]:
    """List the networks that can be named, by name.

    Those without a path are published in the source repository (folder ``data/networks``); the environment variable
    ``PHGS_NETWORKS`` names a folder in which they, or your own files, are found.

    Examples
    --------
    >>> import phgs
    >>> [info.name for info in phgs.networks() if info.variables and info.variables < 10]
    ['asia', 'cancer', 'earthquake', 'survey']
    """
    files = _files()
    names = sorted(_FACTS.keys() | files.keys())
    return [_info(name, files.get(name)) for name in names]


def _info(name: str, path: Path | None) -> NetworkInfo:
    variables, arcs, count = _FACTS.get(name, (None, None, None))
    return NetworkInfo(name, variables, arcs, count, path)


def find(name: str) -> Path:
    """Return the file of a named network.

    Raises
    ------
    ParameterError
        When the name is unknown (near ones are suggested) or its file is not at hand.
    """
    files = _files()
    if name in files:
        return files[name]
    folded = name.lower()
    if folded in files:
        return files[folded]
    if folded in _FACTS:
        raise ParameterError(
            f"network {name!r} is not part of the package; get {folded}.bif.gz from the folder data/networks of the "
            f"source repository and load it by path, or set {ARCHIVE_VARIABLE} to its folder"
        )
    raise ParameterError(unknown("network", name, sorted(_FACTS.keys() | files.keys())))


def _files() -> dict[str, Path]:
    folders = [_BUNDLED]
    if os.environ.get(ARCHIVE_VARIABLE):
        folders.append(Path(os.environ[ARCHIVE_VARIABLE]))
    found: dict[str, Path] = {}
    for folder in folders:
        if not folder.is_dir():
            raise ParameterError(f"{ARCHIVE_VARIABLE}: there is no folder {folder}")
        for ending in (".bif.gz", ".bif"):
            for path in sorted(folder.glob(f"*{ending}")):
                found.setdefault(path.name.removesuffix(ending), path)
    return found
