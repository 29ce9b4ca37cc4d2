"""Real rollouts with bytes and lines broken at random: an import goes through all the same."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

from graph.errors import SourceNotRecognized
from graph.model import Timestamp
from importers.contract import ReadOptions
from tests.samples_on_disk import SAMPLES
from tests.unit.importers.codex_home import Import, read

if TYPE_CHECKING:
    from pathlib import Path

ROLLOUTS = sorted(SAMPLES.glob("codex-*/*/home/**/rollout-*.jsonl"))
NOW = Timestamp("2026-11-30T11:00:00.000000Z")


def damaged(data: bytes, chance: random.Random) -> bytes:
    """The same with a few bytes changed, lost, added and said twice, and lines out of order."""
    broken = bytearray(data)
    for _ in range(chance.randrange(1, 40)):
        at = chance.randrange(len(broken))
        match chance.randrange(4):
            case 0:
                broken[at] = chance.randrange(256)
            case 1:
                del broken[at : at + chance.randrange(200)]
            case 2:
                broken[at:at] = chance.randbytes(5)
            case _:
                broken[at:at] = broken[max(0, at - 300) : at]
    lines = bytes(broken).split(b"\n")
    if chance.random() < 0.3:
        chance.shuffle(lines)
    return b"\n".join(lines)


def import_of(path: Path) -> Import | None:
    """The import of a file; nothing where nothing in it is left of a rollout."""
    try:
        return read(path, options=ReadOptions(now=NOW))
    except SourceNotRecognized:
        return None


@pytest.mark.parametrize("seed", range(60))
def test_damage_never_stops_an_import(seed: int, tmp_path: Path) -> None:
    """Whatever is left has unique ids, positions without a gap, and all of its times."""
    chance = random.Random(seed)  # noqa: S311 - damage that is the same in every run
    original = chance.choice(ROLLOUTS)
    path = tmp_path / original.name
    path.write_bytes(damaged(original.read_bytes(), chance))

    found = import_of(path)

    for thread in found.threads.values() if found is not None else ():
        items = thread.items.items
        assert [item.position for item in items] == list(range(len(items)))
        assert len({item.item_id for item in items}) == len(items)
        assert len({run.run_id for run in thread.runs}) == len(thread.runs)
        assert len({window.number for window in thread.windows}) == len(thread.windows)
        assert all((thread.created_at, thread.updated_at, thread.recency_at))
