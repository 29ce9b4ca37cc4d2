"""Damage anywhere in a pi session costs at most the lines that it hits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from importers.contract import ReadOptions
from importers.pi.importer import PiImporter
from tests.importing import Imported, read_sources
from tests.unit.importers.pi.sessions import Written

if TYPE_CHECKING:
    from pathlib import Path

PROMPTS = 6


@dataclass(frozen=True)
class Damage:
    """Bytes of one line that are replaced by others."""

    line: int
    start: int
    length: int
    put: bytes

    def done_to(self, lines: list[bytes]) -> bytes:
        """The whole file, damaged."""
        body = lines[self.line].removesuffix(b"\n")
        end = self.start + self.length
        damaged = body[: self.start] + self.put + body[end:] + b"\n"
        return b"".join([*lines[: self.line], damaged, *lines[self.line + 1 :]])


def session_lines() -> list[bytes]:
    """A session of some turns, and an entry of other kinds."""
    session = Written("s", 1)
    for number in range(PROMPTS):
        session.turn(str(number))
    session.entry("c", "compaction", summary="so far", firstKeptEntryId="1u")
    session.entry("l", "label", targetId="1u", label="here")
    return session.raw()


DAMAGE = st.builds(
    Damage,
    line=st.integers(1, 2 * PROMPTS),
    start=st.integers(0, 200),
    length=st.integers(0, 60),
    put=st.binary(max_size=40).filter(lambda put: b"\n" not in put),
)


@settings(
    max_examples=200, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(damage=DAMAGE)
def test_damage_costs_only_the_line_that_it_hits(tmp_path: Path, damage: Damage) -> None:
    """All other lines are read, and nothing fails."""
    path = tmp_path / "any.jsonl"
    path.write_bytes(damage.done_to(session_lines()))

    plan = PiImporter().plan([path])
    (thread,) = read_sources(PiImporter(), plan.sources, ReadOptions(), Imported())

    prompts = {item.text for item in thread.items.items if item.role == "user"}
    untouched = {f"prompt {number}u" for number in range(PROMPTS) if 1 + 2 * number != damage.line}
    assert untouched <= prompts
