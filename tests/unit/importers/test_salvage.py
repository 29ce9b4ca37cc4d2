"""What is saved of a damaged line."""

from __future__ import annotations

import json

import pytest

from importers.salvage import salvage

WHOLE: dict[str, object] = {"type": "x", "text": "é"}
INNER: dict[str, object] = {"text": "a piece"}


def is_record(told: dict[str, object]) -> bool:
    """Whether an object is a record and not a piece of one."""
    return "type" in told


def line(*pieces: bytes | dict[str, object]) -> bytes:
    """A line of bytes and records."""
    return b"".join(
        piece if isinstance(piece, bytes) else json.dumps(piece, ensure_ascii=False).encode()
        for piece in pieces
    )


@pytest.mark.parametrize(
    ("raw", "saved", "reasons"),
    [
        pytest.param(line(WHOLE, WHOLE), [WHOLE, WHOLE], ["two-objects-on-a-line"], id="two"),
        pytest.param(line(b"\0" * 9, WHOLE), [WHOLE], ["nul-bytes-removed"], id="nul bytes"),
        pytest.param(line(b'{"type":"y","te', WHOLE), [WHOLE], ["not-json"], id="broken first"),
        pytest.param(line(WHOLE, b'{"type":"y","te'), [WHOLE], ["not-json"], id="broken last"),
        pytest.param(line(b'{"type":"y","in":', INNER), [], ["not-json"], id="a piece"),
        pytest.param(line(b"[1]"), [], ["not-json"], id="no object"),
        pytest.param(line(b""), [], [], id="nothing"),
        pytest.param(
            b'{"type":"x","text":"\xff\\ud800"}',
            [{"type": "x", "text": "\ufffd?"}],
            ["invalid-characters-replaced"],
            id="broken characters",
        ),
    ],
)
def test_whole_records_are_saved(
    raw: bytes, saved: list[dict[str, object]], reasons: list[str]
) -> None:
    """As clean JSON, in order; each damage has its word."""
    found = salvage(raw, is_record)

    assert [json.loads(record) for record in found.records] == saved
    assert list(found.reasons) == reasons


def test_a_long_broken_line_ends_soon() -> None:
    """However many records seem to begin in it."""
    raw = b'{"a":' * 200_000

    assert salvage(raw, is_record).records == ()
