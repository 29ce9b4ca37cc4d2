"""Each code that an error can have, and a question that gets it."""

from typing import cast

import pytest

from api.errors import Code
from graph.errors import StatementFailed, StoreTimeout, StoreUnavailable
from graph.store import ThreadGraph
from tests.api.asking import Client, FailingGraph, serving

pytestmark = pytest.mark.anyio

NOT_YET = {"UNAUTHENTICATED", "FORBIDDEN", "RESYNC_REQUIRED"}
"""There are no users and no subscriptions, so that nothing gets these."""

OF_QUESTIONS = {
    "BAD_USER_INPUT": '{ node(id: "?") { id } }',
    "GRAPHQL_PARSE_FAILED": "{",
    "GRAPHQL_VALIDATION_FAILED": "{ nothing }",
    "LIMIT_EXCEEDED": "{ threads(first: 101) { totalCount } }",
    "THREAD_NOT_FOUND": '{ lineage(threadId: "nobody") { version } }',
}
OF_FAULTS = {
    "UNAVAILABLE": StoreUnavailable("down"),
    "TIMEOUT": StoreTimeout("slow"),
    "INTERNAL": StatementFailed("wrong"),
}


def test_codes_are_a_closed_set() -> None:
    """Clients can tell every one of them apart; each is asked for here or can't occur yet."""
    assert set(Code) == {*OF_QUESTIONS, *OF_FAULTS, *NOT_YET}


@pytest.mark.parametrize(("code", "query"), OF_QUESTIONS.items(), ids=OF_QUESTIONS)
async def test_a_question_at_fault_has_its_code(client: Client, code: str, query: str) -> None:
    """And words that say what to mend; there is nothing to look up in a log."""
    (error,) = (await client.ask(query))["errors"]

    assert error["extensions"] == {"code": code}


@pytest.mark.parametrize(("code", "fault"), OF_FAULTS.items(), ids=OF_FAULTS)
async def test_a_service_at_fault_has_its_code(code: str, fault: Exception) -> None:
    """And says whether it helps to ask again; an id leads to the cause in the log."""
    async with serving(cast("ThreadGraph", FailingGraph(fault))) as client:
        (error,) = (await client.ask('{ thread(threadId: "a") { title } }'))["errors"]

    assert error["extensions"].pop("correlationId")
    retryable = {} if code == "INTERNAL" else {"retryable": True}
    assert error["extensions"] == {"code": code, **retryable}
