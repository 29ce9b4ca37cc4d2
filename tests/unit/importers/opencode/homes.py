"""OpenCode's data as a test has it on disk: samples, databases and folders made by hand."""

from __future__ import annotations

import gzip
from typing import TYPE_CHECKING

from tests.samples_on_disk import SAMPLES

if TYPE_CHECKING:
    from pathlib import Path


def unpack_sample(scenario: str, target: Path) -> Path:
    """The database of a sample, in a data folder of its own."""
    folder = target / scenario.replace("/", "-") / "opencode"
    folder.mkdir(parents=True)
    path = folder / "opencode.db"
    packed = SAMPLES / scenario / "opencode.db.gz"
    plain = SAMPLES / scenario / "opencode.db"
    path.write_bytes(
        gzip.decompress(packed.read_bytes()) if packed.exists() else plain.read_bytes()
    )
    return folder
