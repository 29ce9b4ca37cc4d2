"""How a thread hangs together with others, and how that is known."""

from __future__ import annotations

from graph.model import Evidence, Proof, RunId, ThreadId, Timestamp
from graph.records import ForkRecord, HistoryBaseRecord, ParentRecord, SpawnCallRecord, SpawnRecord
from tests.unit.importers.codex_home import (
    CodexHome,
    completed,
    encoded,
    event,
    item,
    kept_at,
    meta,
    model_item,
    spawn_source,
    started,
    turn,
    uuid,
)

PARENT, OTHER = ThreadId(uuid(0)), ThreadId(uuid(1))
CHILD = ThreadId(uuid(100))
PARENT_TURN, CHILD_TURN = uuid(50), uuid(101)
MADE = Timestamp(kept_at(0))
BY_PARENT = Evidence(proof=Proof.FILE, rule="session_meta.parent_thread_id")
BY_SOURCE = Evidence(proof=Proof.FILE, rule="source.subagent.thread_spawn")
BY_DATABASE = Evidence(proof=Proof.DATABASE, rule="thread_spawn_edges")
BY_FORKED_FROM = Evidence(proof=Proof.FILE, rule="session_meta.forked_from_id")
BY_HISTORY_BASE = Evidence(proof=Proof.FILE, rule="session_meta.history_base")


def test_a_spawn_is_told_by_the_parents_id(home: CodexHome) -> None:
    """It is open until the database says otherwise, and the first own turn names its run."""
    home.rollout(
        CHILD,
        [
            meta(CHILD, parent_thread_id=PARENT, source=spawn_source(OTHER)),
            started(CHILD_TURN, turn_attribution={"parent_turn_id": PARENT_TURN}),
            completed(CHILD_TURN),
        ],
    )

    assert home.read().threads[CHILD].spawn == SpawnRecord(
        child_thread_id=CHILD,
        parent_thread_id=PARENT,
        status="open",
        run_id=RunId(f"{PARENT}/{PARENT_TURN}"),
        at=MADE,
        evidence=BY_PARENT,
    )


def test_an_older_spawn_is_told_by_the_source(home: CodexHome) -> None:
    """Before mid 2026 the parent stands nowhere else."""
    home.rollout(CHILD, [meta(CHILD, source=spawn_source(PARENT)), *turn(CHILD_TURN)])

    assert home.read().threads[CHILD].spawn == SpawnRecord(
        child_thread_id=CHILD, parent_thread_id=PARENT, at=MADE, evidence=BY_SOURCE
    )


def test_the_database_is_believed_first(home: CodexHome) -> None:
    """Its parent and its status win, also a status that is not known here."""
    home.rollout(CHILD, [meta(CHILD, parent_thread_id=PARENT, source=spawn_source(PARENT))])
    home.database(edges=[(OTHER, CHILD, "future")])

    assert home.read().threads[CHILD].spawn == SpawnRecord(
        child_thread_id=CHILD,
        parent_thread_id=OTHER,
        status="future",
        at=MADE,
        evidence=BY_DATABASE,
    )


def test_edges_that_only_the_database_knows_are_in_the_plan(home: CodexHome) -> None:
    """A child that never ran has neither a file nor a row; the others speak for themselves."""
    home.rollout(PARENT, [meta(PARENT)])
    home.rollout(CHILD, [meta(CHILD)])
    home.database(
        {"id": OTHER, "source": "cli"},
        edges=[(PARENT, uuid(200), "closed"), (PARENT, CHILD, "open"), (PARENT, OTHER, "open")],
    )

    found = home.read()

    assert found.plan.spawns == (
        SpawnRecord(
            child_thread_id=ThreadId(uuid(200)),
            parent_thread_id=PARENT,
            status="closed",
            evidence=BY_DATABASE,
        ),
    )
    assert sorted(found.threads) == [PARENT, OTHER, CHILD]


def test_a_reviewer_has_a_parent_and_no_spawner(home: CodexHome) -> None:
    """Reviews, guardians and jobs were not spawned."""
    home.rollout(
        CHILD,
        [
            meta(CHILD, parent_thread_id=PARENT, source={"subagent": "review"}),
            started(CHILD_TURN, turn_attribution={"parent_turn_id": PARENT_TURN}),
        ],
    )

    thread = home.read().threads[CHILD]

    assert thread.spawn is None
    assert thread.child_of == ParentRecord(
        parent_thread_id=PARENT,
        run_id=RunId(f"{PARENT}/{PARENT_TURN}"),
        at=MADE,
        evidence=BY_PARENT,
    )


def test_a_guardian_was_made_by_no_single_run(home: CodexHome) -> None:
    """It serves many turns of its parent."""
    home.rollout(
        CHILD,
        [
            meta(CHILD, parent_thread_id=PARENT, source={"subagent": {"other": "guardian"}}),
            started(CHILD_TURN, turn_attribution={"parent_turn_id": PARENT_TURN}),
        ],
    )

    assert home.read().threads[CHILD].child_of == ParentRecord(
        parent_thread_id=PARENT, at=MADE, evidence=BY_PARENT
    )


def test_an_old_review_finds_its_run_in_the_parents_file(home: CodexHome) -> None:
    """The start of its turn stands inside the run of the review there."""
    home.rollout(
        PARENT,
        [
            meta(PARENT),
            event("entered_review_mode"),
            started(CHILD_TURN),
            event("exited_review_mode"),
            completed(PARENT_TURN),
        ],
    )
    source = {"subagent": "review"}
    home.rollout(CHILD, [meta(CHILD, parent_thread_id=PARENT, source=source), *turn(CHILD_TURN)])

    child_of = home.read().threads[CHILD].child_of

    assert child_of is not None
    assert child_of.run_id == f"{PARENT}/{PARENT_TURN}"


def test_a_fork_field_without_a_copy_once_meant_the_parent(home: CodexHome) -> None:
    """For five days in May 2026 subagents wrote it so; that is inferred, and no fork."""
    rule = "a subagent's forked_from_id without copied history"
    source = {"subagent": {"other": "guardian"}}
    home.rollout(CHILD, [meta(CHILD, forked_from_id=PARENT, source=source), *turn(CHILD_TURN)])

    thread = home.read().threads[CHILD]

    assert thread.fork is None
    assert thread.child_of == ParentRecord(
        parent_thread_id=PARENT,
        at=MADE,
        evidence=Evidence(proof=Proof.INFERRED, rule=rule),
    )


def test_a_spawn_that_copied_its_parents_context_is_both(home: CodexHome) -> None:
    """The fork is of the context only; its point is the turn in which the copy was cut."""
    home.rollout(
        CHILD,
        [
            meta(
                CHILD,
                forked_from_id=PARENT,
                parent_thread_id=PARENT,
                source=spawn_source(PARENT),
            ),
            meta(PARENT),
            *turn(uuid(40)),
            started(PARENT_TURN),
            *turn(CHILD_TURN),
        ],
    )

    thread = home.read().threads[CHILD]

    assert thread.spawn is not None
    assert thread.fork == ForkRecord(
        source_thread_id=PARENT,
        point_native_turn_id=PARENT_TURN,
        context_only=True,
        at=MADE,
        evidence=BY_FORKED_FROM,
    )
    assert [run.native_turn_id for run in thread.runs] == [CHILD_TURN]


def test_a_fork_goes_on_from_its_last_inherited_turn_in_view(home: CodexHome) -> None:
    """What was rolled back before the copy is no point; the immediate source is the source."""
    home.rollout(
        CHILD,
        [
            meta(CHILD, forked_from_id=OTHER),
            meta(OTHER, forked_from_id=PARENT),
            meta(PARENT),
            *turn(uuid(40)),
            *turn(PARENT_TURN),
            event("thread_rolled_back", num_turns=1),
            *turn(CHILD_TURN),
        ],
    )

    assert home.read().threads[CHILD].fork == ForkRecord(
        source_thread_id=OTHER,
        point_native_turn_id=uuid(40),
        at=MADE,
        evidence=BY_FORKED_FROM,
    )


def test_a_fork_that_reverts_what_it_inherited_keeps_its_point(home: CodexHome) -> None:
    """Markers count across the border of the copy; what is left names its owner."""
    home.rollout(
        CHILD,
        [
            meta(CHILD, forked_from_id=PARENT),
            meta(PARENT),
            *turn(uuid(40)),
            *turn(PARENT_TURN),
            *turn(CHILD_TURN),
            event("thread_rolled_back", num_turns=2),
        ],
    )

    fork = home.read().threads[CHILD].fork

    assert fork is not None
    assert fork.point_native_turn_id == PARENT_TURN
    assert fork.kept_through_run_id == f"{PARENT}/{uuid(40)}"


def test_a_fork_that_reverts_all_that_it_inherited_keeps_nothing(home: CodexHome) -> None:
    """An empty id says so; none at all would say that nothing was reverted."""
    home.rollout(
        CHILD,
        [
            meta(CHILD, forked_from_id=PARENT),
            meta(PARENT),
            *turn(PARENT_TURN),
            started(CHILD_TURN),
            completed(CHILD_TURN),
            event("thread_rolled_back", num_turns=5),
        ],
    )

    fork = home.read().threads[CHILD].fork

    assert fork is not None
    assert fork.kept_through_run_id == ""


def base(rollout_id: str, end: int) -> dict[str, object]:
    """A reference to another rollout's history."""
    return {"thread_id": rollout_id, "end_ordinal_exclusive": end, "end_byte_offset": 0}


def test_a_referenced_fork_point_is_found_through_the_chain(home: CodexHome) -> None:
    """The last turn that began before the end, in whichever rollout of the chain it stands."""
    home.rollout(PARENT, encoded([meta(PARENT), *turn(uuid(2)), *turn(uuid(3))], ordinal=0))
    middle = meta(OTHER, forked_from_id=PARENT, history_base=base(PARENT, 5))
    home.rollout(OTHER, encoded([middle, *turn(uuid(60))], ordinal=5))
    home.rollout(
        CHILD,
        encoded(
            [meta(CHILD, forked_from_id=OTHER, history_base=base(OTHER, 6)), *turn(CHILD_TURN)],
            ordinal=6,
        ),
    )

    thread = home.read().threads[CHILD]

    assert thread.fork == ForkRecord(
        source_thread_id=OTHER,
        point_run_id=RunId(f"{PARENT}/{uuid(2)}"),
        base_rollout_id=OTHER,
        base_end_ordinal=6,
        at=MADE,
        evidence=BY_FORKED_FROM,
    )
    assert thread.history_base == HistoryBaseRecord(
        thread_id=OTHER, end_ordinal=6, evidence=BY_HISTORY_BASE
    )


def test_a_referenced_point_whose_file_is_gone_is_left_to_the_graph(home: CodexHome) -> None:
    """It may know the runs of that rollout from elsewhere."""
    home.rollout(CHILD, [meta(CHILD, forked_from_id=PARENT, history_base=base(PARENT, 9))])

    fork = home.read().threads[CHILD].fork

    assert fork is not None
    assert (fork.point_run_id, fork.point_native_turn_id) == (None, None)
    assert (fork.base_rollout_id, fork.base_end_ordinal) == (PARENT, 9)


def test_a_reference_alone_tells_of_a_fork(home: CodexHome) -> None:
    """The rollout's owner is the source, also when a revert made that rollout."""
    revised = uuid(30)
    home.rollout(PARENT, encoded([meta(PARENT), *turn(uuid(2)), *turn(uuid(3))], ordinal=0))
    home.rollout(
        PARENT,
        encoded([meta(PARENT, history_base=base(PARENT, 5)), *turn(uuid(31))], ordinal=5, begin=9),
        rollout_id=revised,
    )
    home.rollout(CHILD, [meta(CHILD, history_base=base(revised, 99))])

    fork = home.read().threads[CHILD].fork

    assert fork is not None
    assert (fork.source_thread_id, fork.evidence) == (PARENT, BY_HISTORY_BASE)
    assert fork.point_run_id == f"{PARENT}/{uuid(31)}"


def test_an_attached_fork_is_marked_and_unlisted(home: CodexHome) -> None:
    """By its meta, or by the database alone."""
    home.rollout(CHILD, [meta(CHILD, forked_from_id=PARENT, attached_thread=True), meta(PARENT)])
    home.rollout(OTHER, [meta(OTHER, forked_from_id=PARENT), meta(PARENT), *turn(uuid(60))])
    home.database({"id": OTHER, "attached_thread_parent_id": PARENT, "preview": "shown"})

    threads = home.read().threads

    for owner in (CHILD, OTHER):
        fork = threads[owner].fork
        assert fork is not None
        assert fork.attached
        assert threads[owner].unlisted


def test_a_thread_is_not_its_own_relative(home: CodexHome) -> None:
    """Self edges of files and databases say nothing."""
    home.rollout(
        CHILD,
        [meta(CHILD, parent_thread_id=CHILD, forked_from_id=CHILD, source=spawn_source(CHILD))],
    )
    home.database(edges=[(CHILD, CHILD, "open")])

    thread = home.read().threads[CHILD]

    assert (thread.spawn, thread.child_of, thread.fork) == (None, None, None)


def test_spawning_calls_are_told_by_the_parents_own_lines(home: CodexHome) -> None:
    """Three sorts of lines tell of one call; a call that failed or was copied tells of none."""
    home.rollout(
        PARENT,
        [
            meta(PARENT),
            started(PARENT_TURN),
            model_item("function_call", name="spawn_agent", call_id="v1"),
            model_item("function_call", name="spawn_agent", call_id="v2"),
            model_item("function_call", name="spawn_agent", call_id="failed"),
            model_item("function_call_output", call_id="v2", output='{"task_name":"/root/b"}'),
            model_item("function_call_output", call_id="v1", output=f'{{"agent_id":"{CHILD}"}}'),
            model_item("function_call_output", call_id="failed", output="unsupported call"),
            item(
                "SubAgentActivity",
                PARENT,
                PARENT_TURN,
                id="v2",
                kind="started",
                agent_thread_id=OTHER,
                agent_path="/root/b",
            ),
            item(
                "CollabAgentToolCall",
                PARENT,
                PARENT_TURN,
                id="item",
                tool="spawn_agent",
                receiver_thread_ids=[uuid(300)],
            ),
            item("CollabAgentToolCall", PARENT, PARENT_TURN, id="w", tool="wait"),
            completed(PARENT_TURN),
        ],
    )

    run = RunId(f"{PARENT}/{PARENT_TURN}")
    assert home.read().threads[PARENT].spawn_calls == (
        SpawnCallRecord(call_id="v1", run_id=run, child_thread_id=CHILD, at=Timestamp(kept_at(2))),
        SpawnCallRecord(
            call_id="v2",
            run_id=run,
            child_thread_id=OTHER,
            agent_path="/root/b",
            at=Timestamp(kept_at(3)),
        ),
        SpawnCallRecord(
            call_id="item",
            run_id=run,
            child_thread_id=ThreadId(uuid(300)),
            at=Timestamp(kept_at(9)),
        ),
    )


def test_copied_spawning_calls_are_the_parents(home: CodexHome) -> None:
    """Otherwise every sibling would be counted twice."""
    home.rollout(
        CHILD,
        [
            meta(
                CHILD,
                forked_from_id=PARENT,
                parent_thread_id=PARENT,
                source=spawn_source(PARENT),
            ),
            meta(PARENT),
            started(PARENT_TURN),
            model_item("function_call", name="spawn_agent", call_id="v2"),
            model_item("function_call_output", call_id="v2", output='{"task_name":"/root/b"}'),
            *turn(CHILD_TURN),
        ],
    )

    assert home.read().threads[CHILD].spawn_calls == ()
