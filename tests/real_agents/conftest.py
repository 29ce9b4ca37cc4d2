"""What every real agent is given: a model that costs nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.real_agents.model_stand_in import model_stand_in

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture
def model_address() -> Iterator[str]:
    """Where a stand-in for the models of the programs listens."""
    with model_stand_in() as address:
        yield address
