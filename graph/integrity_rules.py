"""The rules that a sound graph keeps, each with the statement that finds what breaks it.

Constraints of the database hold none of these. A statement answers with a row for each fault: the
ids that are concerned, what is stored and what should be.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import msgspec

from graph.questions import IntegrityFinding
from graph.statements import reading

if TYPE_CHECKING:
    from graph.statements import Statement

IMPORT_AGAIN = "Import its transcript again."
REPORT = "This is a fault of the program that wrote it: please report it."


@dataclass(frozen=True, slots=True, kw_only=True)
class Faults:
    """How many faults are told."""

    limit: int


class Fault(msgspec.Struct, frozen=True):
    """One fault."""

    ids: list[str]
    stored: str
    expected: str


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule: its stable word, the statement that finds faults, and how one is told.

    In *words*, ``{0}`` and the next numbers stand for the ids, beside ``{stored}`` and
    ``{expected}``.
    """

    name: str
    statement: Statement[Faults, Fault]
    words: str
    remedy: str

    def finding(self, fault: Fault) -> IntegrityFinding:
        """What a fault is told as."""
        told = self.words.format(
            *fault.ids, stored=fault.stored.strip(), expected=fault.expected.strip()
        )
        return IntegrityFinding(self.name, fault.ids, f"{told} {self.remedy}")


RULES = (
    Rule(
        "thread_properties",
        reading("integrity/thread_properties", Faults, Fault),
        "Thread {0} lacks {expected}.",
        IMPORT_AGAIN,
    ),
    Rule(
        "edge_ends",
        reading("integrity/edge_ends", Faults, Fault),
        "The {stored} edge from {0} to {1} does not lead from one thread to another.",
        "Remove the edge, and import the transcript of its thread again.",
    ),
    Rule(
        "edge_words",
        reading("integrity/edge_words", Faults, Fault),
        "The {stored} edge from {0} to {1} has no {expected}.",
        IMPORT_AGAIN,
    ),
    Rule(
        "edge_runs",
        reading("integrity/edge_runs", Faults, Fault),
        "The {stored} edge from {0} to {1} names the run {2}, which is not there.",
        "Import the transcript of the older thread again.",
    ),
    Rule(
        "one_spawner",
        reading("integrity/spawners", Faults, Fault),
        "Thread {0} was spawned by {stored} threads; it can only be by one.",
        "Remove the edges that are wrong.",
    ),
    Rule(
        "one_origin",
        reading("integrity/origins", Faults, Fault),
        "Thread {0} has {stored} edges; it can only have one of a kind.",
        "Remove the edges that are wrong.",
    ),
    Rule(
        "parent",
        reading("integrity/parents", Faults, Fault),
        "Thread {0} is stored below {stored}; its edges say {expected}.",
        IMPORT_AGAIN,
    ),
    Rule(
        "place",
        reading("integrity/places", Faults, Fault),
        "Thread {0} is stored with root and depth {stored}; the walk up gives {expected}.",
        REPORT,
    ),
    Rule(
        "session",
        reading("integrity/sessions", Faults, Fault),
        "Thread {0} is stored in the session {stored}; it belongs to {expected}.",
        REPORT,
    ),
    Rule(
        "several_origins",
        reading("integrity/several_origins", Faults, Fault),
        "That thread {0} hangs on several others is stored as {stored}, and is {expected}.",
        REPORT,
    ),
    Rule(
        "run_owner",
        reading("integrity/run_owners", Faults, Fault),
        "Run {0} names the thread {expected} and hangs on {stored} threads, not on that alone.",
        IMPORT_AGAIN,
    ),
    Rule(
        "run_order",
        reading("integrity/run_order", Faults, Fault),
        "Run {1} of thread {0} has the number {stored}; it should be {expected}.",
        IMPORT_AGAIN,
    ),
    Rule(
        "run_words",
        reading("integrity/run_words", Faults, Fault),
        "Run {0} has no {expected}.",
        IMPORT_AGAIN,
    ),
    Rule(
        "own_sums",
        reading("integrity/own_sums", Faults, Fault),
        "The sums of thread {0} (runs; tokens in, cached, out, reasoned; milliseconds) are stored "
        "as {stored}; its runs give {expected}.",
        IMPORT_AGAIN,
    ),
    Rule(
        "item_owner",
        reading("integrity/item_owners", Faults, Fault),
        "Item {0} belongs to the thread {stored}, which is not there.",
        "Import the transcript of that thread, or remove the item.",
    ),
    Rule(
        "item_count",
        reading("integrity/item_counts", Faults, Fault),
        "Thread {0} is stored with {stored} items and has {expected}.",
        IMPORT_AGAIN,
    ),
    Rule(
        "window",
        reading("integrity/windows", Faults, Fault),
        "Context window {0} should have the key {expected} and hang on that thread alone.",
        IMPORT_AGAIN,
    ),
    Rule(
        "window_chain",
        reading("integrity/window_chains", Faults, Fault),
        "Context window {0} names {stored} as the one before; {1} is {expected}.",
        IMPORT_AGAIN,
    ),
    Rule(
        "transfer_ends",
        reading("integrity/transfer_ends", Faults, Fault),
        "Transfer {0} has {stored} sources and targets; it needs exactly those that it names.",
        REPORT,
    ),
    Rule(
        "transfer_words",
        reading("integrity/transfer_words", Faults, Fault),
        "Transfer {0} has the status {stored} and lacks {expected}.",
        REPORT,
    ),
)
"""Every rule, those first whose faults may be the cause of others."""
