"""What a store promises about single threads and about which threads a list holds."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest

from graph.errors import BadInput
from graph.model import Actor, CapabilityRoot, Relationship, Thread, ThreadId
from graph.questions import ThreadFilter, ThreadsQuestion
from tests.conformance.told import (
    at,
    forked,
    ids,
    names,
    reviewing,
    run,
    shown,
    spawned,
    tell,
    thread,
)

if TYPE_CHECKING:
    from graph.records import ThreadRecord
    from graph.store import ThreadGraph

pytestmark = pytest.mark.anyio


async def listed(store: ThreadGraph, thread_filter: ThreadFilter) -> set[str]:
    """The ids of the whole list; its count has to agree."""
    page = await store.threads(ThreadsQuestion(filter=thread_filter, first=100))
    assert len(page.rows) == await store.count_threads(thread_filter)
    assert not page.has_next
    assert not page.has_previous
    return set(names(page.rows))


async def test_a_thread_comes_back_as_it_was_told(store: ThreadGraph) -> None:
    """Every fact that a record states, the thread's place and its own sums are read back."""
    await tell(
        store,
        spawned(
            "child",
            by="parent",
            native_thread_id="native",
            title="Fix the parser",
            name="parser",
            preview="please fix",
            model="gpt-5.2",
            history_mode="paginated",
            thread_source="user",
            source="cli",
            source_kind="cli",
            originator="codex_cli",
            session_id="session",
            created_by=Actor.AGENT,
            cwd="/home/user/project",
            git_branch="main",
            git_commit="abc",
            git_repository="https://example.org/project.git",
            cli_version="1.2.3",
            ephemeral=False,
            memory_mode="on",
            multi_agent_version="v2",
            agent_nickname="Ada",
            agent_role="worker",
            agent_path="/root/worker",
            selected_capability_roots=(
                CapabilityRoot(id="tool", environment_id="local", path="/tools"),
            ),
            source_file="/sessions/child.jsonl",
            created_at=at(1),
            updated_at=at(2),
            recency_at=at(3),
            archived=True,
            archived_at=at(4),
            runs=(
                run("child/1", 5, completed_at=at(7), input_tokens=10, output_tokens=1),
                run("child/2", 8, completed_at=at(9), input_tokens=5, cached_input_tokens=2),
            ),
        ),
    )

    found = await store.threads_by_id(ids("child"))

    assert found == {
        "child": Thread(
            thread_id=ThreadId("child"),
            recorded=True,
            native_thread_id="native",
            title="Fix the parser",
            name="parser",
            preview="please fix",
            driver="codex",
            provider_instance_id="codex",
            model="gpt-5.2",
            history_mode="paginated",
            thread_source="user",
            source="cli",
            source_kind="cli",
            originator="codex_cli",
            session_id="session",
            created_by=Actor.AGENT,
            cwd="/home/user/project",
            git_branch="main",
            git_commit="abc",
            git_repository="https://example.org/project.git",
            cli_version="1.2.3",
            ephemeral=False,
            memory_mode="on",
            multi_agent_version="v2",
            agent_nickname="Ada",
            agent_role="worker",
            agent_path="/root/worker",
            selected_capability_roots='[{"environmentId":"local","id":"tool","path":"/tools"}]',
            source_file="/sessions/child.jsonl",
            created_at=at(1),
            updated_at=at(2),
            recency_at=at(3),
            archived_at=at(4),
            status="completed",
            started_at=at(5),
            ended_at=at(9),
            root_thread_id=ThreadId("parent"),
            parent_thread_id=ThreadId("parent"),
            relationship_to_parent=Relationship.SUBAGENT,
            depth=1,
            agent_parent_thread_id=ThreadId("parent"),
            run_count=2,
            input_tokens=15,
            cached_input_tokens=2,
            output_tokens=1,
            duration_ms=3_000,
        )
    }


async def test_a_placeholder_has_its_place_alone_and_an_unknown_thread_is_absent(
    store: ThreadGraph,
) -> None:
    """A thread that only an edge names is known, though not recorded."""
    await tell(store, spawned("child", by="parent"))

    found = await store.threads_by_id(ids("parent", "nobody", "parent"))

    assert {
        name: msgspec.structs.replace(thread, revision=0) for name, thread in found.items()
    } == {
        "parent": Thread(
            thread_id=ThreadId("parent"),
            recorded=False,
            root_thread_id=ThreadId("parent"),
            depth=0,
        )
    }


async def test_ids_are_found_by_their_beginning(store: ThreadGraph) -> None:
    """The first ids in order, placeholders too; an empty beginning is that of every id."""
    await tell(store, spawned("ab2", by="ab1"), thread("ab3"), thread("b"), thread("AB"))

    first_two = await store.thread_ids_starting_with("ab", first=2)
    every = await store.thread_ids_starting_with("", first=10)
    none = await store.thread_ids_starting_with("c", first=10)

    assert list(first_two) == ["ab1", "ab2"]
    assert list(every) == ["AB", "ab1", "ab2", "ab3", "b"]
    assert list(none) == []


async def test_a_store_knows_whether_anything_was_recorded(store: ThreadGraph) -> None:
    """False at first, true from the first thread on."""
    before = await store.has_threads()
    await tell(store, thread("a"))
    after = await store.has_threads()

    assert (before, after) == (False, True)


async def test_an_empty_store_has_an_empty_list(store: ThreadGraph) -> None:
    """No rows, nothing before or after."""
    page = await store.threads(ThreadsQuestion())

    assert shown(page) == ([], False, False)


async def test_placeholders_and_unlisted_threads_are_not_listed(store: ThreadGraph) -> None:
    """The plain list holds recorded threads that are not marked as unlisted."""
    await tell(store, spawned("child", by="missing"), thread("quiet", unlisted=True))

    assert await listed(store, ThreadFilter()) == {"child"}


SOURCES = (
    thread("unstated"),
    thread("cli", source_kind="cli"),
    thread("vscode", source_kind="vscode"),
    thread("atlas", source_kind="custom:atlas"),
    thread("chatgpt", source_kind="custom:chatgpt"),
    thread("other", source_kind="custom:other"),
    thread("exec", source_kind="exec"),
    thread("subagent", source_kind="subAgent"),
    thread("review", source_kind="subAgentReview"),
)
INTERACTIVE = {"unstated", "cli", "vscode", "atlas", "chatgpt"}


KINDS: list[tuple[list[str] | None, set[str]]] = [
    (None, INTERACTIVE),
    ([], INTERACTIVE),
    (["exec"], {"exec"}),
    (["exec", "cli"], {"exec", "cli"}),
    (["subAgent"], {"subagent", "review"}),
    (["subAgentReview"], {"review"}),
    (["unknown"], set()),
]


async def test_the_kind_of_source_decides_what_is_listed(store: ThreadGraph) -> None:
    """No kinds, and an empty list of kinds, mean interactive; subAgent covers all of its kinds."""
    await tell(store, *SOURCES)

    found = [(kinds, await listed(store, ThreadFilter(source_kinds=kinds))) for kinds, _ in KINDS]

    assert found == KINDS


async def test_what_agents_started_is_listed_where_that_is_asked(store: ThreadGraph) -> None:
    """Also in a search; a condition on the kinds holds nevertheless, and unlisted stays out."""
    hidden = thread("hidden", title="words", unlisted=True)
    words = [msgspec.structs.replace(source, title="words") for source in SOURCES]
    await tell(store, *words, hidden)
    every = {source.thread_id for source in SOURCES}

    assert await listed(store, ThreadFilter(include_spawned=True)) == every
    assert await listed(store, ThreadFilter(include_spawned=True, search="words")) == every
    assert await listed(store, ThreadFilter(include_spawned=True, source_kinds=[])) == INTERACTIVE
    assert await store.count_threads(ThreadFilter(include_spawned=True)) == len(every)


DIVERSE = (
    thread("a", driver="codex", cwd="/one", git_repository="r", git_branch="main"),
    thread("b", driver="claude", cwd="/two", git_repository="r", thread_source="user"),
    thread("c", driver="pi", provider_instance_id="work", cwd="/three", archived=True),
    forked("d", of="a", cwd="/one", created_at=at(10), updated_at=at(20)),
    spawned("e", by="d", created_at=at(11), updated_at=at(21)),
)


CONDITIONS: list[tuple[ThreadFilter, set[str]]] = [
    (ThreadFilter(), {"a", "b", "d", "e"}),
    (ThreadFilter(archived=True), {"c"}),
    (ThreadFilter(include_deleted=True), {"a", "b", "d", "e"}),
    (ThreadFilter(ids=ids("a", "e", "c", "nobody")), {"a", "e"}),
    (ThreadFilter(roots_only=True), {"a", "b"}),
    (ThreadFilter(root_thread_id=ThreadId("a")), {"a", "d", "e"}),
    (ThreadFilter(root_thread_id=ThreadId("d")), set()),
    (ThreadFilter(drivers=["claude", "pi"]), {"b"}),
    (ThreadFilter(provider_instance_ids=["work"], archived=True), {"c"}),
    (ThreadFilter(thread_sources=["user"]), {"b"}),
    (ThreadFilter(cwd=["/one"]), {"a", "d"}),
    (ThreadFilter(cwd=["/one", "/two", "/three"]), {"a", "b", "d"}),
    (ThreadFilter(git_repository="r"), {"a", "b"}),
    (ThreadFilter(git_branch="main"), {"a"}),
    (ThreadFilter(created_after=at(10)), {"d", "e"}),
    (ThreadFilter(created_before=at(10)), {"a", "b"}),
    (ThreadFilter(created_after=at(10), created_before=at(11)), {"d"}),
    (ThreadFilter(updated_after=at(21)), {"e"}),
    (ThreadFilter(updated_before=at(21)), {"a", "b", "d"}),
    (ThreadFilter(cwd=["/one"], created_after=at(1)), {"d"}),
    (ThreadFilter(cwd=["/one"], git_branch="main", drivers=["codex"]), {"a"}),
    (ThreadFilter(root_thread_id=ThreadId("a"), roots_only=True), {"a"}),
    (ThreadFilter(ids=[]), set()),
    (ThreadFilter(drivers=[]), set()),
    (ThreadFilter(provider_instance_ids=[]), set()),
    (ThreadFilter(thread_sources=[]), set()),
    (ThreadFilter(cwd=[]), set()),
]


async def test_a_list_holds_what_meets_every_condition(store: ThreadGraph) -> None:
    """Times are inclusive at *after* and exclusive at *before*; an empty list matches nothing."""
    await tell(store, *DIVERSE)

    found = [(asked, await listed(store, asked)) for asked, _ in CONDITIONS]

    assert found == CONDITIONS


SEARCHES: list[tuple[str, set[str]]] = [
    ("parser", {"title", "preview"}),
    ("Parser", {"name"}),
    ("end start", set()),
    ("end\nstart", set()),
    ("two\nlines", {"lines"}),
    ("", {"title", "name", "preview", "apart", "lines", "silent"}),
    ("100%", {"apart"}),
]


async def test_a_search_finds_a_text_within_a_name_a_title_or_a_preview(
    store: ThreadGraph,
) -> None:
    """The text is compared as it is, with its case, and within one of the three."""
    await tell(
        store,
        thread("title", title="Fix the parser"),
        thread("name", name="Parser work"),
        thread("preview", preview="a parser, please"),
        thread("apart", name="100% the end", title="start of it"),
        thread("lines", preview="two\nlines"),
        thread("silent"),
    )

    found = [(text, await listed(store, ThreadFilter(search=text))) for text, _ in SEARCHES]

    assert found == SEARCHES


AGENTS: tuple[ThreadRecord, ...] = (
    thread("top"),
    spawned("open", by="top", source_kind="subAgentThreadSpawn"),
    spawned("closed", by="top", status="closed", unlisted=True),
    spawned("filed", by="top", archived=True),
    spawned("below", by="filed"),
    reviewing("review", of="top"),
    forked("attached", of="top", edge={"attached": True}, unlisted=True),
    forked("free", of="top"),
    spawned("orphan", by="missing"),
    spawned("under-missing", by="gone"),
    spawned("gone", by="top", driver="codex"),
)


RELATIONS: list[tuple[ThreadFilter, set[str]]] = [
    (ThreadFilter(parent_thread_id=ThreadId("top")), {"open", "closed", "gone"}),
    (ThreadFilter(parent_thread_id=ThreadId("top"), archived=True), {"filed"}),
    (ThreadFilter(parent_thread_id=ThreadId("top"), source_kinds=[]), {"closed", "gone"}),
    (ThreadFilter(parent_thread_id=ThreadId("missing")), {"orphan"}),
    (ThreadFilter(parent_thread_id=ThreadId("nobody")), set()),
    (
        ThreadFilter(ancestor_thread_id=ThreadId("top")),
        {"open", "closed", "below", "gone", "under-missing"},
    ),
    (
        ThreadFilter(ancestor_thread_id=ThreadId("top"), ids=ids("below", "free")),
        {"below"},
    ),
    (ThreadFilter(attached_to_thread_id=ThreadId("top")), {"attached"}),
]


async def test_a_relation_lists_threads_of_any_kind_and_status(store: ThreadGraph) -> None:
    """Spawn edges of any status count, and a thread in between need not be in the list."""
    await tell(store, *AGENTS)

    found = [(asked, await listed(store, asked)) for asked, _ in RELATIONS]

    assert found == RELATIONS


async def test_an_ancestor_in_a_cycle_is_not_among_its_descendants(store: ThreadGraph) -> None:
    """The walk ends, and leaves the start out."""
    await tell(store, spawned("a", by="c"), spawned("b", by="a"), spawned("c", by="b"))

    assert await listed(store, ThreadFilter(ancestor_thread_id=ThreadId("a"))) == {"b", "c"}


async def test_two_relations_at_once_are_refused(store: ThreadGraph) -> None:
    """They are ``BadInput``, also for the count."""
    for asked in (
        ThreadFilter(parent_thread_id=ThreadId("a"), ancestor_thread_id=ThreadId("a")),
        ThreadFilter(parent_thread_id=ThreadId("a"), attached_to_thread_id=ThreadId("a")),
        ThreadFilter(ancestor_thread_id=ThreadId("a"), attached_to_thread_id=ThreadId("a")),
    ):
        with pytest.raises(BadInput):
            await store.threads(ThreadsQuestion(filter=asked))
        with pytest.raises(BadInput):
            await store.count_threads(asked)
