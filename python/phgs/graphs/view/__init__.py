"""The explorable picture of a graph: one HTML file that works from disk, loads nothing and sends nothing.

`payload` puts together what is shown, `page` makes the file, `explorer` is what users hold; `view.js`, `view.css` and
`view.html` are the viewer itself, without libraries and without a build step.
"""

from phgs.graphs.view.explorer import Explorer

__all__ = ["Explorer"]
