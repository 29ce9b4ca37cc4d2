"""The sample homes of real programs, and how a test gets one as it was on disk."""

from __future__ import annotations

import gzip
import json
import shutil
from pathlib import Path
from typing import Any

SAMPLES = Path(__file__).parent / "samples"


def scenarios(tool: str) -> tuple[str, ...]:
    """The names of all scenarios of a tool: ``codex-0.171.0/review``."""
    return tuple(
        sorted(
            path.parent.relative_to(SAMPLES).as_posix()
            for path in SAMPLES.glob(f"{tool}-*/*/truth.json")
        )
    )


def truth(scenario: str) -> dict[str, Any]:
    """What really happened in a scenario, as the program that drove it wrote it down."""
    return json.loads((SAMPLES / scenario / "truth.json").read_bytes())


def unpack_home(scenario: str, target: Path) -> Path:
    """A scenario's home, copied below *target* with its databases unpacked."""
    home = target / scenario.replace("/", "-")
    kept = SAMPLES / scenario
    inner = kept / "home"
    ignored = shutil.ignore_patterns("truth.json", "oracle-*.json")
    shutil.copytree(inner if inner.is_dir() else kept, home, ignore=ignored)
    for packed in home.glob("*.gz"):
        packed.with_suffix("").write_bytes(gzip.decompress(packed.read_bytes()))
        packed.unlink()
    return home
