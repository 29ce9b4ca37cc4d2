"""What commands ask of threads, runs and transfers, by the names of the API."""

from __future__ import annotations

import re

FRAGMENTS = {
    "Ref": "on NativeRef { driver nativeId strength ordinal }",
    "Account": "on Provider { instanceId driver continuationKey }",
    "Point": """on SourcePoint { threadId runId checkpointId itemId
        nativeThreadRef { ...Ref } nativeTurnRef { ...Ref } }""",
    "ThreadFacts": """on Thread { threadId recorded title name driver providerInstanceId model
        status originator cwd rootThreadId parentThreadId relationshipToParent depth createdBy
        createdAt updatedAt archivedAt deletedAt }""",
    "RunFacts": """on Run { runId threadId ordinal kind status nativeTurnId driver
        providerInstanceId model startedAt completedAt rolledBackAt error }""",
    "TransferFacts": """on Transfer { transferId type status sourceThreadId targetThreadId
        sourcePoint { ...Point } basePoint { ...Point } sourceProvider { ...Account }
        targetProvider { ...Account } targetRunId replaces evidence createdBy createdAt updatedAt
        consumedAt error task resultText outcome
        resolution { strategy nativeThreadRef { ...Ref } handoffId }
        steps { status at runId reason } }""",
    "HandoffFacts": """on Handoff { handoffId kind payload text tokens itemIds omittedItemIds
        createdAt }""",
    "EdgeFacts": """on SpawnEdge { parentThreadId childThreadId status origin runId callId at
        evidence }""",
}

SPREAD = re.compile(r"\.\.\.([A-Z]\w*)")


def with_fragments(operation: str) -> str:
    """The operation with the fragments that it spreads, and those that they spread."""
    spread, waiting = dict[str, str](), SPREAD.findall(operation)
    while waiting:
        name = waiting.pop()
        if name not in spread:
            spread[name] = f"fragment {name} {FRAGMENTS[name]}"
            waiting += SPREAD.findall(FRAGMENTS[name])
    return "\n".join([operation, *spread.values()])
