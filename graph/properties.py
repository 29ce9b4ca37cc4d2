"""What a record says, as the properties of a node: the fields of the model in Cypher's case."""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING, Any

import msgspec

from graph.records import ItemRecord, RunRecord, ThreadRecord, WindowRecord

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from graph.model import CapabilityRoot, ThreadId

Properties = dict[str, Any]  # a node's properties hold whatever the database can store
"""The properties of one node or edge by name; ``None`` takes one away."""

MAX_SEARCHED_BYTES = 32_000

_CANONICAL = msgspec.json.Encoder(order="sorted")


def camel(name: str) -> str:
    """The Cypher property of a field."""
    first, *rest = name.split("_")
    return first + "".join(word.capitalize() for word in rest)


def _getter(
    shape: type[msgspec.Struct], leave_out: Iterable[str]
) -> tuple[tuple[str, ...], Callable[[Any], tuple[Any, ...]]]:
    names = [name for name in shape.__struct_fields__ if name not in leave_out]
    return tuple(camel(name) for name in names), attrgetter(*names)


_THREAD_NAMES, _thread_values = _getter(
    ThreadRecord,
    (
        *("session_id", "selected_capability_roots", "created_by", "digest"),
        *("runs", "windows", "items", "spawn_calls"),
        *("fork", "spawn", "child_of", "history_base"),
    ),
)
_RUN_NAMES, _run_values = _getter(
    RunRecord,
    (
        *("kind", "driver", "parent_run_id", "root_run_id"),
        *("parent_native_turn_id", "root_native_turn_id"),
    ),
)
_WINDOW_NAMES, _window_values = _getter(WindowRecord, ())
_ITEM_NAMES, _item_values = _getter(ItemRecord, ())


def of_new(properties: Properties) -> Properties:
    """The properties of something that is not there yet: there is nothing to take away."""
    return {name: value for name, value in properties.items() if value is not None}


def thread_properties(record: ThreadRecord) -> Properties:
    """What the record says of the thread itself; its place and its sums come from elsewhere."""
    properties: Properties = dict(zip(_THREAD_NAMES, _thread_values(record), strict=True))
    properties["recorded"] = True
    properties["createdBy"] = None if record.created_by is None else record.created_by.value
    properties["selectedCapabilityRoots"] = _capability_roots(record.selected_capability_roots)
    properties["searchText"] = search_text(record.name, record.title, record.preview)
    properties["statedSessionId"] = record.session_id
    properties["placeholderSessionId"] = None
    # An import that is not at its end yet has to be looked at again.
    properties["importDigest"] = record.digest if record.items.complete else None
    properties["sourceFingerprint"] = None
    properties["settledItems"] = record.items.settled
    properties["providerThreadKey"] = provider_thread_key(record)
    return properties


def search_text(name: str | None, title: str | None, preview: str | None) -> str | None:
    """Name, title and preview, as far as the text index holds them; ``None`` without any."""
    text = "\n".join(text for text in (name, title, preview) if text)
    if len(text) > MAX_SEARCHED_BYTES // 4:
        text = text.encode(errors="replace")[:MAX_SEARCHED_BYTES].decode(errors="ignore")
    return text or None


def provider_thread_key(record: ThreadRecord) -> str | None:
    """The key of the provider's own thread, ``None`` where its id is not known."""
    return provider_thread_key_of(record.provider_instance_id, record.native_thread_id)


def provider_thread_key_of(instance_id: str | None, native_thread_id: str | None) -> str | None:
    """The key of an account's own thread, ``None`` where one of the two is not known."""
    if instance_id is None or native_thread_id is None:
        return None
    return f"{instance_id}:{native_thread_id}"


def provider_thread_properties(record: ThreadRecord) -> Properties:
    """What the record says of the provider's own thread."""
    return {
        "driver": record.driver,
        "providerInstanceId": record.provider_instance_id,
        "nativeThreadId": record.native_thread_id,
        "historyMode": record.history_mode,
    }


def run_properties(record: ThreadRecord, run: RunRecord) -> Properties:
    """What the record says of a run.

    A run that is named by a turn of the tool is left to be found, but for the run itself;
    one that is named by its id keeps no turn, so that no other run ever takes its place.
    """
    properties: Properties = dict(zip(_RUN_NAMES, _run_values(run), strict=True))
    properties["threadId"] = record.thread_id
    properties["kind"] = run.kind.value
    properties["driver"] = run.driver or record.driver
    parent_turn = None if run.parent_run_id else run.parent_native_turn_id
    properties["parentNativeTurnId"] = parent_turn
    if parent_turn is None:
        properties["parentRunId"] = run.parent_run_id
    own_root = run.root_native_turn_id == run.native_turn_id
    root_turn = None if run.root_run_id or own_root else run.root_native_turn_id
    properties["rootNativeTurnId"] = root_turn
    if root_turn is None:
        is_root = own_root and run.root_native_turn_id is not None
        properties["rootRunId"] = run.root_run_id or (run.run_id if is_root else None)
    return properties


def window_properties(thread_id: ThreadId, window: WindowRecord) -> Properties:
    """What the record says of a context window."""
    properties: Properties = dict(zip(_WINDOW_NAMES, _window_values(window), strict=True))
    properties["threadId"] = thread_id
    properties["windowKey"] = f"{thread_id}/{window.number}"
    return properties


def item_properties(thread_id: ThreadId, item: ItemRecord) -> Properties:
    """What the record says of an item, which is always written anew."""
    properties: Properties = dict(zip(_ITEM_NAMES, _item_values(item), strict=True))
    properties["threadId"] = thread_id
    return of_new(properties)


def _capability_roots(roots: tuple[CapabilityRoot, ...]) -> str | None:
    """Canonical JSON; ``None`` where no root was selected."""
    return _CANONICAL.encode(roots).decode() if roots else None
