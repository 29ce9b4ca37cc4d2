"""A session's file, found by its id: in the same project's folder, else in another's."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from importers.claude_code.context import TranscriptFile

if TYPE_CHECKING:
    from importers.claude_code.context import Context

SUFFIX = ".jsonl"


def session_file(context: Context, session: str) -> TranscriptFile | None:
    """The file of another session; ``None`` where there is none, or its id is no plain name."""
    name = session + SUFFIX
    if Path(name).name != name or session == context.session:
        return None
    folder = Path(context.files[0].path).parent
    found = _file_at(folder / name, session)
    if found is not None or context.root is None:
        return found
    try:
        projects = sorted(entry.path for entry in os.scandir(context.root) if entry.is_dir())
    except OSError:
        return None
    others = (_file_at(Path(project) / name, session) for project in projects)
    return next((file for file in others if file is not None), None)


def _file_at(path: Path, session: str) -> TranscriptFile | None:
    try:
        found = path.stat()
    except (OSError, ValueError):
        return None
    if not path.is_file():
        return None
    return TranscriptFile(str(path), found.st_size, found.st_mtime_ns, session)
