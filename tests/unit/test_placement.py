"""Places worked out from parents: the same as walking up from each thread alone."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from graph.model import Relationship, ThreadId
from graph.placement import Hanging, Place, place
from tests.memory_place import place as walked
from tests.memory_place import top

NAMES = [ThreadId(letter) for letter in "abcdefgh"]

hangings = st.builds(
    Hanging,
    agent_parent=st.none() | st.sampled_from(NAMES),
    fork_source=st.none() | st.sampled_from(NAMES),
    stated_session=st.sampled_from([None, None, "stated"]),
)
forests = st.fixed_dictionaries(dict.fromkeys(NAMES, hangings))


def session(thread_id: ThreadId, hangs: dict[ThreadId, Hanging]) -> str:
    """The session by walking up, slowly and plainly."""

    def above(at: ThreadId) -> ThreadId | None:
        return None if hangs[at].stated_session else hangs[at].agent_parent

    end = top(thread_id, above)
    return hangs[end].stated_session or end


def whole(hangs: dict[ThreadId, Hanging]) -> dict[ThreadId, Place]:
    """The place of every thread by walking up from it alone."""
    walks = {name: walked(name, lambda at: hangs[at].parent) for name in hangs}
    return {
        name: Place(walk.root, walk.depth, session(name, hangs)) for name, walk in walks.items()
    }


@given(forests)
def test_every_thread_of_a_forest_stands_where_its_walk_ends(
    hangs: dict[ThreadId, Hanging],
) -> None:
    """Trees and cycles of any shape, placed together."""
    assert place(hangs, {}) == whole(hangs)


@given(forests, forests, st.sets(st.sampled_from(NAMES)))
def test_a_change_needs_only_what_hangs_on_it(
    old: dict[ThreadId, Hanging], new: dict[ThreadId, Hanging], changed: set[ThreadId]
) -> None:
    """The threads that hung below the changed ones move; all others stand as they did."""
    now = {name: new[name] if name in changed else old[name] for name in NAMES}
    moved = set(changed)
    while below := {name for name in NAMES if old[name].parent in moved} - moved:
        moved |= below
    stood = whole(old)

    placed = place(
        {name: now[name] for name in moved},
        {name: stood[name] for name in NAMES if name not in moved},
    )

    assert stood | placed == whole(now)


def test_a_long_chain_is_placed_without_recursion() -> None:
    """Deeper than Python's own stack."""
    names = [ThreadId(f"t{number:05}") for number in range(20_000)]
    hangs = {name: Hanging(fork_source=above) for above, name in pairwise(names)}

    placed = place(hangs | {names[0]: Hanging()}, {})

    assert placed[names[-1]] == Place(names[0], 19_999, names[-1])


def test_the_agent_parent_goes_before_the_fork_source() -> None:
    """And says why the thread hangs there."""
    both = Hanging(agent_parent=ThreadId("p"), fork_source=ThreadId("s"))
    fork = Hanging(fork_source=ThreadId("s"))

    assert (both.parent, both.relationship) == ("p", Relationship.SUBAGENT)
    assert (fork.parent, fork.relationship) == ("s", Relationship.FORK)
    assert (Hanging().parent, Hanging().relationship) == (None, None)
