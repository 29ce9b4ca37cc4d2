"""GraphQL over HTTP: one address for questions by GET and by POST, and for the page to ask."""

from collections.abc import Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

import msgspec
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from strawberry.schema.exceptions import CannotGetOperationTypeError, InvalidOperationTypeError
from strawberry.types.execution import ExecutionResult, PreExecutionError
from strawberry.types.graphql import OperationType

from api.compiled.answers import CompiledAnswers
from api.compression import compressed
from api.context import Context
from api.errors import BodyTooLarge, Errors, MutationByGet, NotAcceptable, UnsupportedBody
from api.graphiql.page import graphiql_page
from api.media_types import GRAPHQL_RESPONSE, HTML, JSON, best_of
from api.request_reading import Question, question_in_address, question_in_body
from api.schema import LineageSchema, unclear_operation
from graph.errors import LineageError

STATUSES: Mapping[type[LineageError], HTTPStatus] = {
    MutationByGet: HTTPStatus.METHOD_NOT_ALLOWED,
    NotAcceptable: HTTPStatus.NOT_ACCEPTABLE,
    BodyTooLarge: HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
    UnsupportedBody: HTTPStatus.UNSUPPORTED_MEDIA_TYPE,
}

BY_METHOD = {
    "GET": {OperationType.QUERY, OperationType.SUBSCRIPTION},
    "HEAD": {OperationType.QUERY, OperationType.SUBSCRIPTION},
    "POST": set(OperationType),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphQLEndpoint:
    """Answers GraphQL questions, and gives the page to ask them to those who want HTML.

    *compiled* true: what can be is written as JSON without a call a field. The answers are the
    same either way.
    """

    schema: LineageSchema
    introspection: bool
    max_body_bytes: int
    compiled: bool

    async def answer(self, request: Request) -> Response:
        """The answer to a request, whatever it holds."""
        by_get = request.method != "POST"
        offered = (GRAPHQL_RESPONSE, JSON)
        if by_get and self.introspection:
            offered = (HTML, *offered)
        media_type = best_of(request.headers.get("accept"), offered)
        if media_type == HTML:
            return graphiql_page()
        errors = Errors(suggestions=self.introspection)
        try:
            if media_type is None:
                raise NotAcceptable(f"An answer is {GRAPHQL_RESPONSE} or {JSON}.")
            if by_get:
                question = question_in_address(request.query_params)
            else:
                question = await question_in_body(request, self.max_body_bytes)
            result = await self._execute(request, question)
        except ClientDisconnect:
            return Response(status_code=HTTPStatus.BAD_REQUEST)
        except LineageError as error:
            status = STATUSES.get(type(error), HTTPStatus.BAD_REQUEST)
            return respond(errors.answer_to(error), media_type or JSON, status)
        answer = errors.answer_of(result)
        refused = "data" not in answer and media_type == GRAPHQL_RESPONSE
        status = HTTPStatus.BAD_REQUEST if refused else HTTPStatus.OK
        body, encoding = await compressed(
            msgspec.json.encode(answer), request.headers.get("accept-encoding")
        )
        return _response(body, media_type, status, encoding)

    async def _execute(self, request: Request, question: Question) -> ExecutionResult:
        answers = CompiledAnswers(self.schema.compiler) if self.compiled else None
        try:
            result = await self.schema.execute(
                question.query,
                variable_values=question.variables,
                context_value=Context(
                    request.state.graph, question.operation_name, answers=answers
                ),
                operation_name=question.operation_name,
                allowed_operation_types=BY_METHOD[request.method],
            )
        except InvalidOperationTypeError:
            raise MutationByGet("A mutation is sent by POST.") from None
        except CannotGetOperationTypeError:
            return PreExecutionError(data=None, errors=[unclear_operation()])
        if answers is not None:
            answers.put_into(result.data)
        return result


def respond(answer: Mapping[str, Any], media_type: str, status: HTTPStatus) -> Response:
    """An answer as JSON."""
    return _response(msgspec.json.encode(answer), media_type, status)


def _response(
    body: bytes, media_type: str, status: HTTPStatus, encoding: str | None = None
) -> Response:
    headers = {
        "cache-control": "no-store",
        "vary": "Accept, Accept-Encoding",
        "x-content-type-options": "nosniff",
    }
    if status == HTTPStatus.METHOD_NOT_ALLOWED:
        headers["allow"] = "POST"
    if encoding is not None:
        headers["content-encoding"] = encoding
    return Response(body, status, headers, f"{media_type}; charset=utf-8")
