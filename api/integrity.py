"""Whether the stored graph keeps its invariants."""

import strawberry

from api.context import Info
from api.run import Run
from graph.questions import IntegrityReport as ReportRow


@strawberry.type(description="One place in which the stored graph breaks a rule.")
class IntegrityFinding:
    """One broken rule; its rows are ``graph.questions.IntegrityFinding``."""

    rule: str = strawberry.field(description="The rule, in a word that stays.")
    ids: list[str] = strawberry.field(description="What is concerned: threads, runs, items, ….")
    message: str = strawberry.field(description="What is wrong, and what to do.")


@strawberry.type(description="What is wrong with the stored graph.")
class IntegrityReport:
    """What is wrong with the stored graph; its rows are ``graph.questions.IntegrityReport``."""

    findings: list[IntegrityFinding] = strawberry.field(
        description=(
            "By rule and id, at most 100 of each rule; the last of a rule says when there are "
            "more. Empty: the graph is sound."
        )
    )
    unconfirmed_starts: list[Run] = strawberry.field(
        description="The runs whose start nobody has confirmed, at most 1,000; no finding."
    )


async def integrity(info: Info) -> ReportRow:
    """What is wrong with the stored graph."""
    return await info.context.graph.integrity()
