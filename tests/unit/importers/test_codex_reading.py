"""How a thread is read: in parts, in other processes, with little memory, always the same."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from importers.codex.importer import CodexImporter
from importers.contract import ItemsRead, ReadEnd, ReadOptions, ThreadRead
from tests.samples_on_disk import unpack_home
from tests.unit.importers.codex_home import (
    CodexHome,
    answered,
    asked,
    completed,
    encoded,
    meta,
    model_item,
    read,
    said,
    started,
    turn,
    uuid,
)

THREAD = uuid(0)
ONE = uuid(1)


def test_a_digest_changes_with_the_records(home: CodexHome) -> None:
    """And with nothing else: a touched file is the same file."""
    path = home.rollout(THREAD, [meta(THREAD), *turn(ONE)])
    first = home.read().ends[THREAD].digest
    os.utime(path, (1, 1))
    touched = home.read().ends[THREAD].digest
    home.rollout(THREAD, [meta(THREAD), *turn(ONE, answer="another")])
    changed = home.read().ends[THREAD].digest

    assert first is not None
    assert first == touched != changed


def test_a_fingerprint_changes_with_what_is_known(home: CodexHome) -> None:
    """A file that grew, a row that was patched, an edge that was closed."""
    lines = [meta(THREAD), *turn(ONE)]
    fingerprints: list[int] = []

    for change in (
        lambda: home.rollout(THREAD, lines),
        lambda: home.rollout(THREAD, [*lines, started(uuid(2))]),
        lambda: home.database({"id": THREAD, "title": "x"}),
        lambda: (home.folder / "session_index.jsonl").write_text(
            json.dumps({"id": THREAD, "thread_name": "x"})
        ),
    ):
        change()
        fingerprints.append(CodexImporter().plan([home.folder]).sources[0].fingerprint)
    again = CodexImporter().plan([home.folder]).sources[0].fingerprint

    assert len(set(fingerprints)) == 4
    assert fingerprints[-1] == again


def test_an_importer_notices_what_changed_since_it_planned(home: CodexHome) -> None:
    """It remembers first lines, but not those of files that were rewritten."""
    importer = CodexImporter()
    home.rollout(THREAD, [meta(THREAD)])
    importer.plan([home.folder])
    home.rollout(THREAD, [meta(uuid(9)), *turn(ONE)])

    plan = importer.plan([home.folder])

    assert [source.thread_id for source in plan.sources] == [uuid(9)]


def long_thread(home: CodexHome, turns: int) -> Path:
    """A thread with so many turns of every sort of line."""
    lines = [meta(THREAD)]
    for number in range(turns):
        turn_id = uuid(number + 1)
        lines += [
            started(turn_id),
            said("user", f"question {number}"),
            asked(f"question {number}"),
            model_item("reasoning", summary=[{"type": "summary_text", "text": "hm"}]),
            model_item("function_call", name="shell", arguments='{"command":["x"]}', call_id="c"),
            model_item("function_call_output", call_id="c", output="y" * 3000),
            answered(f"answer {number}"),
            completed(turn_id),
        ]
    return home.rollout(THREAD, encoded(lines))


def test_a_long_thread_comes_in_parts(home: CodexHome) -> None:
    """Each part follows the one before without a gap; only the end has the digest."""
    long_thread(home, 700)
    importer = CodexImporter()
    (source,) = importer.plan([home.folder]).sources

    parts = list(importer.read(source, ReadOptions()))

    first, *middle, end = parts
    assert isinstance(first, ThreadRead)
    assert (first.thread.items.complete, first.thread.digest) == (False, None)
    assert isinstance(end, ReadEnd)
    assert end.digest is not None
    items = list(first.thread.items.items)
    for part in middle:
        assert isinstance(part, ItemsRead)
        items.extend(part.items)
    assert [each.position for each in items] == list(range(end.item_count))
    assert end.item_count == end.settled == 2800


def test_large_files_are_read_like_small_ones(
    home: CodexHome, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is not kept in memory is read twice, with the same result."""
    folders = [unpack_home("codex-0.171.0/migrated", tmp_path)]
    folders.append(unpack_home("codex-0.171.0/spawn-v2-paginated", tmp_path))
    folders.append(unpack_home("codex-0.171.0/compressed", tmp_path))
    folders.append(unpack_home("codex-0.141.0/review", tmp_path))
    home.rollout(THREAD, encoded([meta(THREAD), *turn(ONE)]) + b"broken\n" + encoded(turn("x")))
    folders.append(home.folder)
    small = [read(folder) for folder in folders]

    monkeypatch.setattr("importers.codex.reading.KEPT_BYTES", 0)
    large = [read(folder) for folder in folders]

    assert [found.threads for found in large] == [found.threads for found in small]
    assert [found.skips for found in large] == [found.skips for found in small]


def test_a_file_that_is_gone_is_a_skip(home: CodexHome) -> None:
    """It was moved to the archive meanwhile; the database's row does not replace its thread."""
    path = home.rollout(THREAD, [meta(THREAD), *turn(ONE)])
    home.database({"id": THREAD, "title": "x"})
    importer = CodexImporter()
    (source,) = importer.plan([home.folder]).sources
    path.unlink()

    (end,) = importer.read(source, ReadOptions())

    assert isinstance(end, ReadEnd)
    assert end.digest is None
    assert [skip.reason for skip in end.skips] == ["unreadable-file"]


MEASURED = """
import resource, sys
from pathlib import Path
from importers.codex.importer import CodexImporter
from importers.contract import ReadOptions

importer = CodexImporter()
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
for source in importer.plan([Path(sys.argv[1])]).sources:
    for _ in importer.read(source, ReadOptions()):
        pass
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // 1024)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="measured in the units of Linux")
def test_memory_does_not_grow_with_a_file(home: CodexHome) -> None:
    """A 50 MB rollout takes no more than one of 10 MB."""
    path = long_thread(home, 2_300)
    data = path.read_bytes()
    grown: list[int] = []
    for times in (1, 5):
        path.write_bytes(data * times)
        run = subprocess.run(  # noqa: S603 - this interpreter with this test's own words
            [sys.executable, "-c", MEASURED, str(home.folder)],
            check=True,
            capture_output=True,
            cwd=Path(__file__).parents[3],
        )
        grown.append(int(run.stdout))

    assert path.stat().st_size > 40_000_000
    assert max(grown) < 64
    assert grown[1] - grown[0] < 24
