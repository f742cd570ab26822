"""Check the links of the built documentation: ``python docs/tools/links.py site``.

Every link to a page, picture or download inside the site must lead to a file, and every anchor to an element with that
name. Links that leave the site are listed with ``--external`` and not followed, so that the check needs no network.
"""

from __future__ import annotations

import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

# Pages that Sphinx makes without the anchors that its own script adds.
_MADE_BY_SCRIPT = {"search.html"}


class _Page(HTMLParser):
    """The links and the anchors of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.links: list[str] = []
        self.anchors: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name in ("href", "src") and value and tag != "base":
                self.links.append(value)
            elif value and (name == "id" or (tag == "a" and name == "name")):
                self.anchors.add(value)


def check(site: Path) -> tuple[list[str], set[str]]:
    """Return what is wrong with the links of a site, one line each, and the links that leave it."""
    pages: dict[Path, _Page] = {}
    for path in sorted(site.rglob("*.html")):
        page = _Page()
        page.feed(path.read_text(encoding="utf-8"))
        pages[path.resolve()] = page
    wrong, external = [], set()
    for path, page in pages.items():
        for link in page.links:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                if parts.scheme != "data":
                    external.add(link)
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            name = f"{path.relative_to(site.resolve())}: {link}"
            on_page = target in pages and target.name not in _MADE_BY_SCRIPT
            if not target.exists():
                wrong.append(f"{name} leads to no file")
            elif parts.fragment and on_page and unquote(parts.fragment) not in pages[target].anchors:
                wrong.append(f"{name} leads to no anchor")
    return wrong, external


def main(arguments: list[str]) -> int:
    """Print what is wrong; return 1 if something is."""
    folders = [Path(name) for name in arguments if not name.startswith("--")]
    if len(folders) != 1 or not folders[0].is_dir():
        print("usage: python docs/tools/links.py FOLDER [--external]", file=sys.stderr)
        return 2
    wrong, external = check(folders[0])
    for line in [*wrong, *(sorted(external) if "--external" in arguments else [])]:
        print(line)
    print(f"{len(wrong)} broken links, {len(external)} links that leave the site")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
