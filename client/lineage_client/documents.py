"""The GraphQL documents that the client asks with."""

from __future__ import annotations

from lineage_client.decoding import selection_of
from lineage_client.model import (
    Descendant,
    Handoff,
    IntegrityReport,
    Item,
    LineageEdge,
    LineagePath,
    MergeBackDelta,
    Run,
    SubtreeTotals,
    Thread,
    Totals,
    Transfer,
    Truncation,
)

PAGE_INFO = "pageInfo { hasNextPage endCursor }"

THREAD = f"query Thread($id: String!) {{ thread(threadId: $id) {{ {selection_of(Thread)} }} }}"

THREADS = f"""
query Threads($filter: ThreadFilter, $orderBy: ThreadOrder, $first: Int!, $after: String) {{
  list: threads(filter: $filter, orderBy: $orderBy, first: $first, after: $after) {{
    {PAGE_INFO} edges {{ node {{ {selection_of(Thread)} }} }}
  }}
}}"""

LINEAGE = f"""
query Lineage(
  $id: String!, $direction: LineageDirection!, $kinds: [EdgeKind!], $maxDepth: Int,
  $maxNodes: Int!, $after: String, $totals: Boolean!
) {{
  lineage(
    threadId: $id, direction: $direction, kinds: $kinds, maxDepth: $maxDepth,
    maxNodes: $maxNodes, after: $after
  ) {{
    version endCursor truncated {{ {selection_of(Truncation)} }}
    nodes {{
      {selection_of(Thread)}
      totals @include(if: $totals) {{ own {{ {selection_of(Totals)} }} }}
    }}
    edges {{ {selection_of(LineageEdge)} }}
  }}
}}"""

DESCENDANTS = f"""
query Descendants(
  $id: String!, $kinds: [EdgeKind!], $spawnStatus: String, $maxDepth: Int, $first: Int!,
  $after: String
) {{
  thread(threadId: $id) {{
    list: descendants(
      kinds: $kinds, spawnStatus: $spawnStatus, maxDepth: $maxDepth, first: $first, after: $after
    ) {{ {PAGE_INFO} edges {{ {selection_of(Descendant)} }} }}
  }}
}}"""

RUNS = f"""
query Runs($id: String!, $rolledBack: Boolean!, $first: Int!, $after: String) {{
  thread(threadId: $id) {{
    list: runs(includeRolledBack: $rolledBack, first: $first, after: $after) {{
      {PAGE_INFO} edges {{ node {{ {selection_of(Run)} }} }}
    }}
  }}
}}"""

HISTORY = f"""
query History($id: String!, $rolledBack: Boolean!, $first: Int!, $after: String) {{
  thread(threadId: $id) {{
    list: history(includeRolledBack: $rolledBack, first: $first, after: $after) {{
      {PAGE_INFO} edges {{ node {{ {selection_of(Run)} }} }}
    }}
  }}
}}"""

ITEMS = f"""
query Items($id: String!, $first: Int!, $after: String) {{
  thread(threadId: $id) {{
    list: items(first: $first, after: $after) {{
      {PAGE_INFO} edges {{ node {{ {selection_of(Item)} }} }}
    }}
  }}
}}"""

TOTALS = f"""
query Totals($id: String!) {{
  thread(threadId: $id) {{ totals {{ {selection_of(SubtreeTotals)} }} }}
}}"""

PATH = f"""
query Path($from: String!, $to: String!) {{
  path(fromThreadId: $from, toThreadId: $to) {{ {selection_of(LineagePath)} }}
}}"""

NEAREST_COMMON_ANCESTOR = f"""
query NearestCommonAncestor($ids: [String!]!) {{
  nearestCommonAncestor(threadIds: $ids) {{ {selection_of(Thread)} }}
}}"""

TRANSFER = f"""
query Transfer($id: String!) {{ transfer(transferId: $id) {{ {selection_of(Transfer)} }} }}"""

HANDOFF = f"""
query Handoff($id: String!) {{
  transfer(transferId: $id) {{ handoff {{ {selection_of(Handoff)} }} }}
}}"""

TRANSFERS = f"""
query Transfers($filter: TransferFilter, $first: Int!, $after: String) {{
  list: transfers(filter: $filter, first: $first, after: $after) {{
    {PAGE_INFO} edges {{ node {{ {selection_of(Transfer)} }} }}
  }}
}}"""

THREAD_TRANSFERS = f"""
query ThreadTransfers(
  $id: String!, $direction: Direction, $status: [TransferStatus!], $first: Int!, $after: String
) {{
  thread(threadId: $id) {{
    list: transfers(direction: $direction, status: $status, first: $first, after: $after) {{
      {PAGE_INFO} edges {{ node {{ {selection_of(Transfer)} }} }}
    }}
  }}
}}"""

MERGE_BACK_DELTA = f"""
query MergeBackDelta($id: String!, $run: String) {{
  mergeBackDelta(forkThreadId: $id, runId: $run) {{ {selection_of(MergeBackDelta)} }}
}}"""

MERGE_BACK_ITEMS = f"""
query MergeBackItems($id: String!, $run: String, $first: Int!, $after: String) {{
  mergeBackDelta(forkThreadId: $id, runId: $run) {{
    tip {{ runId }}
    list: items(first: $first, after: $after) {{
      {PAGE_INFO} edges {{ node {{ {selection_of(Item)} }} }}
    }}
  }}
}}"""

INTEGRITY = f"query Integrity {{ integrity {{ {selection_of(IntegrityReport)} }} }}"

DOCUMENTS = (
    *(THREAD, THREADS, LINEAGE, DESCENDANTS, RUNS, HISTORY, ITEMS, TOTALS, PATH),
    *(NEAREST_COMMON_ANCESTOR, TRANSFER, HANDOFF, TRANSFERS, THREAD_TRANSFERS),
    *(MERGE_BACK_DELTA, MERGE_BACK_ITEMS, INTEGRITY),
)
"""All of them; the tests hold each against the schema of the service."""
