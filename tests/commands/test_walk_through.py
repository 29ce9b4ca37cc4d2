"""The walk-through of the documentation, as it is printed there."""

import json
import re
from pathlib import Path

import pytest

from tests.commands.telling import Teller

pytestmark = pytest.mark.anyio

PAGE = Path(__file__).parents[2] / "docs" / "commands.md"

STEP = re.compile(r"```graphql\n(.*?)```\s+```json\n(.*?)```", re.DOTALL)


async def test_each_request_has_the_answer_that_is_printed(teller: Teller) -> None:
    """In their order, over an empty graph."""
    steps = STEP.findall(PAGE.read_text("utf-8"))

    answers = [await teller.client.data(request) for request, _ in steps]

    assert len(steps) == 4
    assert answers == [json.loads(printed) for _, printed in steps]
