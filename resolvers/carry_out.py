"""Carrying a command out once, however often it is sent."""

from __future__ import annotations

from dataclasses import dataclass, field
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

import msgspec

from graph.commands import Receipt, RefusalCode
from graph.errors import BadInput
from graph.model import as_timestamp
from resolvers.refused import Refused

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping
    from datetime import datetime

    from graph.command_store import CommandGraph, CommandTransaction
    from graph.commands import CommandId
    from graph.model import Timestamp

_canonical = msgspec.json.Encoder(order="sorted").encode


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """What is to be done: a *name* and a *body*, by the names and in the values of the API.

    An id is made from *command_id* where the caller gives none, so that a command that is sent
    again names the same things.
    """

    command_id: CommandId
    name: str
    body: Mapping[str, Any]  # any JSON

    @property
    def body_hash(self) -> str:
        """What tells another command of the same id from the same one."""
        told = _canonical({"name": self.name, "body": self.body})
        return blake2b(told, digest_size=16).hexdigest()

    def id_for(self, purpose: str, *parts: str) -> str:
        """The id of what this command makes: the same whenever it is sent.

        Where it makes several, *parts* tell them apart.
        """
        told = "\n".join((purpose, self.command_id, *parts))
        return f"{purpose}-{blake2b(told.encode(), digest_size=16).hexdigest()}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Accepted:
    """That a command is done, now or, *replayed*, before; *made* are the ids it is told by."""

    command_id: CommandId
    replayed: bool
    made: Mapping[str, Any]  # any JSON


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """That a rule refuses a command, each time in the same words."""

    command_id: CommandId
    code: RefusalCode
    message: str
    details: Mapping[str, Any] = field(default_factory=dict[str, Any])


async def carry_out(
    graph: CommandGraph,
    command: Command,
    work: Callable[[CommandTransaction, Timestamp], Awaitable[Mapping[str, Any]]],
    *,
    clock: Callable[[], datetime],
) -> Accepted | Refusal:
    """Do a command, or tell what became of it when it was sent before.

    *work* reads what it decides by, raises ``Refused`` before it writes anything, or writes and
    answers the ids of what it made. ``BadInput`` for an empty command id.
    """
    if not command.command_id:
        raise BadInput("A commandId can't be empty.")

    async def once(transaction: CommandTransaction) -> Accepted | Refusal:
        before = await transaction.take_receipt(command.command_id)
        if before is not None:
            return _told_again(command, before)
        at = as_timestamp(clock())
        receipt = await _decided(command, work, transaction, at)
        await transaction.write_receipt(receipt)
        return _outcome(receipt, replayed=False)

    return await graph.transact(once)


async def _decided(
    command: Command,
    work: Callable[[CommandTransaction, Timestamp], Awaitable[Mapping[str, Any]]],
    transaction: CommandTransaction,
    at: Timestamp,
) -> Receipt:
    """Do the work of a command; what its receipt says then."""
    code: RefusalCode | None = None
    message: str | None = None
    try:
        made = await work(transaction, at)
    except Refused as refused:
        code, message, made = refused.code, refused.message, refused.details
    return Receipt(
        command_id=command.command_id,
        name=command.name,
        body_hash=command.body_hash,
        code=code,
        message=message,
        made=_canonical(made).decode(),
        at=at,
    )


def _told_again(command: Command, receipt: Receipt) -> Accepted | Refusal:
    if receipt.body_hash == command.body_hash:
        return _outcome(receipt, replayed=True)
    return Refusal(
        command_id=command.command_id,
        code=RefusalCode.CONFLICT,
        message=(
            f"The command id {command.command_id} was used for another {receipt.name}. "
            "Give each command an id of its own."
        ),
    )


def _outcome(receipt: Receipt, *, replayed: bool) -> Accepted | Refusal:
    told: dict[str, Any] = msgspec.json.decode(receipt.made)
    if receipt.code is None:
        return Accepted(command_id=receipt.command_id, replayed=replayed, made=told)
    return Refusal(
        command_id=receipt.command_id,
        code=receipt.code,
        message=receipt.message or "",
        details=told,
    )
