"""The explorable picture of a graph: one HTML file that works from disk, loads nothing and sends nothing.

`payload` puts together what is shown, `separations` what keeps pairs apart, `page` makes the file, `explorer` is what
users hold. `view.js`, `view.css` and `view.html` are the viewer itself, without libraries and without a build step. In
a large page the viewer is compressed, and `unpack.js` unpacks it.
"""

from phgs.graphs.view.explorer import Explorer

__all__ = ["Explorer"]
