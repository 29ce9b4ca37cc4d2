"""A thread: its facts, its place, where it came from, what hangs below it and what it holds."""

from typing import Annotated, Any

import strawberry

from api import thread_contents, thread_relations
from api.capability_root import CapabilityRoot
from api.checkpoint import Checkpoint
from api.connections import Connection
from api.context_window import ContextWindow
from api.descendants import DescendantConnection
from api.enums import Actor, Relationship
from api.item import Item
from api.merge_back import MergeBackDelta, merge_back_delta_of
from api.node import Node
from api.origins import ForkOrigin, HistoryBase
from api.run import Run
from api.spawn_edge import SpawnEdge
from api.totals import SubtreeTotals, totals
from api.transfer import Transfer
from api.transfers import thread_transfers
from graph import model as rows
from graph.model import Timestamp

ThisThread = Annotated["Thread", strawberry.lazy("api.thread")]


@strawberry.type(description="A conversation of an agent.")
class Thread(Node):
    """A conversation of an agent; its rows are ``graph.model.Thread``."""

    thread_id: str
    native_thread_id: str | None = strawberry.field(description="The tool's own id for it.")
    recorded: bool = strawberry.field(
        description="False: only named by another thread so far; then just its place is known."
    )
    title: str | None
    name: str | None = strawberry.field(description="A name that the user gave it.")
    preview: str | None = strawberry.field(description="How it began.")
    driver: str | None = strawberry.field(description="The tool: codex, claude, opencode, pi, …")
    provider_instance_id: str | None = strawberry.field(description="The configured account.")
    model: str | None
    history_mode: str | None = strawberry.field(
        description="legacy or paginated; a word that is not known here stays as it is."
    )
    thread_source: str | None
    source: str | None = strawberry.field(description="Where it was started, as the tool says.")
    source_kind: str | None = strawberry.field(
        description="Where it was started, in one word: cli, vscode, exec, subAgentReview, …"
    )
    originator: str | None = strawberry.field(description="The program that started it.")
    session_id: str | None = strawberry.field(description="The top of its tree of agents.")
    created_by: Actor | None
    cwd: str | None = strawberry.field(description="The folder that it works in.")
    git_branch: str | None
    git_commit: str | None
    git_repository: str | None
    cli_version: str | None
    ephemeral: bool | None
    memory_mode: str | None
    multi_agent_version: str | None
    agent_nickname: str | None
    agent_role: str | None
    agent_path: str | None
    created_at: Timestamp | None
    updated_at: Timestamp | None
    recency_at: Timestamp | None = strawberry.field(description="When it last went on.")
    archived_at: Timestamp | None
    deleted_at: Timestamp | None
    status: str | None = strawberry.field(
        description="That of its last run that was not rolled back, else of its last run."
    )
    started_at: Timestamp | None = strawberry.field(description="When its first run started.")
    ended_at: Timestamp | None = strawberry.field(
        description="When its last run ended; null while one runs."
    )
    root_thread_id: str = strawberry.field(description="The top of its tree.")
    parent_thread_id: str | None = strawberry.field(
        description="The spawner, else the parent of a review or guardian, else the fork source."
    )
    relationship_to_parent: Relationship | None
    depth: int = strawberry.field(description="The hops up to the top of its tree.")
    agent_parent_thread_id: str | None = strawberry.field(
        description="The spawner, or the parent of a review or guardian; never a fork source."
    )
    attached_to_thread_id: str | None = strawberry.field(
        description="The thread that this fork stays attached to."
    )

    @classmethod
    def is_type_of(cls, row: object, _: Any) -> bool:  # noqa: ANN401 - graphql-core's info
        """Whether a row behind ``Node`` is a thread."""
        return isinstance(row, rows.Thread)

    # What stands behind the fields from here on are rows; graphql_type says what they answer.
    selected_capability_roots: object = strawberry.field(
        resolver=thread_contents.selected_capability_roots,
        graphql_type=list[CapabilityRoot],
        description="The capabilities that it selected.",
    )
    root: object = strawberry.field(
        resolver=thread_relations.root,
        graphql_type=ThisThread,
        description="The top of its tree.",
    )
    parent: object = strawberry.field(
        resolver=thread_relations.parent,
        graphql_type=ThisThread | None,
        description="What it hangs below.",
    )
    forked_from: object = strawberry.field(
        resolver=thread_relations.forked_from,
        graphql_type=ForkOrigin | None,
        description="Where it was forked from; null for no fork.",
    )
    history_base: object = strawberry.field(
        resolver=thread_relations.history_base,
        graphql_type=HistoryBase | None,
        description="Whose history it goes on from by reference; null for none.",
    )
    ancestors: object = strawberry.field(
        resolver=thread_relations.ancestors,
        graphql_type=list[ThisThread],
        description="All threads above it, nearest first, then by thread id.",
    )
    descendants: object = strawberry.field(
        resolver=thread_relations.descendants,
        graphql_type=DescendantConnection,
        description=(
            "All threads below it, by depth and thread id. With spawnStatus, which must hold on "
            "every edge of the path, kinds must be [SPAWN]."
        ),
    )
    children: object = strawberry.field(
        resolver=thread_relations.children,
        graphql_type=Connection[ThisThread],
        description=(
            "The threads directly below it, by thread id. With spawnStatus, kinds must be [SPAWN]."
        ),
    )
    spawn_edges: object = strawberry.field(
        resolver=thread_relations.spawn_edges,
        graphql_type=Connection[SpawnEdge],
        description="The spawns that it made itself, by the child's thread id.",
    )
    runs: object = strawberry.field(
        resolver=thread_contents.runs,
        graphql_type=Connection[Run],
        description="Its own runs, by ordinal.",
    )
    history: object = strawberry.field(
        resolver=thread_contents.history,
        graphql_type=Connection[Run],
        description=(
            "The runs that it inherited, the farthest ancestor's first, and then its own. Each "
            "run names its thread. includeRolledBack adds its own rolled-back runs only."
        ),
    )
    items: object = strawberry.field(
        resolver=thread_contents.items,
        graphql_type=Connection[Item],
        description="Its own items, by position.",
    )
    checkpoints: object = strawberry.field(
        resolver=thread_contents.checkpoints,
        graphql_type=Connection[Checkpoint],
        description="The states of the files that its runs left behind, by checkpoint id.",
    )
    transfers: object = strawberry.field(
        resolver=thread_transfers,
        graphql_type=Connection[Transfer],
        description=(
            "The context that was handed to it or from it, by the time it was made; without a "
            "direction both, each transfer once."
        ),
    )
    context_windows: object = strawberry.field(
        resolver=thread_contents.context_windows,
        graphql_type=list[ContextWindow],
        description="Its context windows, by number.",
    )
    totals: object = strawberry.field(
        resolver=totals,
        graphql_type=SubtreeTotals,
        description="Its sums, and those of what hangs below it.",
    )
    merge_back_delta: object = strawberry.field(
        resolver=merge_back_delta_of,
        graphql_type=MergeBackDelta | None,
        description=(
            "What it did since its fork point, up to its latest stable run; null for no fork, for "
            "a fork point that is not known, and without a stable run."
        ),
    )
