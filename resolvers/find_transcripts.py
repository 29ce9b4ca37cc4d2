"""Find: which conversations there are to import, before any of them is read."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import anyio

from graph.errors import SourceNotFound, SourceNotRecognized
from importers.contract import Skip

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from graph.model import Timestamp
    from importers.contract import Importer, Plan, Source


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """Which conversations are meant; a condition that is absent is met by all.

    Without *paths*, those where the tools keep them. *drivers* are the tools' words. *since*:
    written to at that time or later; where a plan does not know when, the conversation is taken.
    *project*: those that work in that folder or below it; where a plan does not know the
    folder, it is left out and counted.
    """

    paths: Sequence[Path] = ()
    drivers: Sequence[str] = ()
    since: Timestamp | None = None
    project: Path | None = None


@dataclass(frozen=True, slots=True)
class FoundTranscripts:
    """The conversations of one tool, below the paths where they lie."""

    importer: Importer
    paths: Sequence[Path]
    plan: Plan

    @property
    def size(self) -> int:
        """How many bytes there are to read."""
        return sum(source.size for source in self.plan.sources)

    @property
    def changed_at(self) -> Timestamp | None:
        """When one of them was last written to, as far as that is known."""
        known = (source.changed_at for source in self.plan.sources)
        return max((at for at in known if at is not None), default=None)


async def find_transcripts(
    importers: Sequence[Importer], selection: Selection
) -> Sequence[FoundTranscripts]:
    """What there is to import of each tool, one after another.

    Raises ``SourceNotFound`` where there is nothing at a path or, without paths, on the whole
    machine, and ``SourceNotRecognized`` for a path that holds nothing of these tools.
    """
    found: list[FoundTranscripts] = []
    for importer, paths in _assign(_chosen(importers, selection.drivers), selection.paths):
        plan = await anyio.to_thread.run_sync(importer.plan, paths, abandon_on_cancel=True)
        found.append(FoundTranscripts(importer, paths, _narrowed(plan, selection)))
    return found


def paths_to_read(importers: Sequence[Importer], selection: Selection) -> Sequence[Path]:
    """The paths of the selection, else where the tools keep their transcripts here."""
    if selection.paths:
        return selection.paths
    chosen = _chosen(importers, selection.drivers)
    return tuple(path for importer in chosen for path in default_paths(importer))


def default_paths(importer: Importer) -> Sequence[Path]:
    """Where the importer's tool keeps its transcripts, as far as there are some."""
    return [path for path in importer.default_paths() if importer.recognizes(path)]


def _chosen(importers: Sequence[Importer], drivers: Sequence[str]) -> Sequence[Importer]:
    known = {importer.driver: importer for importer in importers}
    for driver in drivers:
        if driver not in known:
            message = f"There is no importer for {driver!r}. Known are: {', '.join(known)}."
            raise SourceNotRecognized("", message)
    return [importer for importer in importers if not drivers or importer.driver in drivers]


def _assign(
    importers: Sequence[Importer], paths: Sequence[Path]
) -> Iterator[tuple[Importer, Sequence[Path]]]:
    """Each importer with the paths that it recognizes; every path must be somebody's."""
    if not paths:
        assigned = [(importer, default_paths(importer)) for importer in importers]
        if not any(paths for _, paths in assigned):
            tools = ", ".join(importer.driver for importer in importers)
            message = (
                f"No transcripts of {tools} were found on this machine. Name a folder or file "
                "to import."
            )
            raise SourceNotFound("", message)
        yield from ((importer, paths) for importer, paths in assigned if paths)
        return
    chosen: dict[int, list[Path]] = {}
    for path in paths:
        chosen.setdefault(_importer_of(path, importers), []).append(path)
    for index, some in chosen.items():
        yield importers[index], some


def _importer_of(path: Path, importers: Sequence[Importer]) -> int:
    if not path.exists():
        raise SourceNotFound(str(path), f"There is no file or folder {path}.")
    for index, importer in enumerate(importers):
        if importer.recognizes(path):
            return index
    known = ", ".join(importer.driver for importer in importers)
    message = f"{path} holds no transcripts that can be read here. Known are those of: {known}."
    raise SourceNotRecognized(str(path), message)


def _narrowed(plan: Plan, selection: Selection) -> Plan:
    if selection.since is None and selection.project is None:
        return plan
    skips: list[Skip] = []
    sources = [source for source in plan.sources if _is_meant(source, selection, skips)]
    kept = {source.thread_id for source in sources}
    return replace(
        plan,
        sources=tuple(sources),
        # An edge is told with its parent: the child has no transcript.
        spawns=tuple(spawn for spawn in plan.spawns if spawn.parent_thread_id in kept),
        skips=(*plan.skips, *skips),
        files=len({path for source in sources for path in source.paths}),
    )


def _is_meant(source: Source, selection: Selection, skips: list[Skip]) -> bool:
    since, project = selection.since, selection.project
    if since is not None and source.changed_at is not None and source.changed_at < since:
        return False
    if project is None:
        return True
    if source.cwd is None:
        skips.append(Skip(path=(*source.paths, "")[0], reason="unknown-project"))
        return False
    folder = str(project)
    return source.cwd == folder or source.cwd.startswith(folder.rstrip(os.sep) + os.sep)
