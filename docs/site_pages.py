"""What the site has besides the pages in this folder; mkdocs.yml names this file, and mkdocs calls it.

Pages that live elsewhere (README.md and others) are brought in, notebooks are run, and the API is listed in
full. Links between all of them keep working: a link into the repository that leads to no page becomes plain
text.
"""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

import notebook_pages

DOCS = Path(__file__).parent
ROOT = DOCS.parent
PAGES = {
    "index.md": "README.md",
    "security.md": "SECURITY.md",
    "contributing.md": "CONTRIBUTING.md",
    "changes.md": "CHANGELOG.md",
    "javascript.md": "clients/javascript/README.md",
}
"""Pages of the site, and where their text is."""

_LINK = re.compile(r"(!?)\[([^\]]*)\]\(([^)\s#:]+)(#[^)\s]*)?\)")


def on_files(files: Any, config: Any) -> Any:
    """Add the pages that are not in this folder."""
    from mkdocs.structure.files import File

    def add(name: str, content: str | bytes) -> None:
        files.append(File.generated(config, name, content=content))

    for name, source in PAGES.items():
        add(name, (ROOT / source).read_text(encoding="utf-8"))
    add("api.md", api_page((DOCS / "reference.md").read_text(encoding="utf-8")))
    for program in sorted((DOCS / "notebooks").glob("*.py")):
        for name, content in notebook_pages.made_from(program).items():
            add(f"notebooks/{name}", content)
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Return the text of a page with links that work on the site, and examples as they are printed."""
    return with_links_of_the_site(as_printed(markdown), page.file.src_uri)


def as_printed(text: str) -> str:
    r"""Return ``text`` with an empty line where doctest asks to write ``<BLANKLINE>``.

    >>> as_printed("one\n<BLANKLINE>\ntwo")
    'one\n\ntwo'
    """
    return re.sub(r"^<BLANKLINE>$", "", text, flags=re.MULTILINE)


def with_links_of_the_site(text: str, page: str) -> str:
    """Return ``text`` with links that lead from a ``page`` of the site to others, or to none.

    >>> with_links_of_the_site("[a](docs/guide.md#top), [b](experiments/data.py)", "index.md")
    '[a](guide.md#top), b'
    >>> with_links_of_the_site("[a](../../docs/guide.md)", "javascript.md")
    '[a](guide.md)'
    """
    folder = Path(PAGES.get(page, f"docs/{page}")).parent
    places = {source: name for name, source in PAGES.items()}

    def moved(link: re.Match[str]) -> str:
        picture, said, target, anchor = link.groups()
        source = os.path.normpath(folder / target)
        place = places.get(source, source.removeprefix("docs/"))
        if source not in places and (not source.startswith("docs/") or (ROOT / source).is_dir()):
            return said
        return f"{picture}[{said}]({os.path.relpath(place, Path(page).parent)}{anchor or ''})"

    return _LINK.sub(moved, text)


def api_page(reference: str) -> str:
    """Return the page that shows all names of the ``reference`` in full, in its order."""
    lines = ["# Every public name, in full", "", "One line for each is [on another page](reference.md).", ""]
    for heading, name in re.findall(r"^## (.+)$|^\| `(\w+)` \|", reference, re.MULTILINE):
        lines += [f"## {heading}", ""] if heading else [f"::: ldprange.{name}", ""]
    return "\n".join(lines)
