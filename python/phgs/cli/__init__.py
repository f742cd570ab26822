"""The command line.

Each command is a module with `add`, which adds its parser, and `run`, which does the work and returns the exit
status. `common` holds what they share. Exit statuses: 0 done; 2 for wrong usage or bad input, with one line on standard
error; 130 after Ctrl-C.
"""

from phgs.cli.main import main

__all__ = ["main"]
