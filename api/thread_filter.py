"""Which threads a list holds, as it is asked for."""

import strawberry

from api.limits import ABSENT, given
from graph import store
from graph.model import ThreadId, Timestamp


@strawberry.input(
    description=(
        "Which threads a list holds. All conditions must be met; one that is absent or null is "
        "none. Threads that are only named by others are never in a list."
    )
)
class ThreadFilter:
    """Which threads a list holds; ``graph.store.ThreadFilter`` says what each condition means."""

    ids: list[str] | None = strawberry.field(default=ABSENT, description="One of these.")
    roots_only: bool | None = strawberry.field(
        default=False, description="Only threads that hang below no other."
    )
    root_thread_id: str | None = strawberry.field(
        default=ABSENT, description="All threads of the tree with this root."
    )
    parent_thread_id: str | None = strawberry.field(
        default=ABSENT, description="The threads that this one spawned itself."
    )
    ancestor_thread_id: str | None = strawberry.field(
        default=ABSENT,
        description="The threads that this one spawned, those that they spawned, and so on.",
    )
    attached_to_thread_id: str | None = strawberry.field(
        default=ABSENT, description="The forks that stay attached to this thread."
    )
    drivers: list[str] | None = strawberry.field(default=ABSENT, description="One of these tools.")
    provider_instance_ids: list[str] | None = strawberry.field(
        default=ABSENT, description="One of these accounts."
    )
    source_kinds: list[str] | None = strawberry.field(
        default=ABSENT,
        description=(
            "One of these words. Absent: what people started (cli, vscode, atlas, chatgpt, or "
            "unstated), and all with includeSpawned and under parentThreadId, ancestorThreadId or "
            "attachedToThreadId. "
            "Empty: always what people started. subAgent stands for every word that begins so."
        ),
    )
    thread_sources: list[str] | None = strawberry.field(
        default=ABSENT, description="One of these."
    )
    cwd: list[str] | None = strawberry.field(default=ABSENT, description="One of these folders.")
    git_repository: str | None = ABSENT
    git_branch: str | None = ABSENT
    archived: bool | None = strawberry.field(
        default=False, description="True: only archived threads; false: only the others."
    )
    include_deleted: bool | None = strawberry.field(
        default=False, description="Deleted threads, too."
    )
    include_spawned: bool | None = strawberry.field(
        default=False,
        description=(
            "Threads that agents or programs started, too, such as spawned ones; sourceKinds says "
            "more exactly which."
        ),
    )
    created_after: Timestamp | None = strawberry.field(default=ABSENT, description="Inclusive.")
    created_before: Timestamp | None = strawberry.field(default=ABSENT, description="Exclusive.")
    updated_after: Timestamp | None = strawberry.field(default=ABSENT, description="Inclusive.")
    updated_before: Timestamp | None = strawberry.field(default=ABSENT, description="Exclusive.")
    search: str | None = strawberry.field(
        default=ABSENT, description="A part of name, title or preview; case matters."
    )


def conditions_of(thread_filter: ThreadFilter | None) -> store.ThreadFilter:
    """The conditions as the store takes them."""
    asked = given(thread_filter)
    if asked is None:
        return store.ThreadFilter()
    return store.ThreadFilter(
        ids=_thread_ids(asked.ids),
        roots_only=asked.roots_only is True,
        root_thread_id=_thread_id(asked.root_thread_id),
        parent_thread_id=_thread_id(asked.parent_thread_id),
        ancestor_thread_id=_thread_id(asked.ancestor_thread_id),
        attached_to_thread_id=_thread_id(asked.attached_to_thread_id),
        drivers=given(asked.drivers),
        provider_instance_ids=given(asked.provider_instance_ids),
        source_kinds=given(asked.source_kinds),
        thread_sources=given(asked.thread_sources),
        cwd=given(asked.cwd),
        git_repository=given(asked.git_repository),
        git_branch=given(asked.git_branch),
        archived=asked.archived is True,
        include_deleted=asked.include_deleted is True,
        include_spawned=asked.include_spawned is True,
        created_after=given(asked.created_after),
        created_before=given(asked.created_before),
        updated_after=given(asked.updated_after),
        updated_before=given(asked.updated_before),
        search=given(asked.search),
    )


def _thread_id(value: str | None) -> ThreadId | None:
    asked = given(value)
    return None if asked is None else ThreadId(asked)


def _thread_ids(values: list[str] | None) -> list[ThreadId] | None:
    asked = given(values)
    return None if asked is None else [ThreadId(value) for value in asked]
