"""The files of transcripts: where they lie, and what their places and names say.

Claude Code keeps a folder for each project, a file for each session in it, and the files of a
session's agents in a folder of the session's own; old versions put them beside the session's.
Names are only looked at where the lines can't know better: a session's id is its file's name.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from importers.file_tree import FoundFile, files_below

if TYPE_CHECKING:
    from collections.abc import Iterator

    from importers.contract import Skip

SUFFIX = ".jsonl"
PROJECTS_FOLDER = "projects"
AGENTS_FOLDER = "subagents"
AGENT_PREFIX = "agent-"

_PROJECT_FOLDER = re.compile(r"-[A-Za-z0-9-]*|[A-Za-z]-[A-Za-z0-9-]*")
_LEFT_OUT = ("journal.jsonl", "history.jsonl")
"""Files of the program's own that are no conversations."""


@dataclass(frozen=True, slots=True)
class Scope:
    """Where the relatives of what was named are: in a folder, or in all folders below it."""

    folder: Path
    is_deep: bool


def transcript_files(root: Path, skips: list[Skip]) -> Iterator[FoundFile]:
    """All files below a folder that may be transcripts, or the one file."""
    for file in files_below(root, SUFFIX, skips):
        if root.is_file() or os.path.basename(file.path) not in _LEFT_OUT:  # noqa: PTH119 - per file
            yield file


def scope_of(path: Path) -> Scope:
    """The widest place that holds conversations related to those of a path."""
    root = projects_root(path)
    if root is not None:
        return Scope(root, is_deep=True)
    session = _session_folder(path)
    if session is not None:
        return Scope(session.parent, is_deep=False)
    if path.is_dir():
        return Scope(path, is_deep=True)
    return Scope(path.parent, is_deep=False)


def projects_root(path: Path) -> Path | None:
    """Claude Code's own folder of all projects, where the path is it, holds it or lies in it."""
    for folder in (path, path / PROJECTS_FOLDER):
        if folder.name == PROJECTS_FOLDER and _holds_projects(folder):
            return folder
    for folder in (path, *path.parents):
        if folder.parent.name == PROJECTS_FOLDER and _PROJECT_FOLDER.fullmatch(folder.name):
            return folder.parent
    return None


def related_files(scope: Scope, sessions: set[str]) -> Iterator[FoundFile]:
    """The files of a scope; of a folder alone, those in it and the agents of these sessions."""
    passed: list[Skip] = []
    if scope.is_deep:
        yield from transcript_files(scope.folder, passed)
        return
    try:
        names = sorted(entry.path for entry in os.scandir(scope.folder))
    except OSError:
        return
    for name in names:
        path = Path(name)
        if name.endswith(SUFFIX) and path.is_file():
            yield from transcript_files(path, passed)
    for session in sorted(sessions):
        folder = scope.folder / session / AGENTS_FOLDER
        if folder.is_dir():
            yield from transcript_files(folder, passed)


def session_of_agent(path: str) -> str | None:
    """The session whose folder of agents a file lies in."""
    folder = _session_folder(Path(path).parent)
    return folder.name if folder is not None else None


def named_agent(path: str) -> str | None:
    """The agent that the name of a file speaks of."""
    stem = Path(path).name.removesuffix(SUFFIX)
    agent = stem.removeprefix(AGENT_PREFIX)
    return agent if agent and agent != stem else None


def _holds_projects(folder: Path) -> bool:
    try:
        names = [entry.name for entry in os.scandir(folder) if entry.is_dir()]
    except OSError:
        return False
    return any(_PROJECT_FOLDER.fullmatch(name) for name in names)


def _session_folder(path: Path) -> Path | None:
    for folder in (path, *path.parents):
        if folder.name == AGENTS_FOLDER:
            return folder.parent
    return None
