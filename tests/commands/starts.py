"""Starts of runs, as the tests of commands go through them."""

from typing import Any

from tests.api.asking import Answer
from tests.commands.telling import Teller

CODEX = {"instanceId": "codex", "driver": "codex"}
CLAUDE = {"instanceId": "claude", "driver": "claude"}


def ref(native_id: str, driver: str = "codex") -> dict[str, Any]:
    """A strong native ref."""
    return {"driver": driver, "nativeId": native_id, "strength": "STRONG"}


async def start(
    teller: Teller,
    thread_id: str,
    provider: dict[str, Any] | None = CODEX,
    **told: Any,  # noqa: ANN401
) -> Answer:
    """An accepted start."""
    told = {"message": "Go on.", "provider": provider, **told}
    answer = await teller.tell("resolveStartContext", threadId=thread_id, **told)
    assert answer["__typename"] == "StartContext", answer
    return answer


async def run(
    teller: Teller,
    thread_id: str,
    run_id: str,
    provider: dict[str, Any] = CODEX,
    **told: Any,  # noqa: ANN401
) -> Answer:
    """A start that is confirmed, answered and completed."""
    answer = await start(teller, thread_id, provider, runId=run_id, **told)
    driver = provider["driver"]
    confirmed = await teller.tell(
        "confirmStart",
        runId=run_id,
        nativeThreadRef=ref(f"{provider['instanceId']}-{thread_id}", driver),
        nativeTurnRef=ref(f"turn-{run_id}", driver),
        historyMode="paginated" if driver == "codex" else None,
        initialWindowId="window",
    )
    assert confirmed["__typename"] == "StartConfirmed", confirmed
    await teller.said_by_assistant(thread_id, run_id, f"Answer of {run_id}.")
    done = await teller.tell("updateRun", runId=run_id, status="completed")
    assert done["__typename"] == "RunRecorded", done
    return answer


def messages(carrier: Answer) -> list[tuple[str, str]]:
    """The run and the text of each message that a handoff carries."""
    return [(told["runId"], told["text"]) for told in carrier["handoff"]["payload"]["messages"]]
