"""Which files of a home are read, and what happens to those that can't be."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from graph.errors import SourceNotRecognized
from importers.codex.importer import CodexImporter
from importers.raw_lines import MAX_LINE_BYTES
from tests.unit.importers.codex_home import (
    CodexHome,
    answered,
    asked,
    completed,
    encoded,
    meta,
    read,
    started,
    turn,
    uuid,
)

THREAD, OTHER = uuid(0), uuid(100)
ONE = uuid(1)


# ── Which files ─────────────────────────────────────────────────────────────────────────


def test_active_beats_archived_and_plain_beats_compressed(home: CodexHome) -> None:
    """Of several copies of one rollout one is read; the others are counted."""
    home.rollout(THREAD, [meta(THREAD, cwd="/packed")], packed=True)
    home.rollout(THREAD, [meta(THREAD, cwd="/archived")], archived=True)
    home.rollout(THREAD, [meta(THREAD, cwd="/plain")])

    found = home.read()

    assert (found.threads[THREAD].cwd, found.threads[THREAD].archived) == ("/plain", False)
    assert found.reasons == ["duplicate-file", "duplicate-file"]


def test_a_compressed_rollout_is_read(home: CodexHome) -> None:
    """Like any other."""
    home.rollout(THREAD, [meta(THREAD), *turn(ONE)], packed=True)

    found = home.read()

    assert found.texts(THREAD) == [("message", "question"), ("message", "answer")]
    assert found.reasons == []


def test_broken_compression_is_a_skip(home: CodexHome) -> None:
    """What came before it is kept."""
    path = home.rollout(THREAD, [meta(THREAD), *turn(ONE)], packed=True)
    path.write_bytes(path.read_bytes()[:-20])
    home.rollout(OTHER, [meta(OTHER)])

    found = home.read()

    assert OTHER in found.threads
    assert set(found.reasons) & {"broken-compression", "no-session-meta"}


def test_the_archive_folder_archives(home: CodexHome) -> None:
    """Nested by date or flat; without a database it was archived when it was last written."""
    home.rollout(THREAD, [meta(THREAD), *turn(ONE)], archived=True)

    thread = home.read().threads[THREAD]

    assert thread.archived
    assert thread.archived_at == thread.updated_at


def test_temporary_and_hidden_files_are_ignored(home: CodexHome) -> None:
    """Compression writes them, and so do other systems."""
    path = home.rollout(THREAD, [meta(THREAD)])
    path.with_name(path.name + ".tmp").write_bytes(encoded([meta(OTHER)]))
    path.with_name("." + path.name).write_bytes(encoded([meta(OTHER)]))

    assert list(home.read().threads) == [THREAD]


def test_a_name_that_codex_does_not_give_is_read_by_its_content(home: CodexHome) -> None:
    """What is in a file counts, not what it is called."""
    path = home.rollout(THREAD, [meta(OTHER)])
    path.rename(path.with_name("notes.jsonl"))
    home.rollout(THREAD, [meta(uuid(200))])

    assert sorted(home.read().threads) == [OTHER, uuid(200)]


def test_a_loop_of_links_ends(home: CodexHome) -> None:
    """Each folder is looked into once."""
    path = home.rollout(THREAD, [meta(THREAD)])
    (path.parent / "again").symlink_to(home.folder / "sessions", target_is_directory=True)
    (path.parent / "nowhere.jsonl").symlink_to(home.folder / "missing")

    found = home.read()

    assert list(found.threads) == [THREAD]
    assert found.reasons == []


def test_a_linked_folder_is_followed(home: CodexHome, tmp_path: Path) -> None:
    """People keep their sessions on another disk."""
    home.rollout(THREAD, [meta(THREAD)])
    (home.folder / "sessions").rename(tmp_path / "elsewhere")
    (home.folder / "sessions").symlink_to(tmp_path / "elsewhere", target_is_directory=True)

    assert list(home.read().threads) == [THREAD]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_what_may_not_be_read_is_a_skip(home: CodexHome) -> None:
    """The rest is read."""
    home.rollout(OTHER, [meta(OTHER)]).chmod(0)
    home.rollout(THREAD, [meta(THREAD)])

    found = home.read()

    assert list(found.threads) == [THREAD]
    assert found.reasons == ["unreadable-file"]


# ── Paths ───────────────────────────────────────────────────────────────────────────────


def test_a_folder_without_rollouts_is_an_error(tmp_path: Path) -> None:
    """It says what could be named instead."""
    with pytest.raises(SourceNotRecognized, match="No Codex rollouts"):
        read(tmp_path)


@pytest.mark.parametrize(
    "content",
    [b"", b"\n\n", b"hello\n", b'{"type":"session","id":"x"}\n', b"\x00\x01\x02", b"[1, 2]\n"],
)
def test_a_file_of_another_program_is_an_error(tmp_path: Path, content: bytes) -> None:
    """And is not recognized."""
    path = tmp_path / "other.jsonl"
    path.write_bytes(content)

    assert not CodexImporter().recognizes(path)
    with pytest.raises(SourceNotRecognized, match=r"(no-session-meta|empty-file)"):
        read(path)


def test_a_file_of_another_program_among_others_is_a_skip(home: CodexHome) -> None:
    """It does not stop them."""
    home.rollout(THREAD, [meta(THREAD)])
    (home.folder / "sessions" / "other.jsonl").write_text('{"hello": "world"}\n')
    (home.folder / "sessions" / "empty.jsonl").write_text("")

    found = home.read()

    assert list(found.threads) == [THREAD]
    assert found.reasons == ["empty-file", "no-session-meta"]


def test_codex_is_recognized_by_what_is_in_it(home: CodexHome, tmp_path: Path) -> None:
    """A home, a folder in it, a file, a database; nothing else."""
    file = home.rollout(THREAD, [meta(THREAD)])
    database = home.database({"id": THREAD})
    (tmp_path / "empty").mkdir()
    importer = CodexImporter()

    assert all(map(importer.recognizes, (home.folder, file.parent, file, database)))
    assert not any(map(importer.recognizes, (tmp_path / "empty", tmp_path / "missing")))


def test_the_home_is_found_by_itself(
    home: CodexHome, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where CODEX_HOME says, else in the user's folder; nowhere when it is not there."""
    home.folder.mkdir()
    importer = CodexImporter()

    monkeypatch.setenv("CODEX_HOME", str(home.folder))
    assert importer.default_paths() == (home.folder,)

    monkeypatch.setenv("CODEX_HOME", str(tmp_path / "missing"))
    assert importer.default_paths() == ()


def test_files_outside_of_a_home_know_each_other(tmp_path: Path) -> None:
    """What was named together is looked at together."""
    first, second = tmp_path / "a.jsonl", tmp_path / "b.jsonl"
    base = {"thread_id": THREAD, "end_ordinal_exclusive": 5}
    first.write_bytes(encoded([meta(THREAD), *turn(ONE)], ordinal=0))
    second.write_bytes(encoded([meta(OTHER, history_base=base)], ordinal=5))

    fork = read(first, second).threads[OTHER].fork

    assert fork is not None
    assert fork.point_run_id == f"{THREAD}/{ONE}"


def test_a_home_imported_in_parts_gives_the_same_records(home: CodexHome) -> None:
    """A file, a folder, the archive, the database: the rest of the home is its context."""
    base = {"thread_id": THREAD, "end_ordinal_exclusive": 5}
    active = home.rollout(THREAD, encoded([meta(THREAD), *turn(ONE)], ordinal=0))
    archived = home.rollout(
        OTHER,
        encoded([meta(OTHER, history_base=base), *turn(uuid(101))], ordinal=5),
        archived=True,
    )
    database = home.database(
        {"id": OTHER, "title": "kept", "archived": 1, "archived_at": 1785585600},
        {"id": uuid(300), "source": "cli", "preview": "row only"},
        edges=[(THREAD, OTHER, "closed"), (THREAD, uuid(400), "open")],
    )

    whole = home.read()
    parts = [home.read(active), home.read(archived.parent), home.read(database)]

    assert {key: value for part in parts for key, value in part.threads.items()} == whole.threads
    assert {spawn for part in parts for spawn in part.plan.spawns} == set(whole.plan.spawns)
    assert sorted(parts[0].threads) == [THREAD]
    assert sorted(parts[1].threads) == [OTHER]
    assert sorted(parts[2].threads) == [OTHER, uuid(300)]


def test_two_homes_with_one_thread_give_it_once(tmp_path: Path) -> None:
    """A backup beside the original."""
    homes = [CodexHome(tmp_path / name) for name in ("one", "two")]
    for each in homes:
        each.rollout(THREAD, [meta(THREAD)])

    found = read(*(each.folder for each in homes))

    assert [source.thread_id for source in found.plan.sources] == [THREAD]
    assert found.reasons == ["duplicate-thread"]


def test_a_folder_of_homes_is_all_of_them(tmp_path: Path) -> None:
    """With what only their databases know."""
    for name, owner in (("one", THREAD), ("two", OTHER)):
        one = CodexHome(tmp_path / name)
        one.rollout(owner, [meta(owner)])
        one.database({"id": f"row of {name}", "preview": "x"})

    found = read(tmp_path)

    assert sorted(found.threads) == sorted([THREAD, OTHER, "row of one", "row of two"])


# ── Lines ───────────────────────────────────────────────────────────────────────────────


def lines_of(home: CodexHome, data: bytes) -> tuple[list[str | None], list[str]]:
    """The texts of a thread whose file has this between its start and its end; the reasons."""
    before = encoded([meta(THREAD), started(ONE), asked("before")])
    home.rollout(THREAD, before + data + encoded([answered("after"), completed(ONE)], begin=50))
    found = home.read()
    return [text for _, text in found.texts(THREAD)], found.reasons


def test_a_bad_line_does_not_stop_the_rest(home: CodexHome) -> None:
    """It is counted by what is wrong with it; blank lines are none."""
    unknown = json.dumps({"timestamp": "x", "type": "novelty", "payload": {}}) + "\n"
    shape = json.dumps({"type": "event_msg", "payload": {"type": "user_message", "message": 5}})

    texts, reasons = lines_of(
        home, b"not json\n\n   \n" + unknown.encode() + shape.encode() + b"\n"
    )

    assert texts == ["before", "after"]
    assert reasons == ["not-json", "unknown-line", "unknown-line"]


def test_two_objects_on_a_line_are_both_read(home: CodexHome) -> None:
    """Two writers got in each other's way; that is counted."""
    both = encoded([asked("one")]).strip() + encoded([asked("two")])

    assert lines_of(home, both) == (
        ["before", "one", "two", "after"],
        ["two-objects-on-a-line"],
    )


def test_broken_characters_are_replaced(home: CodexHome) -> None:
    """Bytes that are no UTF-8, and halves of surrogate pairs."""
    broken = encoded([asked("x")]).replace(b'"x"', b'"a\xff"')
    half = encoded([asked("x")]).replace(b'"x"', b'"b\\ud800"')

    texts, reasons = lines_of(home, broken + half)

    assert texts[1] == "a�"
    assert (texts[2] or "")[0] == "b"
    assert reasons == ["invalid-characters-replaced", "invalid-characters-replaced"]


def test_a_byte_order_mark_is_no_text(home: CodexHome) -> None:
    """Editors leave it."""
    home.rollout(THREAD, b"\xef\xbb\xbf" + encoded([meta(THREAD), *turn(ONE)]))

    found = home.read()

    assert len(found.threads[THREAD].runs) == 1
    assert found.reasons == []


def test_windows_line_ends_are_no_text(home: CodexHome) -> None:
    """Some tools write them."""
    home.rollout(THREAD, encoded([meta(THREAD), *turn(ONE)]).replace(b"\n", b"\r\n"))

    assert home.read().reasons == []


def test_a_torn_last_line_is_a_skip(home: CodexHome) -> None:
    """Codex is in the middle of writing it, or died there; a whole one needs no line end."""
    whole = encoded([meta(THREAD), *turn(ONE)])
    home.rollout(THREAD, whole[:-20])
    home.rollout(OTHER, encoded([meta(OTHER), *turn(uuid(101))]).rstrip())

    found = home.read()

    assert [run.status for run in found.threads[THREAD].runs] == ["interrupted"]
    assert [run.status for run in found.threads[OTHER].runs] == ["completed"]
    assert found.reasons == ["torn-line"]


def test_an_over_long_line_is_a_skip_and_is_not_held(home: CodexHome) -> None:
    """100 MB on one line, in a file that is read block by block."""
    long = encoded([asked("x" * 100_000_000)])
    assert len(long) > MAX_LINE_BYTES

    assert lines_of(home, long) == (["before", "after"], ["line-too-long"])


def test_deeply_nested_json_is_a_skip(home: CodexHome) -> None:
    """It can't exhaust the stack."""
    deep = b'{"type":"event_msg","payload":{"type":"x","deep":' + b"[" * 200_000 + b"\n"

    texts, reasons = lines_of(home, deep)

    assert (texts, reasons) == (["before", "after"], ["not-json"])


def test_a_file_whose_own_meta_is_lost_is_not_its_sources(home: CodexHome) -> None:
    """The next meta was copied from another thread."""
    home.rollout(OTHER, b"{broken\n" + encoded([meta(THREAD), *turn(ONE)]))
    home.rollout(uuid(200), [meta(uuid(200))])

    found = home.read()

    assert list(found.threads) == [uuid(200)]
    assert found.reasons == ["no-session-meta"]


def test_an_empty_id_names_no_thread(home: CodexHome) -> None:
    """A file of nobody's is left out, whatever else it says."""
    home.rollout(THREAD, [meta(""), *turn(ONE)])
    home.rollout(OTHER, [meta(OTHER)])

    found = home.read()

    assert list(found.threads) == [OTHER]
    assert found.reasons == ["no-session-meta"]


def test_an_absurd_id_is_one_bad_line(home: CodexHome) -> None:
    """The graph could not index it."""
    long = "x" * 1000

    texts, reasons = lines_of(home, encoded([started(long), asked("hello")]))

    assert texts == ["before", "hello", "after"]
    assert reasons == ["unknown-line"]


@pytest.mark.parametrize("number", ["-1", "18446744073709551615", "1e400", '"7"'])
def test_an_absurd_number_is_one_bad_line(home: CodexHome, number: str) -> None:
    """The graph could not hold it."""
    line = (
        f'{{"type":"event_msg","payload":{{"type":"thread_rolled_back","num_turns":{number}}}}}\n'
    )

    texts, reasons = lines_of(home, line.encode())

    assert texts == ["before", "after"]
    assert len(reasons) == 1
