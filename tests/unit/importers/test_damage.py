"""Damaged files of all tools: nothing crashes, and every line that nobody touched is read."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.fuzzing import Fuzzer

if TYPE_CHECKING:
    from pathlib import Path

FIRST = 100_000
"""The numbers below are those that ``python -m bench.fuzz`` tries."""

TRIALS = 2_000
AT_ONCE = 100


@pytest.fixture(scope="module")
def fuzzer(tmp_path_factory: pytest.TempPathFactory) -> Fuzzer:
    """All samples, unpacked once."""
    folder: Path = tmp_path_factory.mktemp("damaged")
    return Fuzzer(folder)


@pytest.mark.parametrize("first", range(FIRST, FIRST + TRIALS, AT_ONCE))
def test_damage_costs_only_the_lines_that_it_hits(first: int, fuzzer: Fuzzer) -> None:
    """Whatever became of their bytes; each record is one that a graph can hold."""
    for number in range(first, first + AT_ONCE):
        fuzzer.tried(number)
