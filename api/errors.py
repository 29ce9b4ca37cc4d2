"""What a client is told when something goes wrong: a code of a closed set, and no more.

Our own errors say what is wrong with the question. Everything else is masked: one sentence and
a correlation id, which the log has beside the cause.
"""

import logging
import re
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from graphql import ArgumentNode, GraphQLError, GraphQLSyntaxError, ValueNode
from strawberry.types.execution import ExecutionResult, PreExecutionError

from graph.errors import (
    BadInput,
    LimitExceeded,
    LineageError,
    StoreTimeout,
    StoreUnavailable,
    ThreadNotFound,
)

LOG = logging.getLogger("thread_lineage.api")

MASKED = "Something went wrong here. The log of the service has the cause."

SUGGESTION = re.compile(r" Did you mean .*\?$", re.DOTALL)


class UnsupportedBody(BadInput):
    """The body of a request is of a media type that is not read."""


class NotAcceptable(BadInput):
    """No media type that the client accepts is one that an answer can have."""


class MutationByGet(BadInput):
    """A GET request asks to change something."""


class BodyTooLarge(LineageError):
    """The body of a request has more bytes than are read."""


class QuestionTooLarge(LineageError):
    """A question repeats or nests so much that it is not even checked to its end."""


class WritingForbidden(LineageError):
    """The service only answers questions."""


class Code(StrEnum):
    """Every code that ``extensions.code`` can hold."""

    BAD_USER_INPUT = "BAD_USER_INPUT"
    GRAPHQL_PARSE_FAILED = "GRAPHQL_PARSE_FAILED"
    GRAPHQL_VALIDATION_FAILED = "GRAPHQL_VALIDATION_FAILED"
    LIMIT_EXCEEDED = "LIMIT_EXCEEDED"
    THREAD_NOT_FOUND = "THREAD_NOT_FOUND"
    UNAUTHENTICATED = "UNAUTHENTICATED"
    FORBIDDEN = "FORBIDDEN"
    UNAVAILABLE = "UNAVAILABLE"
    TIMEOUT = "TIMEOUT"
    RESYNC_REQUIRED = "RESYNC_REQUIRED"
    INTERNAL = "INTERNAL"


@dataclass(frozen=True, slots=True)
class Telling:
    """How an error is told; *message* ``None`` is the error's own sentence."""

    code: Code
    message: str | None = None
    retryable: bool | None = None


TELLINGS: Mapping[type[Exception], Telling] = {
    BadInput: Telling(Code.BAD_USER_INPUT),
    LimitExceeded: Telling(Code.LIMIT_EXCEEDED),
    BodyTooLarge: Telling(Code.LIMIT_EXCEEDED),
    QuestionTooLarge: Telling(Code.LIMIT_EXCEEDED),
    ThreadNotFound: Telling(Code.THREAD_NOT_FOUND),
    WritingForbidden: Telling(Code.FORBIDDEN),
    StoreUnavailable: Telling(
        Code.UNAVAILABLE, "The graph database can't be reached. Try again soon.", retryable=True
    ),
    StoreTimeout: Telling(
        Code.TIMEOUT, "The answer took too long. Ask for less, or try again.", retryable=True
    ),
    Exception: Telling(Code.INTERNAL, MASKED),
}
"""The first class of an error's ancestry that stands here says how it is told."""


def telling_of(error: Exception) -> Telling:
    """How an error is told."""
    return next(TELLINGS[kind] for kind in type(error).__mro__ if kind in TELLINGS)


@dataclass(slots=True)
class Errors:
    """Words the errors of one request; those that are masked share a correlation id."""

    suggestions: bool = True
    correlation_id: str = field(default_factory=lambda: secrets.token_hex(8))
    _logged: set[int] = field(default_factory=set[int])

    def answer_of(self, result: ExecutionResult) -> dict[str, Any]:
        """The answer to a request.

        One that was refused before anything was executed has no ``data``, as GraphQL wants it.
        """
        refused = isinstance(result, PreExecutionError)
        words = [
            self._words(error, _refusal_of(error) if refused else _failure_of(error))
            for error in result.errors or ()
        ]
        answer: dict[str, Any] = {"errors": words} if words else {}
        misread = result.data is None and all(error.path is None for error in result.errors or ())
        if not refused and not misread:
            answer["data"] = result.data
        return answer

    def answer_to(self, error: Exception) -> dict[str, Any]:
        """The answer to a request that came to nothing because of *error*."""
        return {"errors": [self._tell({}, error)]}

    def _words(self, error: GraphQLError, cause: Exception | Code) -> dict[str, Any]:
        words: dict[str, Any] = {"message": error.message}
        if error.locations:
            words["locations"] = [
                {"line": location.line, "column": location.column} for location in error.locations
            ]
        if error.path is not None:
            words["path"] = list(error.path)
        return self._tell(words, cause)

    def _tell(self, words: dict[str, Any], cause: Exception | Code) -> dict[str, Any]:
        if isinstance(cause, Code):
            message = words["message"]
            if not self.suggestions:
                message = SUGGESTION.sub("", message)
            return {**words, "message": message, "extensions": {"code": cause}}
        telling = telling_of(cause)
        extensions: dict[str, Any] = {"code": telling.code}
        if telling.retryable is not None:
            extensions["retryable"] = telling.retryable
        if telling.message is not None:
            extensions["correlationId"] = self.correlation_id
            self._log(cause)
        return {**words, "message": telling.message or str(cause), "extensions": extensions}

    def _log(self, cause: Exception) -> None:
        """Log a cause once, however many fields it failed."""
        if id(cause) not in self._logged:
            self._logged.add(id(cause))
            LOG.error("Request %s failed", self.correlation_id, exc_info=cause)


def _refusal_of(error: GraphQLError) -> Exception | Code:
    """Why a request was refused before anything was executed."""
    cause = error.original_error
    if isinstance(error, GraphQLSyntaxError):
        too_large = error.message.endswith("Parsing aborted.")
        return Code.LIMIT_EXCEEDED if too_large else Code.GRAPHQL_PARSE_FAILED
    if error.message == "Validation aborted.":
        return QuestionTooLarge("The query repeats or nests too much to be checked.")
    return Code.GRAPHQL_VALIDATION_FAILED if cause is None else cause


def _failure_of(error: GraphQLError) -> Exception | Code:
    """Why a field failed, or why the variables could not be read: then there is no path."""
    cause = error.original_error
    if error.path is None:
        return Code.BAD_USER_INPUT
    if isinstance(cause, GraphQLError):
        # Only errors of arguments name a value; those of answers name the field, or nothing.
        of_argument = isinstance(next(iter(cause.nodes or ()), None), (ArgumentNode, ValueNode))
        return Code.BAD_USER_INPUT if of_argument else cause
    return cause or error
