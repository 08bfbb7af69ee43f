"""Small tables for notebooks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

__all__ = ["table"]


def table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """An HTML table: the first column to the left, the others to the right.

    >>> table(["a", "b"], [("x<y", 1)]).count("<td")
    2
    """

    def line(cells: Sequence[object], tag: str) -> str:
        side = ["left"] + ["right"] * (len(cells) - 1)
        parts = (
            f'<{tag} style="text-align:{where}">{escape(str(cell))}</{tag}>'
            for where, cell in zip(side, cells, strict=True)
        )
        return f"<tr>{''.join(parts)}</tr>"

    body = "".join(line(row, "td") for row in rows)
    return f"<table><thead>{line(head, 'th')}</thead><tbody>{body}</tbody></table>"
