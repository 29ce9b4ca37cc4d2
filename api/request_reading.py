"""What a request asks, read from its address or its body; never more than it may hold."""

from typing import Annotated, Any

import anyio
from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic_core import from_json
from starlette.datastructures import QueryParams
from starlette.requests import Request

from api.errors import BodyTooLarge, UnsupportedBody
from graph.errors import BadInput

BODY_TYPE = "application/json"

FORGOTTEN_SECONDS = 5
FORGOTTEN_BYTES = 64 << 20
"""So long and so far a body that is not wanted is read and forgotten. A client that still writes
when its connection is closed would never see the answer."""


class Question(BaseModel):
    """What a client asks: an operation and its variables."""

    model_config = ConfigDict(strict=True, frozen=True)

    query: Annotated[str, Field(min_length=1)]
    variables: dict[str, Any] | None = None
    operation_name: Annotated[str | None, Field(alias="operationName")] = None
    extensions: dict[str, Any] | None = None


def question_in_address(parameters: QueryParams) -> Question:
    """The question that a GET request asks; ``BadInput`` where there is none."""
    asked: dict[str, object] = dict(parameters)
    for name in ("variables", "extensions"):
        text = parameters.get(name)
        if text:
            try:
                asked[name] = from_json(text)
            except ValueError:
                raise BadInput(f"{name} is no JSON.") from None
        elif text is not None:
            asked[name] = None
    try:
        return Question.model_validate(asked)
    except ValidationError as error:
        raise BadInput(_sentence_of(error)) from None


async def body_of(request: Request, max_bytes: int) -> bytes:
    """The body of a POST request that asks a question.

    Only a type of body that no foreign page can send without asking first is read:
    ``UnsupportedBody`` for others, ``BodyTooLarge`` over *max_bytes*.
    """
    media_type, _, parameters = request.headers.get("content-type", "").partition(";")
    charset = parameters.strip().lower().replace('"', "")
    if media_type.strip().lower() != BODY_TYPE or charset not in {"", "charset=utf-8"}:
        await _forget(request)
        raise UnsupportedBody(f"The body of a request is {BODY_TYPE} in UTF-8.")
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > max_bytes:
            body.clear()
            await _forget(request)
            raise BodyTooLarge(f"The body has more than {max_bytes} bytes, which is the most.")
    return bytes(body)


def question_in_body(body: bytes) -> Question:
    """The question that the body of a POST request asks; ``BadInput`` where there is none."""
    try:
        return Question.model_validate_json(body)
    except ValidationError as error:
        raise BadInput(_sentence_of(error)) from None


async def _forget(request: Request) -> None:
    forgotten = 0
    with anyio.move_on_after(FORGOTTEN_SECONDS):
        while forgotten < FORGOTTEN_BYTES:
            message = await request.receive()
            forgotten += len(message.get("body", b""))
            if not message.get("more_body", False):
                return


def _sentence_of(error: ValidationError) -> str:
    first = error.errors(include_url=False, include_input=False)[0]
    where = ".".join(str(part) for part in first["loc"])
    if first["type"] == "json_invalid":
        return "The body is no JSON object in UTF-8."
    if not where:
        return "The body is one JSON object: {query, variables, operationName}. No lists of them."
    return f"{where}: {first['msg']}."
