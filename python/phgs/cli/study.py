"""Run a simulation study and report it: networks × data sets × methods × significance levels."""

from __future__ import annotations

from argparse import Namespace

from phgs.cli.common import Parser, say, whole_number
from phgs.errors import ParameterError


def add(parser: Parser) -> None:
    """Add the options."""
    commands = parser.add_subparsers(dest="study_command", metavar="COMMAND", required=True, parser_class=Parser)
    run_parser = commands.add_parser(
        "run",
        help="run a study, or what is left of one",
        description="Run a study. Results are kept as they come; run it again to go on after an interruption.",
    )
    run_parser.add_argument(
        "configuration",
        metavar="CONFIG",
        help="a TOML or JSON file, or one of the package: paper-quick, paper-full, gaussian-quick, gaussian",
    )
    run_parser.add_argument(
        "--out", required=True, metavar="DIR", help="folder of the results: new, empty, or this study's"
    )
    run_parser.add_argument(
        "--workers", type=whole_number, metavar="N", help="processes (default: the number of cores)"
    )
    run_parser.add_argument("--retry-failed", action="store_true", help="run tasks again that failed or were stopped")
    run_parser.add_argument("--quiet", action="store_true", help="show no progress")
    report_parser = commands.add_parser(
        "report",
        help="write the report of a study, finished or not",
        description="Write tables and pictures, compared with the paper's values, as Markdown and HTML.",
    )
    report_parser.add_argument("folder", metavar="DIR", help="folder of the study")
    report_parser.add_argument("--out", metavar="DIR", help="where to write (default: DIR/report)")


def run(options: Namespace) -> int:
    """Run or report."""
    if options.study_command == "report":
        from phgs.study import write_report

        for path in write_report(options.folder, options.out):
            say(f"{path}\n")
        return 0
    from phgs.study import Configuration, run_study

    if options.workers is not None and options.workers < 1:
        raise ParameterError(f"--workers: {options.workers} must be at least 1")
    finished = run_study(
        Configuration.load(options.configuration),
        options.out,
        workers=options.workers,
        retry_failed=options.retry_failed,
        progress=False if options.quiet else None,
    )
    if not options.quiet:
        failed = f", {finished.failed:,} of them failed" if finished.failed else ""
        if finished.not_finished:
            failed += f", {finished.not_finished:,} were stopped at the time limit"
        say(
            f"{options.out}: {finished.done:,} tasks are done{failed}; {finished.new:,} now, in "
            f"{finished.seconds:.0f} s. 'phgs study report {options.out}' writes the report.\n"
        )
    return 0
