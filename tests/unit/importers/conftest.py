"""Fixtures of the importers' tests."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.importers.codex_home import CodexHome


@pytest.fixture
def home(tmp_path: Path) -> CodexHome:
    """A Codex home in which nothing lies yet."""
    return CodexHome(tmp_path / "codex")
