"""The page of the documentation about the command line, as it is printed there."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.cli.conftest import Lineage

PAGE = Path(__file__).parents[2] / "docs" / "command-line.md"

CONSOLE = re.compile(r"^```console\n(.*?)^```", re.MULTILINE | re.DOTALL)
STEP = re.compile(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", re.MULTILINE)


@pytest.mark.usefixtures("graph_settings")
def test_each_command_answers_what_is_printed(lineage: Lineage) -> None:
    """In their order, over an empty graph; `echo $?` is the exit code of the one before."""
    steps = [
        step for block in CONSOLE.findall(PAGE.read_text("utf-8")) for step in STEP.findall(block)
    ]

    answers, code = list[tuple[str, str]](), 0
    for command, _ in steps:
        if command == "echo $?":
            answers.append((command, f"{code}\n"))
            continue
        ended = lineage(*shlex.split(command)[1:])
        code = ended.code
        answers.append((command, ended.out + ended.err))

    assert len(steps) > 10
    wrong = [
        (told, step) for told, step in zip(answers, steps, strict=True) if not _meets(told, step)
    ]
    assert wrong == [], wrong[0][0][1]


def _meets(told: tuple[str, str], printed: tuple[str, str]) -> bool:
    """Whether it is the same; an ellipsis at the end of a line stands for the rest of it."""
    pattern = re.escape(printed[1]).replace("…\\\n", ".*\n")
    return told[0] == printed[0] and re.fullmatch(pattern, told[1]) is not None
