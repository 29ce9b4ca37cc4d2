"""What holds for every importer, tried with every home there is: an importer gets it for free."""

from __future__ import annotations

import os
import pickle
import random
import shutil
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from graph.errors import SourceNotFound, SourceNotRecognized
from graph.records import Batch
from importers.contract import (
    PREVIEW_CHARACTERS,
    Content,
    ItemsRead,
    ReadEnd,
    ReadOptions,
    ThreadRead,
)
from importers.known import known_importers
from tests.importing import Imported, import_paths, read_sources
from tests.unit.importers.cases import CASES, EXAMPLE, FEW, GROWING, Case

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from graph.model import ThreadId
    from importers.contract import Importer, Plan

pytestmark = pytest.mark.anyio

GARBAGE = b'{"broken": [1, "2\n'
TORN_BYTES = 10


def of(*cases: Case) -> Callable[..., Any]:
    """The test, once for each case."""
    return pytest.mark.parametrize("case", cases, ids=[case.name for case in cases])


WITH_LINES = [case for case in CASES if case.lines is not None]


async def facts_of(imported: Imported) -> dict[str, object]:
    """All that a store holds of the conversations, and what they have to do with each other."""
    facts = imported.store.facts
    return {
        "runs": facts.runs_of,
        "items": facts.items_of,
        "windows": facts.windows_of,
        "forks": await imported.store.fork_origins(sorted(facts.known)),
        "spawns": facts.spawns,
        "parents": facts.parents,
        "bases": facts.bases,
        "calls": facts.calls_of,
        "transfers": facts.transfers,
        "handoffs": facts.handoffs,
    }


async def imported(case: Case, *paths: Path) -> Imported:
    """An import of the paths by an importer that has seen nothing yet."""
    return await import_paths(case.importer(), paths)


def state_of(folder: Path) -> list[tuple[str, int, bytes]]:
    """The files of a folder: names, times and contents."""
    return [
        (str(path), path.stat().st_mtime_ns, path.read_bytes())
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    ]


def parts_of(importer: Importer, plan: Plan) -> list[Any]:
    """All that reading the sources of a plan gives."""
    return [list(importer.read(source, ReadOptions())) for source in plan.sources]


def test_every_known_importer_is_tried() -> None:
    """One that is added without a home to try it with is found out."""
    known = {importer.driver for importer in known_importers()}

    assert known <= {case.importer().driver for case in CASES}


@of(*CASES)
async def test_importing_again_gives_the_same_records(case: Case, tmp_path: Path) -> None:
    """The digest is that of the record, so nothing is written a second time."""
    home = case.write(tmp_path)

    first, second = await imported(case, home), await imported(case, home)

    assert first.threads == second.threads
    assert first.skips == second.skips
    assert all(thread.digest for thread in first.threads.values())


@of(*CASES)
async def test_any_order_of_conversations_gives_one_graph(case: Case, tmp_path: Path) -> None:
    """Forks before their sources, agents before their sessions, and once more on top of it."""
    home = case.write(tmp_path)
    forwards = await imported(case, home)

    backwards = await import_paths(case.importer(), [home], backwards=True)
    again = await import_paths(case.importer(), [home], into=forwards)

    assert backwards.threads == forwards.threads
    assert await facts_of(backwards) == await facts_of(forwards) == await facts_of(again)


@of(*CASES)
async def test_files_that_are_named_one_by_one_give_the_same_graph(
    case: Case, tmp_path: Path
) -> None:
    """In an order that means nothing; what no file tells comes with the home itself."""
    home = case.write(tmp_path)
    whole = await imported(case, home)
    files = case.unit_files(home)
    random.Random(case.name).shuffle(files)  # noqa: S311 - the same order in every run

    in_parts = Imported()
    for path in files:
        await import_paths(case.importer(), [path], into=in_parts)
    told = set(in_parts.threads)
    await import_paths(case.importer(), [home], into=in_parts)

    assert told
    assert {thread_id: in_parts.threads[thread_id] for thread_id in told} == {
        thread_id: whole.threads[thread_id] for thread_id in told
    }
    assert await facts_of(in_parts) == await facts_of(whole)


@pytest.mark.parametrize("newest_first", [False, True])
@of(*GROWING)
async def test_a_home_that_is_imported_while_it_grows_ends_up_the_same(
    case: Case, tmp_path: Path, *, newest_first: bool
) -> None:
    """After each line, file or row, and in the middle of some lines."""
    home = case.write(tmp_path / "whole")
    growing = tmp_path / "growing"
    growing.mkdir()
    grown, importer = Imported(), case.importer()
    seen: dict[ThreadId, int] = {}

    for _ in case.grow(home, growing, newest_first=newest_first):
        await _follow(importer, growing, seen, grown)

    fresh = await imported(case, growing)
    assert await facts_of(grown) == await facts_of(fresh)
    assert set(grown.threads) == set(fresh.threads)


async def _follow(
    importer: Importer, folder: Path, seen: dict[ThreadId, int], into: Imported
) -> None:
    """Import what changed in a folder, as its fingerprints say."""
    try:
        plan = importer.plan([folder])
    except SourceNotRecognized:
        return
    changed = [
        source for source in plan.sources if seen.get(source.thread_id) != source.fingerprint
    ]
    seen.update({source.thread_id: source.fingerprint for source in changed})
    for thread in read_sources(importer, changed, ReadOptions(), into):
        into.threads[thread.thread_id] = thread
        transfers = into.transfers.get(thread.thread_id, ())
        await into.store.record(Batch(threads=(thread,), transfers=transfers))
    await into.store.record(Batch(spawns=plan.spawns))


@of(*WITH_LINES)
async def test_a_torn_last_line_is_left_out_and_nothing_else(case: Case, tmp_path: Path) -> None:
    """It may still be written; the rest is as if the line were not there yet."""
    home = case.write(tmp_path)
    files = [path for path in case.line_files(home) if path.read_bytes().count(b"\n") > 1]
    contents = {path: path.read_bytes() for path in files}

    for path, content in contents.items():
        path.write_bytes(content[:-TORN_BYTES])
    torn = await imported(case, home)
    for path, content in contents.items():
        path.write_bytes(content[: content[:-1].rindex(b"\n") + 1])
    without = await imported(case, home)

    assert await facts_of(torn) == await facts_of(without)
    assert torn.reasons.count("torn-line") == len(files)


@of(*WITH_LINES)
async def test_a_bad_line_loses_only_itself(case: Case, tmp_path: Path) -> None:
    """It is counted; the rest is as if an empty line stood there."""
    home = case.write(tmp_path)
    contents = {path: path.read_bytes().split(b"\n") for path in case.line_files(home)}

    async def with_line(line: bytes) -> Imported:
        for path, lines in contents.items():
            middle = len(lines) // 2
            path.write_bytes(b"\n".join([*lines[:middle], line.strip(), *lines[middle + 1 :]]))
        return await imported(case, home)

    spoilt, without = await with_line(GARBAGE), await with_line(b"")

    assert await facts_of(spoilt) == await facts_of(without)
    assert spoilt.reasons.count("not-json") == len(contents)


@of(*CASES)
async def test_what_a_newer_version_writes_is_counted_and_the_rest_is_read(
    case: Case, tmp_path: Path
) -> None:
    """Lines, fields, columns and tables that nobody knows yet."""
    home = case.write(tmp_path)
    before = await imported(case, home)

    reasons = case.newer(home)
    after = await imported(case, home)

    assert await facts_of(after) == await facts_of(before)
    assert set(after.reasons) == {*before.reasons, *reasons}


@of(*FEW)
async def test_files_of_other_programs_are_passed_over(case: Case, tmp_path: Path) -> None:
    """Beside the tool's own: nothing of them is read, and they stop nothing."""
    home = case.write(tmp_path / "own")
    before = await imported(case, home)
    strangers = tmp_path / "strangers"

    folder = case.unit_files(home)[0].parent
    for other in _other_cases(case):
        for path in other.unit_files(other.write(strangers / other.name))[:1]:
            shutil.copy(path, folder / f"stranger-of-{Path(other.name).name}{path.suffix}")
    _write_strange_files(folder)
    after = await imported(case, home)

    assert await facts_of(after) == await facts_of(before)
    told = {skip.path: skip.reason for skip in after.skips if skip not in before.skips}
    assert all("strange" in path for path in told), told


def _other_cases(case: Case) -> Iterator[Case]:
    """A home of each other tool."""
    seen = {case.importer}
    for other in CASES:
        if other.importer not in seen:
            seen.add(other.importer)
            yield other


def _write_strange_files(folder: Path) -> None:
    for suffix in (".jsonl", ".json", ".db", ".txt"):
        (folder / f"strange-empty{suffix}").write_bytes(b"")
        (folder / f"strange-object{suffix}").write_text('{"hello": "world"}\n')
        (folder / f"strange-list{suffix}").write_text("[1, 2]\n")
        (folder / f"strange-bytes{suffix}").write_bytes(bytes(range(256)) * 40)
        (folder / f"strange-link{suffix}").symlink_to(folder / "nowhere")
    (folder / "strange-loop").symlink_to(folder)


@of(*FEW)
def test_a_home_is_recognized_by_its_own_importer_alone(case: Case, tmp_path: Path) -> None:
    """By what is in it: as a whole, and each file by itself, whatever its name is."""
    home = case.write(tmp_path)
    own = case.importer()
    others = [importer for importer in known_importers() if importer.driver != own.driver]
    units = case.unit_files(home)
    renamed = units[0].rename(units[0].with_name(f"renamed{''.join(units[0].suffixes)}"))

    recognized = [own.recognizes(path) for path in (home, *units[1:], renamed)]

    assert all(recognized)
    assert not any(other.recognizes(path) for other in others for path in (home, renamed))


@of(*FEW)
async def test_nothing_is_written_to_what_is_read(case: Case, tmp_path: Path) -> None:
    """Neither names nor contents nor times change, and no file is added."""
    home = case.write(tmp_path)
    before = state_of(home)

    importer = case.importer()
    importer.recognizes(home)
    await import_paths(importer, [home])

    assert state_of(home) == before


@of(*CASES)
def test_the_parts_of_a_source_are_a_thread_its_items_and_an_end(
    case: Case, tmp_path: Path
) -> None:
    """Items without a gap, ids that are there once, and counts and digests that agree."""
    importer = case.importer()
    plan = importer.plan([case.write(tmp_path)])

    ids = [source.thread_id for source in plan.sources]
    assert len(set(ids)) == len(ids)
    for source in plan.sources:
        first, *middle, end = importer.read(source, ReadOptions())
        assert isinstance(first, ThreadRead)
        assert isinstance(end, ReadEnd)
        items = list(first.thread.items.items)
        for part in middle:
            assert isinstance(part, ItemsRead)
            items.extend(part.items)
        runs = [run.run_id for run in first.thread.runs]
        assert first.thread.thread_id == end.thread_id == source.thread_id
        assert first.thread.driver == importer.driver
        assert first.thread.items.complete == (not middle) == (first.thread.digest is not None)
        assert [item.position for item in items] == list(range(end.item_count))
        assert len({item.item_id for item in items}) == len(items)
        assert len(set(runs)) == len(runs)
        assert 0 <= end.settled <= end.item_count
        assert end.digest


@of(*FEW)
def test_a_plan_can_be_sent_to_another_process(case: Case, tmp_path: Path) -> None:
    """With the importer, which forgets what it has read."""
    importer = case.importer()
    plan = importer.plan([case.write(tmp_path)])

    sent, sources = pickle.loads(pickle.dumps((importer, plan.sources)))  # noqa: S301 - our own

    assert parts_of(sent, replace(plan, sources=sources)) == parts_of(importer, plan)
    assert len(pickle.dumps(importer)) < 500


@of(*FEW)
def test_a_source_that_is_gone_when_it_is_read_ends_nothing(case: Case, tmp_path: Path) -> None:
    """Between the plan and the reading, anything may happen: that is a skip."""
    home = case.write(tmp_path)
    importer = case.importer()
    plan = importer.plan([home])
    shutil.rmtree(home)

    for source in plan.sources:
        *_, end = importer.read(source, ReadOptions())

        assert isinstance(end, ReadEnd)
        assert end.digest is not None or end.skips


@of(*WITH_LINES)
def test_what_is_written_after_the_plan_is_left_for_the_next_time(
    case: Case, tmp_path: Path
) -> None:
    """The record and the items are of one state of the file."""
    home = case.write(tmp_path)
    importer = case.importer()
    plan = importer.plan([home])
    before = parts_of(importer, plan)

    for path in case.line_files(home):
        *_, last, _ = path.read_bytes().split(b"\n")
        with path.open("ab") as file:
            file.write(last + b"\n" + GARBAGE)

    assert parts_of(importer, plan) == before


@of(*FEW)
def test_a_fingerprint_changes_with_the_files_alone(case: Case, tmp_path: Path) -> None:
    """It is the same for every importer, and another one once a file has grown."""
    home = case.write(tmp_path)

    def fingerprints() -> dict[ThreadId, int]:
        return {s.thread_id: s.fingerprint for s in case.importer().plan([home]).sources}

    first, again = fingerprints(), fingerprints()
    for path in case.line_files(home):
        *_, last, _ = path.read_bytes().split(b"\n")
        with path.open("ab") as file:
            file.write(last + b"\n")
    grown = fingerprints()

    assert first == again
    if case.line_files(home):
        assert first != grown


@of(*FEW)
def test_a_path_that_is_not_there_is_said_to_be_missing(case: Case, tmp_path: Path) -> None:
    """A typed error, with the path."""
    missing = tmp_path / "missing"

    with pytest.raises(SourceNotFound) as raised:
        case.importer().plan([missing])

    assert raised.value.path == str(missing)
    assert not case.importer().recognizes(missing)


@of(*(case for case in CASES if case is EXAMPLE or case.name.endswith(("forks", "linear"))))
def test_a_folder_of_other_things_is_said_to_hold_none(case: Case, tmp_path: Path) -> None:
    """Full of something else; a folder that is empty is not recognized either."""
    _write_strange_files(tmp_path)
    (tmp_path / "empty").mkdir()

    with pytest.raises(SourceNotRecognized):
        case.importer().plan([tmp_path])

    assert not case.importer().recognizes(tmp_path)
    assert not case.importer().recognizes(tmp_path / "empty")


@of(*FEW)
async def test_as_much_text_is_kept_as_was_asked_for(case: Case, tmp_path: Path) -> None:
    """The sizes are those of the whole texts in any case; the account is the user's word."""
    home = case.write(tmp_path)
    full, preview, none = [
        await import_paths(
            case.importer(), [home], ReadOptions(content=content, provider="work account")
        )
        for content in Content
    ]

    def texts(of: Imported) -> list[str | None]:
        return [item.text for thread in of.threads.values() for item in thread.items.items]

    def sizes(of: Imported) -> list[int]:
        return [item.text_bytes for thread in of.threads.values() for item in thread.items.items]

    assert texts(preview) == [
        None if text is None else text[:PREVIEW_CHARACTERS] for text in texts(full)
    ]
    assert set(texts(none)) <= {None}
    assert sizes(full) == sizes(preview) == sizes(none)
    providers = {thread.provider_instance_id for thread in full.threads.values()}
    assert providers == {"work account"}


@of(*FEW)
def test_a_file_that_is_touched_is_the_same_conversation(case: Case, tmp_path: Path) -> None:
    """What is read does not depend on when the file was last looked at or copied."""
    home = case.write(tmp_path)
    importer = case.importer()
    before = [end.digest for *_, end in parts_of(importer, importer.plan([home]))]

    for path in home.rglob("*"):
        os.utime(path, ns=(1_796_036_390_000_000_000, 1_796_036_390_000_000_000))
    after = [end.digest for *_, end in parts_of(importer, importer.plan([home]))]

    assert before == after
