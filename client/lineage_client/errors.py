"""What can go wrong, one class for each thing that a program may want to handle.

LineageClientError
├── Unreachable        nobody answers at the address
├── UnexpectedAnswer   somebody answers, but not a thread-lineage service
├── LineageChanged     the tree changed each time that it was read
└── ServiceError       the service says what is wrong, with a code
    ├── BadUserInput, InvalidDocument, LimitExceeded, ThreadNotFound
    ├── Unauthenticated, Forbidden
    └── Unavailable, TimedOut, ResyncRequired, InternalError
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any


class LineageClientError(Exception):
    """What went wrong; every error of this package is one."""


class Unreachable(LineageClientError):
    """Nobody answers at the address of the service."""


class UnexpectedAnswer(LineageClientError):
    """What answers is no thread-lineage service, or something between here and there."""


class LineageChanged(LineageClientError):
    """A lineage changed while its pages were read, also when it was read again."""


class ServiceError(LineageClientError):
    """What the service says is wrong.

    *code* is one of a closed set, *path* where in the answer it happened, *retryable* whether it
    helps to ask again, *correlation_id* what to look for in the log of the service, and
    *errors* all that the service said. A code that is not known here is a plain ``ServiceError``.
    """

    def __init__(self, errors: Sequence[Mapping[str, Any]]) -> None:
        """Tell the first of *errors*, and keep them all."""
        first = errors[0]
        extensions: Mapping[str, Any] = first.get("extensions") or {}
        super().__init__(str(first.get("message")))
        self.code = str(extensions.get("code"))
        self.path: Sequence[str | int] = tuple(first.get("path") or ())
        self.retryable = extensions.get("retryable") is True
        self.correlation_id: str | None = extensions.get("correlationId")
        self.errors = errors


class BadUserInput(ServiceError):
    """An argument is wrong: the message says which and why."""


class InvalidDocument(ServiceError):
    """The document does not parse, or asks for what the schema does not have."""


class LimitExceeded(ServiceError):
    """More is asked for than one request may."""


class ThreadNotFound(ServiceError):
    """No thread has this id."""


class Unauthenticated(ServiceError):
    """The service does not know who is asking."""


class Forbidden(ServiceError):
    """Who is asking may not know this."""


class Unavailable(ServiceError):
    """The service can't answer for the moment; it was asked several times."""


class TimedOut(ServiceError):
    """The answer took the service too long."""


class ResyncRequired(ServiceError):
    """What was known before is too old to go on from."""


class InternalError(ServiceError):
    """Something is wrong in the service; its log has the cause beside the correlation id."""


KINDS: Mapping[str, type[ServiceError]] = {
    "BAD_USER_INPUT": BadUserInput,
    "GRAPHQL_PARSE_FAILED": InvalidDocument,
    "GRAPHQL_VALIDATION_FAILED": InvalidDocument,
    "LIMIT_EXCEEDED": LimitExceeded,
    "THREAD_NOT_FOUND": ThreadNotFound,
    "UNAUTHENTICATED": Unauthenticated,
    "FORBIDDEN": Forbidden,
    "UNAVAILABLE": Unavailable,
    "TIMEOUT": TimedOut,
    "RESYNC_REQUIRED": ResyncRequired,
    "INTERNAL": InternalError,
}
"""The class of each code of the service."""


def service_error(errors: Sequence[Mapping[str, Any]]) -> ServiceError:
    """The error that the service told, of the class of its code."""
    return KINDS.get(ServiceError(errors).code, ServiceError)(errors)


def thread_not_found(thread_id: str) -> ThreadNotFound:
    """The error for a thread that the service answers null for."""
    message = f"No thread has the id {thread_id!r}."
    return ThreadNotFound([{"message": message, "extensions": {"code": "THREAD_NOT_FOUND"}}])
