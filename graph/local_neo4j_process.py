"""What the operating system knows about a local Neo4j's server process."""

from __future__ import annotations

from contextlib import suppress

SERVER_MODULE = "graph.local_neo4j_server"


def resident_bytes(pid: int) -> int:
    """Return the memory that process *pid* takes, 0 if it is gone."""
    import psutil  # noqa: PLC0415 - of the extra `local`, absent where none is wanted

    with suppress(psutil.NoSuchProcess):
        return psutil.Process(pid).memory_info().rss
    return 0


def kill_server(pid: int) -> None:
    """Kill process *pid* if it is a local Neo4j's server; do nothing if it is another or gone."""
    import psutil  # noqa: PLC0415 - of the extra `local`, absent where none is wanted

    with suppress(psutil.NoSuchProcess):
        process = psutil.Process(pid)
        if SERVER_MODULE in process.cmdline():
            process.kill()
