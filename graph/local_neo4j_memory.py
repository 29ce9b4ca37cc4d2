"""How much memory a local Neo4j may use on this machine."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

MIB = 2**20
JAVA_BYTES = 250 * MIB
"""What Java and Neo4j's code need beside heap and page cache, as measured."""

SMALLEST_HEAP = 192 * MIB
LARGEST_HEAP = 2048 * MIB
SMALLEST_PAGE_CACHE = 64 * MIB
LARGEST_PAGE_CACHE = 1024 * MIB
CONTAINER_LIMITS = (
    Path("/sys/fs/cgroup/memory.max"),
    Path("/sys/fs/cgroup/memory/memory.limit_in_bytes"),
)


@dataclass(frozen=True, slots=True)
class Memory:
    """How large heap and page cache may grow, and what is free now."""

    heap_bytes: int
    page_cache_bytes: int
    free_bytes: int

    @property
    def needed_bytes(self) -> int:
        """Return what a start needs at least."""
        return JAVA_BYTES + min(self.heap_bytes, SMALLEST_HEAP)

    @property
    def is_enough(self) -> bool:
        """Whether a start can succeed at all."""
        return self.free_bytes >= self.needed_bytes


def plan_memory(heap_bytes: int | None = None) -> Memory:
    """Return a share of this machine that leaves room for others, with *heap_bytes* if given."""
    import psutil  # noqa: PLC0415 - of the extra `local`, absent where none is wanted

    memory = psutil.virtual_memory()
    limit = min([memory.total, *_container_limits()])
    free = min(memory.available, limit)
    heap = heap_bytes or _between(SMALLEST_HEAP, min(limit // 8, free // 2), LARGEST_HEAP)
    page_cache = _between(SMALLEST_PAGE_CACHE, min(limit // 16, free // 4), LARGEST_PAGE_CACHE)
    return Memory(heap_bytes=heap, page_cache_bytes=page_cache, free_bytes=free)


def _container_limits() -> list[int]:
    limits: list[int] = []
    for path in CONTAINER_LIMITS:
        with suppress(OSError, ValueError):  # no container, or "max"
            limits.append(int(path.read_text(encoding="ascii")))
    return limits


def _between(least: int, value: int, most: int) -> int:
    return max(least, min(value, most))
