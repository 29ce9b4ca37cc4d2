"""The walk-throughs of the documentation, as they are printed there."""

import json
import re
from pathlib import Path

import pytest

from tests.commands.telling import Teller

pytestmark = pytest.mark.anyio

DOCS = Path(__file__).parents[2] / "docs"

STEP = re.compile(r"```graphql\n(.*?)```\s+```json\n(.*?)```", re.DOTALL)


@pytest.mark.parametrize(("page", "count"), [("commands.md", 4), ("use-cases.md", 13)])
async def test_each_request_has_the_answer_that_is_printed(
    teller: Teller, page: str, count: int
) -> None:
    """In their order, over an empty graph."""
    steps = STEP.findall((DOCS / page).read_text("utf-8"))

    answers = [await teller.client.data(request) for request, _ in steps]

    assert len(steps) == count
    assert answers == [json.loads(printed) for _, printed in steps]
