"""Tables for notebooks: plain HTML, which takes its colours from the page, light or dark."""

from collections.abc import Iterable, Sequence
from html import escape


def html_table(headings: Sequence[str], rows: Iterable[Sequence[str]], caption: str = "") -> str:
    """Return a table with ``headings`` above its ``rows`` and a ``caption``; every text is escaped.

    >>> html_table(["plan"], [["a < b"]])
    '<table><thead><tr><th>plan</th></tr></thead><tbody><tr><td>a &lt; b</td></tr></tbody></table>'
    """
    head = "".join(f"<th>{escape(text)}</th>" for text in headings)
    body = "".join(f"<tr>{''.join(f'<td>{escape(text)}</td>' for text in row)}</tr>" for row in rows)
    told = f"<caption>{escape(caption)}</caption>" if caption else ""
    return f"<table>{told}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def html_facts(rows: Iterable[tuple[str, str]], caption: str = "") -> str:
    """Return a table of names and what they are, under a ``caption``."""
    body = "".join(f"<tr><th>{escape(name)}</th><td>{escape(text)}</td></tr>" for name, text in rows)
    told = f"<caption>{escape(caption)}</caption>" if caption else ""
    return f"<table>{told}<tbody>{body}</tbody></table>"


def html_text(text: str) -> str:
    """Return a ``text`` whose lines and columns stay as they are."""
    return f"<pre>{escape(text)}</pre>"
