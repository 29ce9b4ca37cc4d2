"""Damaged and strange transcripts: what can be read is read, the rest is counted."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

import importers.raw_lines
from importers.claude_code.importer import ClaudeCodeImporter
from tests.importing import Imported, import_paths
from tests.samples_on_disk import SAMPLES
from tests.unit.importers.claude_code.writing import PROJECT, Written, at

if TYPE_CHECKING:
    from pathlib import Path


pytestmark = pytest.mark.anyio

REAL = sorted((SAMPLES / "claude-code-2.1.332").rglob("*.jsonl"))


def good() -> list[bytes]:
    """The four lines of a good session."""
    return Written("s").turn("1").turn("2").raw()


async def import_lines(folder: Path, *lines: bytes) -> Imported:
    """A session made of these lines, imported."""
    path = folder / PROJECT / "s.jsonl"
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(b"".join(lines))
    return await import_paths(ClaudeCodeImporter(), [path])


def prompts(imported: Imported) -> list[str | None]:
    """The runs of the one thread that there is."""
    return [run.native_turn_id for run in imported.only.runs]


@pytest.mark.parametrize(
    ("damaged", "reasons"),
    [
        (b"not json\n", ["not-json"]),
        (b"\n  \r\n", []),
        (b'{"type":"mode"\n', ["not-json"]),
        (b"[1,2]\n", ["not-a-line"]),
        (b"17\n", ["not-a-line"]),
        (b"\0\0\0\0\n", ["nul-bytes-removed"]),
        (b'{"a":' * 500 + b"\n", ["not-json"]),
    ],
)
async def test_a_bad_line_is_left_out(tmp_path: Path, damaged: bytes, reasons: list[str]) -> None:
    """And nothing else is."""
    lines = good()

    imported = await import_lines(tmp_path, *lines[:2], damaged, *lines[2:])

    assert prompts(imported) == ["1u", "2u"]
    assert imported.reasons == reasons


async def test_a_torn_last_line_is_left_out(tmp_path: Path) -> None:
    """It may still be written."""
    lines = good()

    imported = await import_lines(tmp_path, *lines[:3], lines[3][:-20])

    assert [item.text for item in imported.only.items.items] == [
        "prompt 1u",
        "answer 1a",
        "prompt 2u",
    ]
    assert imported.reasons == ["torn-line"]


async def test_two_lines_without_a_line_break_are_both_read(tmp_path: Path) -> None:
    """The line is counted all the same."""
    lines = good()

    imported = await import_lines(tmp_path, lines[0], lines[1].rstrip(), lines[2], lines[3])

    assert prompts(imported) == ["1u", "2u"]
    assert len(imported.only.items.items) == 4
    assert imported.reasons == ["two-objects-on-a-line"]


async def test_a_line_behind_a_torn_one_is_read(tmp_path: Path) -> None:
    """Two processes may write at once."""
    lines = good()

    imported = await import_lines(tmp_path, *lines[:2], lines[0][:50], lines[2], lines[3])

    assert prompts(imported) == ["1u", "2u"]
    assert imported.reasons == ["not-json"]


async def test_blocks_of_nul_bytes_are_passed_over(tmp_path: Path) -> None:
    """A crash may leave thousands of them before a good line."""
    lines = good()

    imported = await import_lines(tmp_path, *lines[:2], b"\0" * 9_000, *lines[2:])

    assert prompts(imported) == ["1u", "2u"]
    assert imported.reasons == ["nul-bytes-removed"]


async def test_the_parts_of_a_line_come_in_several_forms(tmp_path: Path) -> None:
    """Text or blocks, an object or text or a list, nothing or an empty text."""
    session = Written("s").prompt("1u").call("c", "t", "Bash", command="x")
    session.result("r", "t", "out", toolUseResult="Error: x").answer("1a")
    session.call("d", "u", "Bash", command="y").result("q", "u", ["a", 5], toolUseResult=[1])
    session.lines[0]["parentUuid"] = ""
    session.prompt("2u").lines[-1]["message"] = "by hand"
    del session.prompt("3u").lines[-1]["parentUuid"]

    imported = await import_lines(tmp_path, *session.raw())

    assert [item.text for item in imported.only.items.items] == [
        "prompt 1u",
        "x\nout",
        "answer 1a",
        "y\na",
        "by hand",
        "prompt 3u",
    ]
    assert imported.skips == []


async def test_names_of_sessions_are_no_paths(tmp_path: Path) -> None:
    """What a line names is looked for by its name alone, in the folders of projects."""
    main = Written("main").turn("1")
    fork = main.copy("s", requestSessionId="../../etc/passwd").turn("2")
    worse = main.copy("t", requestSessionId="a\0b").turn("2")

    imported = await import_lines(tmp_path, *fork.raw())
    again = await import_lines(tmp_path, *worse.raw())

    assert prompts(imported) == prompts(again) == ["2u"]


async def test_a_byte_order_mark_and_windows_line_ends_are_passed_over(tmp_path: Path) -> None:
    """Some editors write them."""
    lines = [line.replace(b"\n", b"\r\n") for line in good()]

    imported = await import_lines(tmp_path, b"\xef\xbb\xbf", *lines)

    assert prompts(imported) == ["1u", "2u"]
    assert imported.skips == []


async def test_broken_characters_are_replaced_and_counted(tmp_path: Path) -> None:
    """In texts, and in what tools gave back."""
    session = Written("s").prompt("1u", "a?b").call("c", "t", "Bash", command="x")
    session.result("r", "t", [{"type": "text", "text": "c?d"}])
    broken = [line.replace(b"?", b"\xff") for line in session.raw()]
    halved = [line.replace(b"?", b"\\ud800") for line in session.raw()]

    imported = await import_lines(tmp_path, *broken)
    again = await import_lines(tmp_path, *halved)

    assert [item.text for item in imported.only.items.items] == ["a\ufffdb", "x\nc\ufffdd"]
    assert imported.reasons == ["invalid-characters-replaced"] * 2
    assert [item.text for item in again.only.items.items] == ["a?b", "x\nc?d"]


async def test_line_separators_inside_texts_are_no_line_ends(tmp_path: Path) -> None:
    """Only a line feed ends a line."""
    text = "a\u2028b\u2029c\x85d"

    imported = await import_lines(tmp_path, *Written("s").prompt("1u", text).raw())

    assert imported.only.items.items[0].text == text


async def test_lines_of_unknown_types_stay_links(tmp_path: Path) -> None:
    """New types come with every version: what hangs on them hangs together."""
    session = Written("s").turn("1").link("hologram", "h", beam={"up": 1}).turn("2")
    session.control("sparkle", glitter=[1]).go_to("2a").turn("3")

    imported = await import_lines(tmp_path, *session.raw())

    assert prompts(imported) == ["1u", "2u", "3u"]
    assert not any(run.rolled_back_at for run in imported.only.runs)
    assert imported.reasons == ["unknown-line-type", "unknown-line-type"]


async def test_fields_of_unknown_types_are_passed_over(tmp_path: Path) -> None:
    """The rest of the line is read."""
    session = Written("s").turn("1").turn("2")
    session.lines[1]["isMeta"] = {"strange": True}
    session.lines[1]["message"]["usage"] = "much"
    session.lines[1]["message"]["content"].append({"type": "text", "text": {"a": 1}})
    session.lines[2]["isSidechain"] = "false"

    imported = await import_lines(tmp_path, *session.raw())

    assert prompts(imported) == ["1u", "2u"]
    assert [item.text for item in imported.only.items.items] == [
        "prompt 1u",
        "answer 1a",
        "prompt 2u",
        "answer 2a",
    ]
    assert imported.reasons == ["unknown-shape", "unknown-shape"]


@pytest.mark.parametrize(
    "written", [1796035344, 1796035344000, "2026-11-30T12:42:24+02:00", "2026-11-30T10:42:24"]
)
async def test_times_come_in_many_forms(tmp_path: Path, written: object) -> None:
    """Seconds, milliseconds, an offset, or none."""
    session = Written("s").prompt("1u")
    session.lines[0]["timestamp"] = written

    imported = await import_lines(tmp_path, *session.raw())

    assert imported.only.runs[0].started_at == "2026-11-30T10:42:24.000000Z"


@pytest.mark.parametrize(
    "written",
    [None, "never", -1, 1e300, "9999-12-31T23:59:59.999999Z", "2026-99-99T99:99:99.000Z"],
)
async def test_strange_times_are_survived(tmp_path: Path, written: object) -> None:
    """The order of the file is kept where that is possible at all."""
    session = Written("s").turn("1").turn("2")
    for line in session.lines:
        line["timestamp"] = written

    imported = await import_lines(tmp_path, *session.raw())

    assert prompts(imported) == ["1u", "2u"]
    assert imported.only.created_at


@pytest.mark.parametrize("count", [-5, 1e300, 2**63, "many", None, 1.0])
async def test_strange_counts_are_no_tokens(tmp_path: Path, count: object) -> None:
    """A sum of them would be no number that a graph can hold."""
    session = Written("s").prompt("1u").answer("1a", usage={"output_tokens": count})

    imported = await import_lines(tmp_path, *session.raw())

    assert imported.only.runs[0].output_tokens in {0, 1, None}


async def test_ids_are_whatever_they_are(tmp_path: Path) -> None:
    """No form is asked of them; one that is too long names nothing."""
    long = "x" * 600
    session = Written("s").turn("msg-001 ").turn(long)

    imported = await import_lines(tmp_path, *session.raw())

    assert [run.run_id for run in imported.only.runs] == ["s/msg-001 u", "s/line-3"]
    assert [item.item_id for item in imported.only.items.items] == [
        "s/msg-001 u",
        "s/msg-001 a",
        "s/line-3",
        "s/line-4",
    ]


async def test_a_line_that_is_too_long_is_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And what hangs on it goes on from the line before it."""
    monkeypatch.setattr(importers.raw_lines, "MAX_LINE_BYTES", 10_000)
    session = Written("s").turn("1").prompt("2u", "x" * 2_000_000).answer("2a").turn("3")

    imported = await import_lines(tmp_path, *session.raw())

    assert prompts(imported) == ["1u", "3u"]
    assert not any(run.rolled_back_at for run in imported.only.runs)
    assert imported.reasons == ["line-too-long"]


async def test_versions_may_change_from_line_to_line(tmp_path: Path) -> None:
    """A session goes on with whatever program is there; the newest is shown."""
    session = Written("s", version="1.0.100").turn("1")
    session.version = "3.0.0"
    session.turn("2")

    imported = await import_lines(tmp_path, *session.raw())

    assert prompts(imported) == ["1u", "2u"]
    assert imported.only.cli_version == "3.0.0"


async def test_summaries_of_other_sessions_are_not_this_ones_title(tmp_path: Path) -> None:
    """Old files begin with them."""
    session = Written("s").turn("1")
    session.lines[:0] = [
        {"type": "summary", "summary": "mine", "leafUuid": "1a"},
        {"type": "summary", "summary": "other", "leafUuid": "elsewhere"},
    ]

    imported = await import_lines(tmp_path, *session.raw())

    assert (imported.only.title, imported.only.name) == ("mine", None)


async def test_a_snapshot_with_the_id_of_a_prompt_is_not_that_prompt(tmp_path: Path) -> None:
    """It names the message that it protects."""
    session = Written("s")
    session.control("file-history-snapshot", messageId="1u", snapshot={"timestamp": at(1)})

    imported = await import_lines(tmp_path, *session.turn("1").raw())

    assert prompts(imported) == ["1u"]


async def test_a_session_that_shrank_is_read_as_it_is_now(tmp_path: Path) -> None:
    """Files are moved and rewritten."""
    lines = good()
    before = await import_lines(tmp_path, *lines)

    after = await import_lines(tmp_path, *lines[:2])

    assert prompts(before) == ["1u", "2u"]
    assert prompts(after) == ["1u"]


def test_the_lines_of_tests_are_like_real_ones() -> None:
    """The keys that the importer reads are those that the real program wrote."""
    lines = [line for path in REAL for line in path.read_bytes().split(b"\n") if line]
    real = {key for line in lines for key in json.loads(line)}

    assert {"parentUuid", "uuid", "sessionId", "timestamp", "isSidechain", "message"} <= real
    assert {"forkedFrom", "requestSessionId", "logicalParentUuid", "isCompactSummary"} <= real
