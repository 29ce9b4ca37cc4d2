"""Whether what is stored in Neo4j keeps its invariants, rule by rule."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from graph.columns import column_names, rows_of
from graph.integrity_rules import RULES, Faults
from graph.model import Run
from graph.neo4j_reading_pages import Columns
from graph.questions import MOST_FINDINGS, MOST_STARTS, IntegrityFinding, IntegrityReport
from graph.statements import reading

if TYPE_CHECKING:
    from graph.integrity_rules import Fault, Rule
    from graph.runner import Runner, Transaction

SECONDS = 1_800.0
"""How long one rule may take; the largest graphs are looked at for minutes."""


async def integrity(runner: Runner) -> IntegrityReport:
    """What all rules find, one after the other.

    Each reads the graph as a stream in the database, of which few rows are kept, so that neither
    side holds more of a large graph than of a small one.
    """
    findings: list[IntegrityFinding] = []
    for rule in RULES:
        findings += await _findings(runner, rule)

    async def starts(transaction: Transaction) -> list[Columns]:
        asked = Starts(limit=MOST_STARTS, columns=column_names(Run))
        return await transaction.run(UNCONFIRMED_STARTS, asked)

    [answer] = await runner.read_together(starts, seconds=SECONDS)
    return IntegrityReport(findings, rows_of(Run, answer.columns))


async def _findings(runner: Runner, rule: Rule) -> list[IntegrityFinding]:
    async def find(transaction: Transaction) -> list[Fault]:
        return await transaction.run(rule.statement, Faults(limit=MOST_FINDINGS + 1))

    faults = await runner.read_together(find, seconds=SECONDS)
    found = [rule.finding(fault) for fault in faults[:MOST_FINDINGS]]
    if len(faults) > MOST_FINDINGS:
        last = found[-1]
        message = f"{last.message} More break this rule: the first {MOST_FINDINGS} are told."
        found[-1] = IntegrityFinding(last.rule, last.ids, message)
    return found


@dataclass(frozen=True, slots=True, kw_only=True)
class Starts:
    """How many starts are told."""

    limit: int
    columns: list[str]


UNCONFIRMED_STARTS = reading("integrity/unconfirmed_starts", Starts, Columns)
