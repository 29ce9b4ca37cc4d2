"""From the paths that a user names to the threads that are to be read."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from graph.errors import SourceNotFound, SourceNotRecognized
from graph.records import SpawnRecord
from importers.codex.database import database_in, is_database, read_database
from importers.codex.edges import BY_DATABASE
from importers.codex.files import Heads, RolloutFile, home_of, rollout_files
from importers.codex.home import Home, database_of, open_home
from importers.codex.thread import DRIVER
from importers.contract import Plan, Skip, Source
from importers.fingerprints import fingerprint_of
from importers.timestamps import from_nanoseconds

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from graph.model import ThreadId
    from importers.codex.context import Context


@dataclass(slots=True)
class Selection:
    """What of one home, or outside of any, was named; *whole* is all of it."""

    home: Path | None
    whole: bool = False
    database: Path | None = None
    files: dict[str, RolloutFile] = field(default_factory=dict[str, RolloutFile])


def plan_paths(paths: Sequence[Path], heads: Heads) -> Plan:
    """The threads below the paths, each once, in the order of their ids."""
    skips: list[Skip] = []
    sources: dict[ThreadId, Source] = {}
    spawns: dict[ThreadId, SpawnRecord] = {}
    files = 0
    for selection in _with_databases(_selections(paths, skips)):
        home, threads = _opened(selection, heads)
        skips.extend(home.skips)
        for owner in threads:
            source = _source(home.context(owner))
            files += len(source.paths)
            if owner in sources:
                skips.append(
                    Skip(
                        path=source.paths[0],
                        reason="duplicate-thread",
                        detail=f"{sources[owner].paths[0]} is read instead",
                    )
                )
            else:
                sources[owner] = source
        for spawn in _spawns(selection, home, threads):
            spawns.setdefault(spawn.child_thread_id, spawn)
    plan = Plan(
        driver=DRIVER,
        sources=tuple(sources[owner] for owner in sorted(sources)),
        spawns=tuple(spawns[child] for child in sorted(spawns) if child not in sources),
        skips=tuple(skips),
        files=files,
    )
    _refuse_nothing(paths, plan)
    return plan


def _selections(paths: Sequence[Path], skips: list[Skip]) -> Sequence[Selection]:
    chosen: dict[Path | None, Selection] = {}

    def of(home: Path | None) -> Selection:
        return chosen.setdefault(home, Selection(home))

    for named in paths:
        path = named.absolute()
        if not path.exists():
            raise SourceNotFound(str(named), f"There is no file or folder {named}.")
        home = home_of(path)
        if is_database(path):
            selection = of(home_of(path.parent))
            selection.database = path
        elif home == path:
            of(home).whole = True
        else:
            if path.is_dir() and (database := database_in(path)) is not None:
                of(None).database = database
            for file in rollout_files(path, skips):
                _select(of, path, file)
    return list(chosen.values())


def _with_databases(selections: Sequence[Selection]) -> Sequence[Selection]:
    """A database that was named beside a home without one is that home's."""
    homes = [each for each in selections if each.home is not None]
    loose = next((each for each in selections if each.home is None), None)
    without = [each for each in homes if each.home and database_of(each.home) is None]
    if loose is None or loose.database is None or len(homes) != 1 or not without:
        return selections
    without[0].database, loose.database = loose.database, None
    return [each for each in selections if each.files or each.whole or each.database]


def _select(of: Callable[[Path | None], Selection], named: Path, file: RolloutFile) -> None:
    home = home_of(Path(file.path))
    selection = of(home)
    selection.files[file.path] = file
    if home is not None and home.is_relative_to(named):
        # The whole home lies below the path: what only its database knows belongs to it.
        selection.whole = True


def _opened(selection: Selection, heads: Heads) -> tuple[Home, Sequence[ThreadId]]:
    if selection.home is None:
        home = Home(None, heads, read_database(selection.database))
        home.skips.extend(home.database.skips)
        files = list(selection.files.values())
        selected = None
    else:
        home, files = open_home(selection.home, heads, selection.database)
        selected = None if selection.whole else set(selection.files)
    threads = home.add(files, selected)
    if selection.whole or selection.database is not None:
        threads |= home.database.threads.keys()
    return home, sorted(threads)


def _source(context: Context) -> Source:
    paths = tuple(file.path for file in context.files)
    if not paths and context.database_path is not None:
        paths = (context.database_path,)
    facts = [(file.path, file.size, file.modified_ns) for file in context.files]
    modified = max((file.modified_ns for file in context.files), default=0)
    return Source(
        thread_id=context.thread_id,
        paths=paths,
        size=sum(file.size for file in context.files),
        fingerprint=fingerprint_of(facts, context.row, context.edge, context.name),
        changed_at=from_nanoseconds(modified),
        cwd=context.cwd,
        context=context,
    )


def _spawns(
    selection: Selection, home: Home, threads: Sequence[ThreadId]
) -> Iterator[SpawnRecord]:
    """Edges to children that have neither a file nor a row: nobody else would tell of them."""
    everything = selection.whole or selection.database is not None
    selected = frozenset(threads)
    for edge in home.database.edges.values():
        child = edge.child_thread_id
        if child in home.by_thread or child in home.database.threads:
            continue
        if everything or edge.parent_thread_id in selected:
            yield SpawnRecord(
                child_thread_id=child,
                parent_thread_id=edge.parent_thread_id,
                status=edge.status,
                evidence=BY_DATABASE,
            )


def _refuse_nothing(paths: Sequence[Path], plan: Plan) -> None:
    if plan.sources or plan.spawns:
        return
    named = ", ".join(str(path) for path in paths)
    reasons = sorted({f"{skip.reason}: {skip.detail or skip.path}" for skip in plan.skips})
    found = f" ({'; '.join(reasons[:3])})" if reasons else ""
    raise SourceNotRecognized(
        named,
        f"No Codex rollouts in {named}{found}. Name a Codex home, a folder in it, a rollout "
        "file or a state database.",
    )
