"""Configuration of Sphinx; `make docs` builds the site."""

import logging
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "tools"))

from command_line import write_command_line
from notebooks import write_notebooks

import phgs

project = "phgs"
author = "the phgs developers"
project_copyright = author
release = version = phgs.__version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.napoleon",
    "sphinx_copybutton",
]
exclude_patterns = ["tools"]
source_suffix = {".md": "markdown", ".rst": "restructuredtext"}
myst_enable_extensions = ["deflist", "colon_fence"]
myst_heading_anchors = 3

# Docstrings: numpydoc; a name in single backticks is a link where there is such an object.
default_role = "py:obj"
napoleon_google_docstring = False
napoleon_numpy_docstring = True
napoleon_use_ivar = True
napoleon_use_rtype = False
autodoc_typehints = "none"
autodoc_member_order = "bysource"
autosummary_generate = True
autosummary_imported_members = False

html_theme = "furo"
html_title = f"phgs {release}"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_copy_source = False
copybutton_prompt_text = "$ "
copybutton_only_copy_prompt_lines = True


def _shorten_signature(app, what, name, obj, options, signature, return_annotation):
    """Leave the type annotations to the docstring: ``learn(data, method='auto', **parameters)``."""
    if signature is None:
        return None
    return re.sub(r"<object object at 0x[0-9a-f]+>", "…", signature), None


def _one_attribute_an_entry(app, what, name, obj, options, lines):
    """Make an entry for each of ``x, y : float`` among the attributes: a field of Sphinx has one name."""
    start = next((i for i, line in enumerate(lines) if line == "Attributes"), None)
    if start is None:
        return
    end = next((i for i in range(start + 2, len(lines)) if re.fullmatch("-{3,}", lines[i])), len(lines) + 1) - 1
    entries = "\n".join(lines[start + 2 : end])
    several = re.compile(r"^(\w+(?:, \w+)+)( : .*)?\n((?: .*\n?)+)", re.MULTILINE)
    entries = several.sub(lambda m: "".join(f"{n}{m[2] or ''}\n{m[3].rstrip()}\n" for n in m[1].split(", ")), entries)
    lines[start + 2 : end] = entries.split("\n")


def _not_an_empty_glob(record):
    """Let the lists of benchmarks and studies be empty; Sphinx gives this warning no name to suppress it by."""
    return "didn't match any documents" not in str(record.msg)


def setup(app):
    """Write the pages that are made from the code, before Sphinx reads its sources."""
    logging.getLogger("sphinx.sphinx.directives.other").addFilter(_not_an_empty_glob)
    app.connect("autodoc-process-docstring", _one_attribute_an_entry, priority=100)  # before napoleon
    app.connect("autodoc-process-signature", _shorten_signature)
    write_command_line(Path(__file__).parent / "reference" / "command-line-options.md")
    write_notebooks(Path(__file__).parent / "examples" / "notebooks")
