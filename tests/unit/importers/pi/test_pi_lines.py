"""What a pi session may look like on disk, and what is made of it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from importers.pi.importer import PiImporter
from tests.importing import import_paths
from tests.unit.importers.pi.sessions import Written, told

if TYPE_CHECKING:
    from pathlib import Path

    from graph.records import ThreadRecord

pytestmark = pytest.mark.anyio

WHOLE = ["prompt 1u", "answer 1a", "prompt 2u", "answer 2a"]


def texts(thread: ThreadRecord) -> list[str | None]:
    """What was said."""
    return [item.text for item in thread.items.items]


def lines() -> list[bytes]:
    """A session of two turns: the header and four entries."""
    return Written("s").turn("1").turn("2").raw()


@pytest.mark.parametrize(
    ("content", "reasons"),
    [
        pytest.param(b"\xef\xbb\xbf" + b"".join(lines()), [], id="a byte order mark"),
        pytest.param(b"".join(lines()).replace(b"\n", b"\r\n"), [], id="line ends of Windows"),
        pytest.param(b"\n\n".join(lines()), [], id="blank lines"),
        pytest.param(b"".join(lines())[:-1], [], id="no line break at the end"),
        pytest.param(
            b"".join([*lines()[:3], b"\0" * 9000 + lines()[3], lines()[4]]),
            ["nul-bytes-removed"],
            id="a block of NUL bytes before a record",
        ),
        pytest.param(b"".join([*lines(), b"\0" * 4096]), ["torn-line"], id="NUL bytes at the end"),
        pytest.param(
            b"".join([*lines()[:3], lines()[3].rstrip(), lines()[4]]),
            ["two-objects-on-a-line"],
            id="two records on a line",
        ),
        pytest.param(
            b"".join([*lines()[:3], b'{"type":"message","id":"x","mess', *lines()[3:]]),
            ["not-json"],
            id="a broken record with a whole one behind it",
        ),
        pytest.param(
            b"".join([*lines(), b'{"type":"message","id":"x","mess']),
            ["torn-line"],
            id="a last line that is still being written",
        ),
        pytest.param(
            b"".join([*lines()[:3], b"no json\n", *lines()[3:]]), ["not-json"], id="a bad line"
        ),
        pytest.param(
            b"".join([*lines()[:3], b"[1, 2]\n", *lines()[3:]]), ["not-an-entry"], id="a list"
        ),
        pytest.param(
            b"".join([lines()[0], *lines()]), [], id="the header written twice, an old fault"
        ),
        pytest.param(
            b"".join([*lines(), lines()[0].replace(b'"s"', b'"other"')]),
            ["another-session-header"],
            id="the header of another session",
        ),
    ],
)
async def test_every_good_line_is_read(tmp_path: Path, content: bytes, reasons: list[str]) -> None:
    """Whatever stands around it; what could not be read is counted."""
    path = tmp_path / "any.jsonl"
    path.write_bytes(content)

    imported = await import_paths(PiImporter(), [path])

    assert texts(imported.only) == WHOLE
    assert [run.rolled_back_at for run in imported.only.runs] == [None, None]
    assert imported.reasons == reasons


async def test_a_line_ends_at_a_line_break_and_at_nothing_else(tmp_path: Path) -> None:
    """Other separators of lines may stand raw in a text."""
    text = "one\u2028two\x85three\x0b"
    path = tmp_path / "any.jsonl"
    written = Written("s").prompt("1u", text).raw()
    path.write_bytes(b"".join(written).replace(b"\\u000b", b"\\u000b"))

    imported = await import_paths(PiImporter(), [path])

    assert texts(imported.only) == [text]


@pytest.mark.parametrize(
    ("broken", "text"), [(b"\xff\xfe", "pr\ufffd\ufffd"), (b"\\ud800", "pr?")]
)
async def test_broken_characters_are_replaced(tmp_path: Path, broken: bytes, text: str) -> None:
    """Neither invalid UTF-8 nor half a surrogate pair loses a line."""
    path = tmp_path / "any.jsonl"
    path.write_bytes(b"".join(Written("s").prompt("1u", "prXX").raw()).replace(b"XX", broken))

    imported = await import_paths(PiImporter(), [path])

    assert texts(imported.only) == [text]
    assert imported.reasons == ["invalid-characters-replaced"]


@pytest.mark.parametrize(
    ("lost", "put"), [(b"}", b""), (b'"version":3', b'"version":3x'), (b"{", b"\xff")]
)
async def test_a_damaged_header_loses_no_other_line(
    tmp_path: Path,
    lost: bytes,
    put: bytes,
) -> None:
    """Its fields are made out as far as they are there."""
    session_id = "01a22c0f-749f-77f1-b155-49fb3e157078"
    session = Written(session_id).turn("1").turn("2")
    header, *others = session.raw()
    path = tmp_path / "any.jsonl"
    path.write_bytes(b"".join([header.replace(lost, put), *others]))

    imported = await import_paths(PiImporter(), [path])

    assert (imported.only.thread_id, imported.only.created_at) == (session_id, told(40))
    assert texts(imported.only) == WHOLE
    assert imported.reasons == ["not-json"]


async def test_a_lost_header_loses_no_other_line(tmp_path: Path) -> None:
    """Where pi gave the file its name; any other file is nobody's."""
    session = Written("01a22c0f-749f-77f1-b155-49fb3e157078").turn("1").turn("2")
    content = b"".join([b"\xff\n", *session.raw()[1:]])
    named, unnamed = tmp_path / session.file_name, tmp_path / "any.jsonl"
    for path in (named, unnamed):
        path.write_bytes(content)

    imported = await import_paths(PiImporter(), [tmp_path])

    assert texts(imported.only) == WHOLE
    assert imported.reasons == ["no-session-header", "not-json"]


async def test_a_fork_with_a_damaged_header_is_a_fork(tmp_path: Path) -> None:
    """What was copied stays its source's."""
    main = Written("main").turn("1")
    main.write(tmp_path)
    fork = main.fork("fork").turn("2")
    header, *others = fork.raw()
    (tmp_path / "any.jsonl").write_bytes(b"".join([header.replace(b"}", b""), *others]))

    imported = await import_paths(PiImporter(), [tmp_path])

    thread = next(thread for thread in imported.threads.values() if thread.thread_id == "fork")
    assert thread.fork is not None
    assert [run.native_turn_id for run in thread.runs] == ["2u"]


async def test_an_entry_of_an_unknown_type_is_a_link_of_the_tree(tmp_path: Path) -> None:
    """What newer versions write is counted, and cuts nothing off."""
    session = Written("s").turn("1").entry("n", "novelty", what={"deep": [1]}).turn("2")

    imported = await import_paths(PiImporter(), [session.write(tmp_path)])

    assert texts(imported.only) == WHOLE
    assert [run.rolled_back_at for run in imported.only.runs] == [None, None]
    assert imported.reasons == ["unknown-entry-type"]


async def test_an_entry_of_an_unknown_shape_is_a_link_of_the_tree(tmp_path: Path) -> None:
    """A field of another type than it ever had."""
    session = Written("s").turn("1").entry("n", "message", message="just text").turn("2")

    imported = await import_paths(PiImporter(), [session.write(tmp_path)])

    assert texts(imported.only) == WHOLE
    assert [run.rolled_back_at for run in imported.only.runs] == [None, None]
    assert imported.reasons == ["unknown-shape"]


async def test_a_newer_version_is_read_as_far_as_it_is_understood(tmp_path: Path) -> None:
    """The version's number decides nothing."""
    session = Written("s").turn("1").turn("2")
    session.lines[0]["version"] = 99

    imported = await import_paths(PiImporter(), [session.write(tmp_path)])

    assert texts(imported.only) == WHOLE


async def test_a_field_of_an_unknown_shape_loses_no_other_field(tmp_path: Path) -> None:
    """What was said is read, whatever became of the costs."""
    session = Written("s").prompt("1u").answer("1a", usage={"input": "many", "output": 3})

    imported = await import_paths(PiImporter(), [session.write(tmp_path)])

    (run,) = imported.only.runs
    assert texts(imported.only) == ["prompt 1u", "answer 1a"]
    assert (run.status, run.input_tokens, run.output_tokens) == ("completed", 0, 3)
    assert imported.reasons == ["unknown-shape"]


@pytest.mark.parametrize(("field", "value"), [("version", "4"), ("cwd", 7), ("parentSession", {})])
async def test_a_header_of_an_unknown_shape_is_a_header(
    tmp_path: Path, field: str, value: object
) -> None:
    """Its id is all that is needed."""
    session = Written("s").turn("1").turn("2")
    session.lines[0][field] = value

    imported = await import_paths(PiImporter(), [session.write(tmp_path)])

    assert texts(imported.only) == WHOLE


async def test_a_text_may_stand_for_its_blocks(tmp_path: Path) -> None:
    """Pi writes contents in both ways."""
    session = Written("s").entry("1u", "message", message={"role": "user", "content": "hello"})

    imported = await import_paths(PiImporter(), [session.write(tmp_path)])

    assert texts(imported.only) == ["hello"]


async def test_times_are_read_in_any_form(tmp_path: Path) -> None:
    """Text with or without a zone, seconds, milliseconds; without any the order is kept."""
    session = Written("s")
    for name, time in [
        ("1", "2026-11-30T12:45:41+02:00"),
        ("2", 1796035542),
        ("3", 1796035543500),
        ("4", None),
        ("5", "yesterday"),
    ]:
        session.prompt(name)
        session.lines[-1]["timestamp"] = time

    imported = await import_paths(PiImporter(), [session.write(tmp_path)])

    assert [run.started_at for run in imported.only.runs] == [
        told(41),
        told(42),
        told(43.5),
        told(43.500001),
        told(43.500002),
    ]


def old(session: Written) -> list[dict[str, object]]:
    """The session as the first version of pi wrote it: a list, without ids."""
    header = {key: value for key, value in session.lines[0].items() if key != "version"}
    entries = [
        {key: value for key, value in line.items() if key not in {"id", "parentId"}}
        for line in session.lines[1:]
    ]
    return [{**header, "provider": "p", "modelId": "m"}, *entries]


def migrated(session: Written) -> list[dict[str, object]]:
    """The old session as a newer pi rewrites it: with ids, which it makes up."""
    header, *entries = old(session)
    ids = [f"new{number}" for number in range(len(entries))]
    return [
        {**header, "version": 3},
        *(
            {**entry, "id": own, "parentId": parent}
            for entry, own, parent in zip(entries, ids, [None, *ids], strict=False)
        ),
    ]


def write_lines(path: Path, written: list[dict[str, object]]) -> Path:
    """Write lines as pi writes them."""
    path.write_text("".join(json.dumps(line, separators=(",", ":")) + "\n" for line in written))
    return path


async def test_an_old_session_without_ids_is_a_list(tmp_path: Path) -> None:
    """Its runs are named by the lines where they begin."""
    path = write_lines(tmp_path / "any.jsonl", old(Written("s").turn("1").turn("2")))

    imported = await import_paths(PiImporter(), [path])

    assert [(run.run_id, run.rolled_back_at) for run in imported.only.runs] == [
        ("s/line-2", None),
        ("s/line-4", None),
    ]
    assert texts(imported.only) == WHOLE


async def test_an_old_session_that_pi_rewrote_is_the_same(tmp_path: Path) -> None:
    """Pi gives each entry an id at random: importing before and after makes no run twice."""
    session = Written("s").turn("1").turn("2")
    path = write_lines(tmp_path / "any.jsonl", old(session))
    imported = await import_paths(PiImporter(), [path])

    write_lines(path, migrated(session))
    continued = path.read_text() + json.dumps(
        {
            "type": "message",
            "id": "3u",
            "parentId": "new3",
            "timestamp": "2026-11-30T10:45:59.000Z",
            "message": {"role": "user", "content": "more"},
        }
    )
    path.write_text(continued)
    await import_paths(PiImporter(), [path], into=imported)

    runs = await imported.runs(imported.only.thread_id)
    assert [(run.run_id, run.native_turn_id) for run in runs] == [
        ("s/line-2", "new0"),
        ("s/line-4", "new2"),
        ("s/3u", "3u"),
    ]


async def test_a_copy_of_an_old_session_names_the_runs_of_its_source(tmp_path: Path) -> None:
    """Before ids, and with the older word for the source."""
    main = Written("main").turn("1").turn("2")
    write_lines(tmp_path / main.file_name, old(main))
    copied = main.fork("fork").turn("3")
    written = old(copied)
    written[0]["branchedFrom"] = f"/sessions/{main.file_name}"
    write_lines(tmp_path / copied.file_name, written)

    imported = await import_paths(PiImporter(), [tmp_path])

    made = imported.threads[copied_id := next(i for i in imported.threads if i == "fork")].fork
    assert made is not None
    assert (made.source_thread_id, made.point_run_id) == ("main", "main/line-4")
    assert [run.run_id for run in imported.threads[copied_id].runs] == ["fork/line-6"]
