"""Forgetting the receipts of commands that nobody sends again any more."""

from __future__ import annotations

import logging
from datetime import timedelta
from typing import TYPE_CHECKING

from graph.errors import StoreError
from graph.model import as_timestamp

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from datetime import datetime

    from graph.command_store import CommandGraph

log = logging.getLogger(__name__)

BATCH = 500
"""How many go in one transaction: few enough that no command notices."""


async def forget_receipts(
    graph: CommandGraph, *, days: int, clock: Callable[[], datetime], batch: int = BATCH
) -> int:
    """Remove all receipts that are older than some *days*, a *batch* at a time; how many."""
    limit = as_timestamp(clock() - timedelta(days=days))
    forgotten = 0
    while True:
        gone = await graph.forget_receipts(limit, most=batch)
        forgotten += gone
        if gone < batch:
            return forgotten


async def keep_forgetting_receipts(
    graph: CommandGraph,
    *,
    days: int,
    clock: Callable[[], datetime],
    pause: Callable[[], Awaitable[object]],
) -> None:
    """Remove old receipts after each *pause*, for ever; what fails is tried after the next."""
    while True:
        await pause()
        try:
            forgotten = await forget_receipts(graph, days=days, clock=clock)
        except StoreError as error:
            log.warning("old receipts of commands stay for now: %s", error)
        else:
            log.info("%d receipts of commands older than %d days are gone", forgotten, days)
