"""The GraphQL documents that the client asks with."""

from __future__ import annotations

from lineage_client.decoding import selection_of
from lineage_client.model import (
    Descendant,
    Item,
    LineageEdge,
    LineagePath,
    Run,
    SubtreeTotals,
    Thread,
    Totals,
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

DOCUMENTS = (
    *(THREAD, THREADS, LINEAGE, DESCENDANTS, RUNS, HISTORY, ITEMS, TOTALS, PATH),
    NEAREST_COMMON_ANCESTOR,
)
"""All of them; the tests hold each against the schema of the service."""
