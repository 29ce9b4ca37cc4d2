"""How a question gets to the service and its answer back."""

from __future__ import annotations

from collections.abc import Mapping
from time import sleep
from typing import Any, cast

import httpx

from lineage_client.errors import Unavailable, UnexpectedAnswer, Unreachable, service_error

PASSING = {502, 503, 504}
"""The statuses by which something in between says that the service is away for the moment."""


class Connection:
    """Asks one service; what fails for the moment only is asked again."""

    def __init__(self, url: str, *, timeout: float, attempts: int) -> None:
        """Ask at *url*, wait for each answer *timeout* seconds, and try *attempts* times."""
        service = url.rstrip("/").removesuffix("/graphql")
        self._url = f"{service}/graphql"
        self._attempts = attempts
        self._http = httpx.Client(
            timeout=timeout,
            headers={
                "accept": "application/graphql-response+json, application/json;q=0.9",
                "user-agent": "thread-lineage-client",
            },
        )

    def close(self) -> None:
        """Close the connections that are open."""
        self._http.close()

    def ask(self, document: str, variables: Mapping[str, object]) -> dict[str, Any]:
        """The data of the answer; ``LineageClientError`` where there is any error in it."""
        for attempt in range(self._attempts):
            try:
                return self._ask(document, variables)
            except (Unavailable, Unreachable) as error:
                last = attempt == self._attempts - 1
                if last or (isinstance(error, Unavailable) and not error.retryable):
                    raise
                sleep(0.2 * 2**attempt)
        raise AssertionError("the last attempt returns or raises")

    def _ask(self, document: str, variables: Mapping[str, object]) -> dict[str, Any]:
        try:
            response = self._http.post(
                self._url, json={"query": document, "variables": dict(variables)}
            )
        except httpx.TransportError as error:
            words = str(error) or type(error).__name__
            raise Unreachable(f"No service answers at {self._url}: {words}.") from error
        if response.status_code in PASSING:
            raise Unreachable(f"{self._url} answers with the status {response.status_code}.")
        try:
            body: object = response.json()
        except ValueError:
            body = None
        answer = cast("dict[str, Any]", body) if isinstance(body, dict) else {}
        if answer.get("errors"):
            raise service_error(answer["errors"])
        if not isinstance(answer.get("data"), dict):
            raise UnexpectedAnswer(
                f"{self._url} is not the address of a thread-lineage service: "
                f"it answers with the status {response.status_code} and no data."
            )
        return answer["data"]
