"""How the tests send commands: over HTTP, as a front end does."""

from itertools import count
from typing import Any

from tests.api.asking import Answer, Client

DOCUMENTS = {
    "recordThread": "... on ThreadRecorded { replayed thread { threadId } }",
    "startRun": "... on RunRecorded { replayed run { runId ordinal status } }",
    "updateRun": "... on RunRecorded { replayed run { runId status completedAt error } }",
    "appendItems": "... on ItemsAppended { replayed firstPosition lastPosition }",
    "recordCheckpoint": """... on CheckpointRecorded { replayed
        checkpoint { checkpointId status } }""",
    "forkThread": """... on ThreadForked { replayed thread { threadId } transfer {
        transferId type status sourcePoint { runId checkpointId nativeThreadRef { nativeId }
        nativeTurnRef { nativeId strength } } steps { status } } }""",
    "mergeBack": """... on MergeBackCreated { replayed superseded { transferId status }
        transfer { transferId type status sourceThreadId targetThreadId sourcePoint { runId }
        basePoint { runId } steps { status reason } } }""",
    "switchProvider": """... on ProviderSwitched { replayed thread {
        driver providerInstanceId model } }""",
    "spawnSubagent": """... on SubagentSpawned { replayed child { threadId originator driver }
        edge { parentThreadId childThreadId status origin runId callId }
        transfer { type status task sourceThreadId targetThreadId steps { status } } }""",
    "completeSubagent": """... on SubagentCompleted { replayed child { threadId }
        transfer { transferId type status resultText outcome sourcePoint { runId } } }""",
    "setSpawnEdgeStatus": """... on SpawnEdgeUpdated { replayed edge {
        childThreadId status origin runId callId } }""",
    "resolveStartContext": """... on StartContext { replayed originator
        run { runId ordinal status model providerInstanceId items { edges { node {
            kind role text } } } }
        base { __typename
          ... on NoTransfer { resume { driver nativeId } }
          ... on NativeFork { transfer { ...Resolved } plan { calls { method params } } }
          ... on PortableContext { transfer { ...Resolved } handoff { ...Carried } }
          ... on DeltaContext { transfer { ...Resolved } handoff { ...Carried }
            resume { driver nativeId } }
          ... on CheckpointContext { transfer { ...Resolved } handoff { ...Carried } } }
        deltas { transfer { ...Resolved } handoff { ...Carried } } }
        ... on Unsupported { missing } ... on StartInProgress { runId }
        ... on HandoffTooSmall { budgetTokens neededTokens }""",
    "confirmStart": """... on StartConfirmed { replayed run { runId status }
        transfers { ...Resolved } }""",
    "failStart": """... on StartFailed { replayed run { runId status error }
        transfers { ...Resolved } }""",
    "rollbackThread": """... on ThreadRolledBack { replayed thread { threadId status }
        runs { runId status } transfers { transferId type status targetRunId replaces createdBy
        sourceThreadId sourcePoint { runId } basePoint { runId } steps { status reason } } }""",
    "updateThreadMetadata": """... on ThreadUpdated { replayed thread {
        title name model cwd } }""",
    "archiveThread": """... on ThreadsArchived { replayed thread { threadId }
        threads { threadId } }""",
    "unarchiveThread": """... on ThreadsUnarchived { replayed thread { threadId archivedAt }
        threads { threadId } }""",
    "deleteThread": "... on ThreadsDeleted { replayed thread { threadId } threads { threadId } }",
    "restoreThread": """... on ThreadsRestored { replayed thread { threadId deletedAt }
        threads { threadId } }""",
}
"""What is asked of each mutation when it is accepted."""

FRAGMENTS = {
    "Resolved": """fragment Resolved on Transfer { transferId type status targetRunId
        sourcePoint { runId } basePoint { runId } targetProvider { instanceId }
        resolution { strategy handoffId nativeThreadRef { nativeId } } error
        steps { status runId reason } }""",
    "Carried": """fragment Carried on Handoff { handoffId kind payload text tokens
        itemIds omittedItemIds }""",
}
"""What is asked of a transfer and of a handoff wherever a start tells of one."""


def document(mutation: str) -> str:
    """A mutation with what is asked of it when it is accepted."""
    name = mutation[0].upper() + mutation[1:]
    asked = f"""mutation($input: {name}Input!) {{ {mutation}(input: $input) {{
        __typename {DOCUMENTS[mutation]} ... on Refusal {{ code message }} }} }}"""
    return asked + "".join(text for name, text in FRAGMENTS.items() if f"...{name}" in asked)


class Teller:
    """Sends commands with ids of their own, and answers what they came to."""

    def __init__(self, client: Client) -> None:
        self.client = client
        self._numbers = count(1)

    async def tell(self, mutation: str, command_id: str | None = None, **told: Any) -> Answer:  # noqa: ANN401
        """What a mutation answers."""
        told["commandId"] = command_id or f"command-{next(self._numbers)}"
        return (await self.client.data(document(mutation), input=told))[mutation]

    async def refused(self, mutation: str, **told: Any) -> str:  # noqa: ANN401
        """The code of a mutation's refusal."""
        return (await self.tell(mutation, **told))["code"]

    async def recorded(self, thread_id: str, **told: Any) -> str:  # noqa: ANN401
        """A recorded thread of Codex."""
        provider = {"instanceId": "codex", "driver": "codex"}
        told = {"provider": provider, "initialWindowId": "window", **told}
        answer = await self.tell("recordThread", threadId=thread_id, **told)
        assert answer["__typename"] == "ThreadRecorded", answer
        return thread_id

    async def completed(self, thread_id: str, run_id: str, **told: Any) -> str:  # noqa: ANN401
        """A completed run of a thread, with a turn that its provider names."""
        refs = {
            "nativeThreadRef": {
                "driver": "codex",
                "nativeId": f"native-{thread_id}",
                "strength": "STRONG",
            },
            "nativeTurnRef": {
                "driver": "codex",
                "nativeId": f"turn-{run_id}",
                "strength": "STRONG",
            },
        }
        told = {"status": "completed", **refs, **told}
        answer = await self.tell("startRun", threadId=thread_id, runId=run_id, **told)
        assert answer["__typename"] == "RunRecorded", answer
        return run_id

    async def said_by_assistant(self, thread_id: str, run_id: str, text: str) -> None:
        """An answer in a run."""
        item = {"kind": "message", "role": "assistant", "text": text}
        answer = await self.tell("appendItems", threadId=thread_id, runId=run_id, items=[item])
        assert answer["__typename"] == "ItemsAppended", answer
