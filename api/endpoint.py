"""GraphQL over HTTP: one address for questions by GET and by POST, and for the page to ask."""

from collections.abc import Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

import msgspec
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from strawberry.schema.exceptions import CannotGetOperationTypeError, InvalidOperationTypeError
from strawberry.types.execution import PreExecutionError
from strawberry.types.graphql import OperationType

from api.compiled.answers import CompiledAnswers
from api.compression import compressed
from api.context import Context
from api.errors import BodyTooLarge, Errors, MutationByGet, NotAcceptable, UnsupportedBody
from api.graphiql.page import graphiql_page
from api.kept_answers import KEEPABLE_FIELDS, KeptAnswers, Told
from api.media_types import GRAPHQL_RESPONSE, HTML, JSON, best_of
from api.request_reading import Question, body_of, question_in_address, question_in_body
from api.schema import LineageSchema, unclear_operation
from graph.errors import LineageError
from graph.store import ThreadGraph

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
    same either way. What is asked again is answered from what a request finds on its state as
    ``kept``, where that is there.
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
            asked = b"" if by_get else await body_of(request, self.max_body_bytes)
            told = await self._told(request, asked, errors)
        except ClientDisconnect:
            return Response(status_code=HTTPStatus.BAD_REQUEST)
        except LineageError as error:
            status = STATUSES.get(type(error), HTTPStatus.BAD_REQUEST)
            return respond(errors.answer_to(error), media_type or JSON, status)
        refused = told.refused and media_type == GRAPHQL_RESPONSE
        status = HTTPStatus.BAD_REQUEST if refused else HTTPStatus.OK
        body, encoding = await compressed(told.body, request.headers.get("accept-encoding"))
        return _response(body, media_type, status, encoding)

    async def _told(self, request: Request, asked: bytes, errors: Errors) -> Told:
        async def execute(graph: ThreadGraph) -> Told:
            if request.method == "POST":
                question = question_in_body(asked)
            else:
                question = question_in_address(request.query_params)
            context = Context(
                graph,
                question.operation_name,
                commands=request.state.commands,
                answers=CompiledAnswers(self.schema.compiler) if self.compiled else None,
            )
            return await self._execute(context, question, request.method, errors)

        kept: KeptAnswers | None = request.state.kept
        if kept is None:
            return await execute(request.state.graph)
        if request.method != "POST":
            asked = request.scope["query_string"]
        return await kept.told(request.method.encode() + b" " + asked, execute)

    async def _execute(
        self, context: Context, question: Question, method: str, errors: Errors
    ) -> Told:
        try:
            result = await self.schema.execute(
                question.query,
                variable_values=question.variables,
                context_value=context,
                operation_name=question.operation_name,
                allowed_operation_types=BY_METHOD[method],
            )
        except InvalidOperationTypeError:
            raise MutationByGet("A mutation is sent by POST.") from None
        except CannotGetOperationTypeError:
            result = PreExecutionError(data=None, errors=[unclear_operation()])
        else:
            if context.answers is not None:
                context.answers.put_into(result.data)
        answer, fields = errors.answer_of(result), context.selections.root_fields()
        return Told(
            msgspec.json.encode(answer),
            refused="data" not in answer,
            keepable="errors" not in answer and bool(fields) and fields <= KEEPABLE_FIELDS,
        )


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
