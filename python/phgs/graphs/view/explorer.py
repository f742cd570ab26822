"""What `explore` and `report` return."""

from __future__ import annotations

import os
from html import escape

from phgs.output import write_whole


class Page:
    """One HTML file that needs no network and no server; a notebook shows it in a frame.

    Attributes
    ----------
    html : str
        The whole page.
    """

    def __init__(self, html: str, description: str) -> None:
        self.html = html
        self._description = description

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the page, whole or not at all."""
        write_whole(path, self.html)

    def __repr__(self) -> str:
        return f"<phgs.{type(self).__name__}: {self._description}; {len(self.html.encode()):,} bytes>"

    def _repr_html_(self) -> str:
        # A frame without an origin: it can run its own script and save a picture, and reach nothing else.
        return (
            f'<iframe sandbox="allow-scripts allow-downloads" srcdoc="{escape(self.html)}" width="100%" height="640"'
            f' style="border:1px solid #8886;border-radius:8px" title="{escape(self._description)}"></iframe>'
        )


class Explorer(Page):
    """A picture of a graph that one can explore in a browser; made by `Result.explore` and its like.

    A notebook shows it as it is. `save` writes it as one file that needs no network and no server.

    Attributes
    ----------
    html : str
        The whole page.
    """
