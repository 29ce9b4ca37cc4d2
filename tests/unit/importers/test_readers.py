"""A reader that gives other records than before has another version, so that all is read again."""

from __future__ import annotations

from hashlib import blake2b
from typing import TYPE_CHECKING, Any, cast

import msgspec
import pytest

from importers.contract import ReadOptions
from importers.known import known_importers
from tests.importing import Imported, read_sources
from tests.unit.importers.cases import CASES

if TYPE_CHECKING:
    from pathlib import Path

    from graph.records import ThreadRecord
    from importers.contract import Importer

READINGS = {
    "codex": (1, "8b542a28f51a8928"),
    "claude": (1, "ba41cbf49280a7e9"),
    "pi": (3, "039ecce5a52ee198"),
    "opencode": (1, "ca33e4a6f93f7990"),
}
"""The version of each reader, and a digest of what it gives of all of its tool's samples."""


@pytest.mark.parametrize("importer", known_importers(), ids=lambda importer: importer.driver)
def test_a_reader_that_reads_otherwise_has_another_version(
    importer: Importer, tmp_path: Path
) -> None:
    """Where this fails: raise the importer's READER if its records were meant to change.

    Then put the version and the digest that it gives now into READINGS.
    """
    digest = blake2b(digest_size=8)
    for case in CASES:
        own = case.importer()
        if own.driver == importer.driver:
            sources = own.plan([case.write(tmp_path)]).sources
            imported = Imported()
            for thread in read_sources(own, sources, ReadOptions(), imported):
                digest.update(_encoded(thread))
                transfers = msgspec.to_builtins(imported.transfers[thread.thread_id])
                digest.update(msgspec.json.encode(_stated(transfers), order="sorted"))

    assert READINGS[importer.driver] == (importer.reader, digest.hexdigest())


def _encoded(thread: ThreadRecord) -> bytes:
    """What the record states, without the place where it was read this time.

    What is not stated is left out: a field that nobody fills yet makes no other reading.
    """
    stated = _stated(msgspec.to_builtins(thread))
    return msgspec.json.encode({**stated, "source_file": None, "digest": None}, order="sorted")


def _stated(value: Any) -> Any:  # noqa: ANN401 - whatever JSON can hold
    match value:
        case dict():
            members = cast("dict[str, Any]", value).items()
            return {name: _stated(inner) for name, inner in members if inner}
        case list() | tuple():
            return [_stated(inner) for inner in cast("list[Any]", value)]
        case _:
            return value
