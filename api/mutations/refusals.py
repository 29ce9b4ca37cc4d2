"""The refusals that every mutation can answer with, a type for each code."""

from collections.abc import Mapping
from typing import Any

import strawberry

from graph.commands import RefusalCode
from resolvers import carry_out

strawberry.enum(RefusalCode, description="Why a command was not carried out.")


@strawberry.interface(
    description=(
        "That a rule keeps a command from being carried out. Nothing was written, and the same "
        "command is refused in the same words whenever it is sent again."
    )
)
class Refusal:
    """That a rule refuses a command."""

    command_id: strawberry.ID
    code: RefusalCode
    message: str = strawberry.field(description="A sentence that says why and what to do.")


@strawberry.type(description="A start of the thread is not settled: confirm it or let it fail.")
class StartInProgress(Refusal):
    """The thread has a start that was neither confirmed nor given up."""

    run_id: str = strawberry.field(description="The run that is starting.")


@strawberry.type(description="The provider can't get the context in any way.")
class Unsupported(Refusal):
    """The provider can't get the context."""

    missing: list[str] = strawberry.field(
        description=(
            "What alone would have let it, sorted: fork, forkAtTurn, fullHandoff, deltaHandoff, "
            "checkpointHandoff, history."
        )
    )


@strawberry.type(description="The budget does not hold even the frame of a handoff.")
class HandoffTooSmall(Refusal):
    """The budget is too small."""

    budget_tokens: int
    needed_tokens: int


_DESCRIPTIONS: Mapping[RefusalCode, str] = {
    RefusalCode.THREAD_NOT_FOUND: "The thread was never recorded.",
    RefusalCode.RUN_NOT_FOUND: "The run is not known, or belongs to another thread.",
    RefusalCode.CHECKPOINT_NOT_FOUND: "The checkpoint is not known, or of another thread.",
    RefusalCode.TRANSFER_NOT_FOUND: "The transfer is not known.",
    RefusalCode.THREAD_EXISTS: "The id of the new thread is taken.",
    RefusalCode.THREAD_DELETED: "The thread is deleted.",
    RefusalCode.THREAD_ARCHIVED: "The thread is archived.",
    RefusalCode.NO_STABLE_POINT: "The thread has no run that can be built on.",
    RefusalCode.SOURCE_NOT_STABLE: "The run can't be built on as it is now.",
    RefusalCode.NOT_A_FORK: "The thread is no fork.",
    RefusalCode.NOT_DIRECT_PARENT: "A fork is merged back into its own source alone.",
    RefusalCode.READ_ONLY_SUBAGENT: "The provider's own child is only observed.",
    RefusalCode.UNSUPPORTED_HISTORY_MODE: "The history is of a kind that does not allow it.",
    RefusalCode.HISTORY_REFERENCED: "A thread outside goes on from its history.",
    RefusalCode.TRANSITION_NOT_ALLOWED: "What is there can't become what was asked for.",
    RefusalCode.CONFLICT: "The id is taken: of a command, a run, an item or a checkpoint.",
}


def _type_name(code: RefusalCode) -> str:
    return "".join(word.capitalize() for word in code.split("_"))


def _plain_type(code: RefusalCode, description: str) -> type[Refusal]:
    made = type(_type_name(code), (Refusal,), {"__doc__": description})
    return strawberry.type(made, description=description)


REFUSALS: Mapping[RefusalCode, type[Refusal]] = {
    **{code: _plain_type(code, words) for code, words in _DESCRIPTIONS.items()},
    RefusalCode.START_IN_PROGRESS: StartInProgress,
    RefusalCode.UNSUPPORTED: Unsupported,
    RefusalCode.HANDOFF_TOO_SMALL: HandoffTooSmall,
}
"""The type of each refusal: its code in another case."""


def told(refusal: carry_out.Refusal) -> Refusal:
    """A refusal as it is answered."""
    said: dict[str, Any] = {
        "command_id": strawberry.ID(refusal.command_id),
        "code": refusal.code,
        "message": refusal.message,
    }
    match refusal.code:
        case RefusalCode.START_IN_PROGRESS:
            return StartInProgress(**said, run_id=refusal.details["runId"])
        case RefusalCode.UNSUPPORTED:
            return Unsupported(**said, missing=refusal.details["missing"])
        case RefusalCode.HANDOFF_TOO_SMALL:
            return HandoffTooSmall(
                **said,
                budget_tokens=refusal.details["budgetTokens"],
                needed_tokens=refusal.details["neededTokens"],
            )
        case code:
            return REFUSALS[code](**said)
