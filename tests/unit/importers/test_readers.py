"""A reader that gives other records than before has another version, so that all is read again."""

from __future__ import annotations

from hashlib import blake2b
from typing import TYPE_CHECKING

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
    "codex": (1, "329c4db6d44b395b"),
    "claude": (1, "ff898a99897c8f98"),
    "pi": (3, "518be55b5ed32a85"),
    "opencode": (1, "85430cca53a93013"),
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
                digest.update(msgspec.json.encode(imported.transfers[thread.thread_id]))

    assert READINGS[importer.driver] == (importer.reader, digest.hexdigest())


def _encoded(thread: ThreadRecord) -> bytes:
    """The record without the place where it was read this time."""
    return msgspec.json.encode(msgspec.structs.replace(thread, source_file=None, digest=None))
