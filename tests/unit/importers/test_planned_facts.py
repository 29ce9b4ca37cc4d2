"""What a plan knows of conversations before they are read, for every tool."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from importers.contract import ReadOptions, Source, ThreadRead
from importers.known import known_importers
from tests.samples_on_disk import scenarios, unpack_home

ALL = [
    (importer.driver, scenario)
    for importer, tool in zip(
        known_importers(), ("codex", "claude-code", "pi", "opencode"), strict=True
    )
    for scenario in scenarios(tool)
]
IMPORTERS = {importer.driver: importer for importer in known_importers()}

FINGERPRINTS = """
import sys
from pathlib import Path
from importers.known import known_importers
[importer] = [known for known in known_importers() if known.driver == sys.argv[1]]
for source in importer.plan([Path(sys.argv[2])]).sources:
    print(source.thread_id, source.fingerprint)
"""


def planned(driver: str, home: Path) -> tuple[Source, ...]:
    """The plan of a home."""
    return IMPORTERS[driver].plan([home]).sources


@pytest.mark.parametrize(("driver", "scenario"), ALL)
def test_a_plan_knows_the_folder_and_the_time_of_every_conversation(
    driver: str, scenario: str, tmp_path: Path
) -> None:
    """The folder is the one that reading finds."""
    sources = planned(driver, unpack_home(scenario, tmp_path))

    read = {
        source.thread_id: part.thread.cwd
        for source in sources
        for part in IMPORTERS[driver].read(source, ReadOptions())
        if isinstance(part, ThreadRead)
    }
    folders = {source.thread_id: source.cwd for source in sources}
    assert {name: folders[name] for name in read} == read
    assert all(source.changed_at is not None for source in sources)


@pytest.mark.parametrize(("driver", "scenario"), dict(ALL).items())
def test_a_fingerprint_is_the_same_in_every_process(
    driver: str, scenario: str, tmp_path: Path
) -> None:
    """Else nothing would ever be known to stand as it did."""
    home = unpack_home(scenario, tmp_path)

    told = [
        subprocess.run(  # noqa: S603 - our own program
            [sys.executable, "-c", FINGERPRINTS, driver, home],
            check=True,
            capture_output=True,
            text=True,
            env={"PYTHONHASHSEED": seed},
            cwd=Path(__file__).parents[3],
        ).stdout
        for seed in ("1", "2")
    ]

    assert told[0] == told[1] != ""
