"""The document about starts says what providers can really do."""

from __future__ import annotations

from dataclasses import astuple
from pathlib import Path

from adapters.capabilities import capabilities_of

DOCUMENT = Path(__file__).parents[2] / "docs" / "starts.md"


def test_the_table_of_capabilities_is_what_the_adapters_say() -> None:
    """Somebody who decides by the table is not wrong."""
    rows = {
        driver: tuple(cell == "yes" for cell in cells)
        for line in DOCUMENT.read_text("utf-8").splitlines()
        for driver, *cells in [[cell.strip() for cell in line.strip("|").split("|")]]
        if cells and set(cells) <= {"yes", "no"}
    }

    assert rows == {driver: astuple(capabilities_of(driver)) for driver in rows}
    assert list(rows) == ["codex", "claude", "opencode", "cursor", "grok"]
