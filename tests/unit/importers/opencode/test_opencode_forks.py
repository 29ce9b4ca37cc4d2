"""What an OpenCode session was made from: OpenCode does not say, and it is told all the same."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from graph.model import Evidence, Proof, RunId, ThreadId
from graph.records import ForkRecord
from importers.opencode.importer import OpenCodeImporter
from tests.importing import ALL, import_paths
from tests.unit.importers.opencode.homes import Home, task, told

if TYPE_CHECKING:
    from pathlib import Path

    from tests.importing import Imported

pytestmark = pytest.mark.anyio

COPIED = Evidence(proof=Proof.INFERRED, rule="copied messages")
MAIN = ThreadId("ses_main")
FORK = ThreadId("ses_fork")


async def history(imported: Imported, thread_id: str) -> list[str]:
    """The runs of a thread's history."""
    pages = await imported.store.history(
        [ThreadId(thread_id)], include_rolled_back=False, first=ALL, after=None
    )
    return [row.run.run_id for row in pages[ThreadId(thread_id)].rows]


async def test_a_fork_is_known_by_what_was_copied(tmp_path: Path) -> None:
    """Messages that are older than their session, with ids that are not."""
    home = Home()
    home.session(MAIN, 0)
    prompts = [home.turn(MAIN, second) for second in (1, 2, 3)]
    home.fork(FORK, MAIN, 10, before=prompts[2])
    own = home.turn(FORK, 12)

    imported = await import_paths(OpenCodeImporter(), [home.write(tmp_path)])

    assert imported.threads[FORK].fork == ForkRecord(
        source_thread_id=MAIN,
        point_run_id=RunId(f"{MAIN}/{prompts[1]}"),
        at=told(10),
        evidence=COPIED,
    )
    assert [run.run_id for run in imported.threads[FORK].runs] == [f"{FORK}/{own}"]
    assert await history(imported, FORK) == [
        f"{MAIN}/{prompts[0]}",
        f"{MAIN}/{prompts[1]}",
        f"{FORK}/{own}",
    ]


async def test_a_copied_task_names_its_source(tmp_path: Path) -> None:
    """OpenCode copies it word for word: that is better than a likeness."""
    home = Home()
    home.session(MAIN, 0)
    home.session("ses_child", 1.3, parent_id=MAIN)
    prompt = home.prompt(MAIN, 1)
    home.answer(MAIN, 1.2, prompt, task("ses_child", 1.3, 1.9, parent=MAIN))
    home.turn("ses_child", 1.4)
    home.fork(FORK, MAIN, 10)
    home.turn(FORK, 12)

    imported = await import_paths(OpenCodeImporter(), [home.write(tmp_path)])

    made = imported.threads[FORK].fork
    assert made is not None
    assert made.evidence == Evidence(proof=Proof.DATABASE, rule="copied tasks name the source")
    assert imported.threads[FORK].spawn_calls == ()


async def test_a_fork_of_a_fork_is_a_fork_of_the_fork(tmp_path: Path) -> None:
    """The source is who made the last message that was copied."""
    home = Home()
    home.session(MAIN, 0)
    first = home.turn(MAIN, 1)
    home.fork(FORK, MAIN, 10)
    second = home.turn(FORK, 12)
    home.fork("ses_again", FORK, 20, title=f"{MAIN} (fork #2)")
    third = home.turn("ses_again", 22)

    imported = await import_paths(OpenCodeImporter(), [home.write(tmp_path)], backwards=True)

    made = imported.threads[ThreadId("ses_again")].fork
    assert made is not None
    assert (made.source_thread_id, made.point_run_id) == (FORK, f"{FORK}/{second}")
    assert await history(imported, "ses_again") == [
        f"{MAIN}/{first}",
        f"{FORK}/{second}",
        f"ses_again/{third}",
    ]


async def test_a_title_tells_a_fork_that_was_cut_in_what_it_inherited(tmp_path: Path) -> None:
    """The number counts depth: what was copied belongs to one session, but came by another."""
    home = Home()
    home.session(MAIN, 0)
    first = home.turn(MAIN, 1)
    home.fork(FORK, MAIN, 10)
    home.turn(FORK, 12)
    home.fork("ses_again", MAIN, 20, title=f"{MAIN} (fork #2)")
    home.fork("ses_other", MAIN, 20, title="renamed")

    imported = await import_paths(OpenCodeImporter(), [home.write(tmp_path)])

    made = {
        thread.thread_id: (thread.fork.source_thread_id, thread.fork.point_run_id)
        for thread in imported.threads.values()
        if thread.fork is not None
    }
    point = f"{MAIN}/{first}"
    assert made == {FORK: (MAIN, point), "ses_again": (FORK, point), "ses_other": (MAIN, point)}


async def test_a_title_alone_makes_no_fork(tmp_path: Path) -> None:
    """A fork before the first message leaves no evidence."""
    home = Home()
    home.session(MAIN, 0)
    home.turn(MAIN, 1)
    home.session(FORK, 10, title=f"{MAIN} (fork #1)")

    imported = await import_paths(OpenCodeImporter(), [home.write(tmp_path)])

    assert imported.threads[FORK].fork is None


async def test_a_clock_that_was_put_back_copies_nothing(tmp_path: Path) -> None:
    """The id of such a message is as old as it says."""
    home = Home()
    home.session(MAIN, 50)
    first, second = home.turn(MAIN, 1), home.turn(MAIN, 60)

    imported = await import_paths(OpenCodeImporter(), [home.write(tmp_path)])

    assert [run.native_turn_id for run in imported.only.runs] == [first, second]


async def test_what_was_copied_from_a_deleted_session_stays_with_the_fork(tmp_path: Path) -> None:
    """Nobody else tells of it: nothing that was said is lost."""
    home = Home()
    home.session(FORK, 10)
    for second in (1, 2):
        home.message(FORK, second, {"type": "text", "text": "x"}, made=10.001, role="user")
    home.turn(FORK, 12)

    imported = await import_paths(OpenCodeImporter(), [home.write(tmp_path)])

    assert imported.only.fork is None
    assert len(imported.only.runs) == 3


async def test_a_fork_keeps_what_its_source_took_back_afterwards(tmp_path: Path) -> None:
    """The messages are gone from the source; its events still say whose they were."""
    home = Home()
    home.session(MAIN, 0)
    prompts = [home.turn(MAIN, second) for second in (1, 2)]
    home.fork(FORK, MAIN, 10)
    home.take_back(MAIN, 20, prompts[1], gone=True)
    home.turn(MAIN, 26)

    imported = await import_paths(OpenCodeImporter(), [home.write(tmp_path)])

    assert imported.threads[FORK].runs == ()
    assert await history(imported, FORK) == [f"{MAIN}/{prompt}" for prompt in prompts]


@pytest.mark.parametrize("gone", [False, True])
async def test_a_fork_that_left_inherited_runs_keeps_its_point(tmp_path: Path, gone: bool) -> None:  # noqa: FBT001 - a parameter of the test
    """Its history leaves out what it went back behind, whether or not that is still there."""
    home = Home()
    home.session(MAIN, 0)
    prompts = [home.turn(MAIN, second) for second in (1, 2)]
    home.fork(FORK, MAIN, 10)
    copied = min(
        message_id
        for message_id, (owner, info) in home.messages.items()
        if owner == FORK
        and info["time"]["created"] == home.messages[prompts[1]][1]["time"]["created"]
    )
    home.take_back(FORK, 20, copied, gone=gone)

    imported = await import_paths(OpenCodeImporter(), [home.write(tmp_path)])

    made = imported.threads[FORK].fork
    assert made is not None
    assert made.point_run_id == f"{MAIN}/{prompts[1]}"
    assert made.kept_through_run_id == f"{MAIN}/{prompts[0]}"
    assert await history(imported, FORK) == [f"{MAIN}/{prompts[0]}"]


async def test_newer_versions_name_the_source_themselves(tmp_path: Path) -> None:
    """By an event, where for a while the source stood in the place of the spawner."""
    home = Home()
    home.session(MAIN, 0)
    home.turn(MAIN, 1)
    home.session(FORK, 10, parent_id=MAIN)
    home.event(FORK, 10, "session.forked.1", {"parentID": MAIN, "from": "x"})

    imported = await import_paths(OpenCodeImporter(), [home.write(tmp_path)])

    thread = imported.threads[FORK]
    assert thread.spawn is None
    assert thread.fork == ForkRecord(
        source_thread_id=MAIN,
        at=told(10),
        evidence=Evidence(proof=Proof.DATABASE, rule="session.fork_session_id"),
    )


async def test_a_fork_in_the_older_storage_is_known_in_the_same_way(tmp_path: Path) -> None:
    """Also when only its own file was named."""
    home = Home()
    home.session(MAIN, 0)
    prompt = home.turn(MAIN, 1)
    home.fork(FORK, MAIN, 10)
    own = home.turn(FORK, 12)
    root = home.write_storage(tmp_path)

    imported = await import_paths(OpenCodeImporter(), [root / "session" / "p" / f"{FORK}.json"])

    made = imported.only.fork
    assert made is not None
    assert (made.source_thread_id, made.point_run_id) == (MAIN, f"{MAIN}/{prompt}")
    assert [run.native_turn_id for run in imported.only.runs] == [own]
