"""The documents say what the program does."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
from typer.core import TyperGroup
from typer.main import get_command

from cli.commands import app

ROOT = Path(__file__).parents[2]
DOCUMENTS = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])
README = (ROOT / "README.md").read_text("utf-8")


def name_of(path: Path) -> str:
    """The path as people write it."""
    return str(path.relative_to(ROOT))


def test_the_changelog_tells_of_this_version() -> None:
    """A release without news is not made."""
    version = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["version"]

    newest = re.search(r"^## (\S+)", (ROOT / "CHANGELOG.md").read_text("utf-8"), re.MULTILINE)

    assert newest is not None
    assert newest[1] == version


def test_the_readme_mentions_every_command() -> None:
    """Somebody who reads it knows what there is."""
    assert [name for name in _commands() if f"lineage {name}" not in README] == []


def test_the_settings_flags_are_options_of_commands() -> None:
    """A flag that the table of settings names can be given."""
    table = (ROOT / "docs" / "settings.md").read_text("utf-8")

    named = re.findall(r"`(--[a-z-]+)`(?: \(([a-z ]+)\))?", table)

    assert [flag for flag in named if not _takes(*flag)] == []


@pytest.mark.parametrize("path", DOCUMENTS, ids=name_of)
def test_every_link_leads_to_a_file(path: Path) -> None:
    """Documents stay together when files move."""
    links = re.findall(r"\]\(([^)#:]+?)(?:#[^)]*)?\)", path.read_text("utf-8"))

    assert [link for link in links if not (path.parent / link).exists()] == []


def test_the_how_to_shows_the_code_that_is_tested() -> None:
    """Each piece of docs/importers.md stands in the example that the importers' suite runs."""
    text = (ROOT / "docs" / "importers.md").read_text("utf-8")
    sources = (ROOT / "tests" / "diary_importer.py", ROOT / "tests/unit/importers/cases.py")
    code = "".join(path.read_text("utf-8") for path in sources)

    pieces = re.findall(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL)

    assert len(pieces) > 5
    assert [piece for piece in pieces if piece not in code] == []


@pytest.mark.parametrize("path", sorted((ROOT / "docs" / "decisions").glob("*.md")), ids=name_of)
def test_a_decision_is_half_a_page(path: Path) -> None:
    """Why, what else there was, and what it costs; numbered, so that it can be named."""
    text = path.read_text("utf-8")

    assert re.fullmatch(r"\d{4}-[a-z0-9-]+\.md", path.name)
    assert text.startswith("# ")
    assert len(text.splitlines()) <= 45


def test_the_makefile_has_the_verbs_that_the_documents_name() -> None:
    """What a document tells somebody to type exists."""
    makefile = (ROOT / "Makefile").read_text("utf-8")
    words = {
        verb
        for path in [*DOCUMENTS, ROOT / ".ci" / "run"]
        for verb in re.findall(r"(?:^|`)make ([a-z]+)", path.read_text("utf-8"), re.MULTILINE)
    }

    assert [verb for verb in sorted(words) if f"\n{verb}:" not in makefile] == []


def _takes(flag: str, command: str) -> bool:
    """Whether that command takes the flag, or where none is named, any does."""
    commands = _commands()
    asked = [commands[command]] if command else commands.values()
    return any(flag in options for options in asked)


def _commands() -> dict[str, list[str]]:
    """The options of every command by its words, those of groups too."""
    found: dict[str, list[str]] = {}
    waiting = [("", get_command(app))]
    while waiting:
        words, command = waiting.pop()
        if isinstance(command, TyperGroup):
            waiting.extend((f"{words} {n}".strip(), c) for n, c in command.commands.items())
        else:
            found[words] = [name for each in command.params for name in each.opts]
    return found
