// A page of what stands above a thread: its threads and the edges between them.
// reads: thread_id, types, max_depth, walk_limit, after_depth, after_id, limit,
//   columns, with_edges, with_points, edge_columns, transfer_columns
// returns: root_id, revision, revision_id, earlier, depths, columns, deeper,
//   edge_types, newer_ids, origin_ids, points_at, edge_columns,
//   transfer_points_at, transfer_columns
// How the tree stands is read before the walk: what is read is then never older than that.
// The walk prunes breadth first and stops behind the level in which walk_limit falls, which is
// the limit on the first page; a later page has to know all that stand before it.
// Edges are the out-edges of the page and, on later pages, its in-edges, so that some come twice
// (making them distinct here costs memory that grows with the square of the page); whether both
// ends are on this page or an earlier one is for the caller to see.
// A hand-off from tree to tree brings in the thread at its other end, one hop further than the
// walk; only then is everything sorted again. Without any transfer nothing is looked at for them.
MATCH (asked:Thread {threadId: $thread_id})
MATCH (root:Thread {threadId: asked.rootThreadId})
WITH root.threadId AS root_id, coalesce(root.revision, 0) AS revision,
  root.revisionId AS revision_id,
  asked AS start, COUNT { MATCH (x:Transfer) } AS transfers
CALL (start, transfers) {
  MATCH path = (start)-[edges:FORKED_FROM|SPAWNED_BY|CHILD_OF*0..]->(thread)
  WHERE all(edge IN edges WHERE type(edge) IN $types)
  WITH thread, min(length(path)) AS depth
  ORDER BY depth, thread.threadId
  LIMIT $walk_limit
  WITH collect(thread) AS found, collect(depth) AS hops
  CALL (found, hops, transfers) {
    UNWIND CASE WHEN transfers = 0 THEN [] ELSE range(0, size(found) - 1) END AS at
    WITH found[at] AS thread, hops[at] + 1 AS hop
    WHERE thread.hasTransfers
    MATCH (thread)<-[:TRANSFERS_FROM|TRANSFERS_TO]-(x)-[:TRANSFERS_FROM|TRANSFERS_TO]->(other)
    WHERE x.type = 'PROVIDER_HANDOFF' AND other.rootThreadId <> thread.rootThreadId
    WITH collect(other) AS others, collect(hop) AS other_hops
    RETURN found + others AS all_found, hops + other_hops AS all_hops
  }
  CALL (found, hops, all_found, all_hops) {
    WITH found, hops, all_found
    WHERE size(all_found) = size(found)
    RETURN found AS walked, hops AS depths
  UNION ALL
    UNWIND CASE WHEN size(all_found) = size(found) THEN []
                ELSE range(0, size(all_found) - 1) END AS at
    WITH all_found[at] AS thread, min(all_hops[at]) AS depth
    ORDER BY depth, thread.threadId
    LIMIT $walk_limit
    WITH collect(thread) AS walked, collect(depth) AS depths
    WHERE walked <> []
    RETURN walked, depths
  }
  WITH walked, depths,
    size([at IN range(0, size(walked) - 1) WHERE depths[at] < $after_depth
          OR (depths[at] = $after_depth AND walked[at].threadId <= $after_id)]) AS first
  WITH walked, depths, first,
    size([depth IN depths[first..first + $limit] WHERE depth <= $max_depth]) AS shown
  RETURN [thread IN walked[..first] | thread.threadId] AS earlier,
    walked[first..first + shown] AS page, depths[first..first + shown] AS depths,
    depths[-1] > $max_depth AS deeper
}
CALL (page, earlier) {
  CALL (page, earlier) {
    UNWIND CASE WHEN $with_edges THEN page ELSE [] END AS newer
    MATCH (newer)-[edge:FORKED_FROM|SPAWNED_BY|CHILD_OF|HISTORY_BASE]->(origin)
    WHERE type(edge) IN $types OR type(edge) = 'HISTORY_BASE'
    RETURN edge, newer, origin
  UNION ALL
    UNWIND CASE WHEN $with_edges AND earlier <> [] THEN page ELSE [] END AS origin
    MATCH (origin)<-[edge:FORKED_FROM|SPAWNED_BY|CHILD_OF|HISTORY_BASE]-(newer)
    WHERE type(edge) IN $types OR type(edge) = 'HISTORY_BASE'
    RETURN edge, newer, origin
  }
  OPTIONAL MATCH (point:Run {runId: CASE WHEN $with_points THEN edge.pointRunId END})
  RETURN collect(type(edge)) AS edge_types, collect(newer.threadId) AS newer_ids,
    collect(origin.threadId) AS origin_ids, collect([point.completedAt]) AS points_at,
    collect(edge) AS edges
}
CALL (page, earlier, transfers) {
  CALL (page, earlier, transfers) {
    UNWIND CASE WHEN transfers = 0 OR NOT $with_edges THEN [] ELSE page END AS source
    WITH source
    WHERE source.hasTransfers
    MATCH (source)<-[:TRANSFERS_FROM]-(x)
    RETURN x
  UNION ALL
    UNWIND CASE WHEN transfers = 0 OR earlier = [] OR NOT $with_edges THEN []
                ELSE page END AS target
    WITH target
    WHERE target.hasTransfers
    MATCH (target)<-[:TRANSFERS_TO]-(x)
    RETURN x
  }
  WITH x
  WHERE x.type IN ['PROVIDER_HANDOFF', 'MERGE_BACK', 'SUBAGENT_RESULT']
  OPTIONAL MATCH (point:Run {runId: CASE WHEN $with_points THEN x.sourceRunId END})
  RETURN collect([point.completedAt]) AS transfer_points, collect(x) AS handed
}
RETURN root_id, revision, revision_id, earlier, depths,
  [c IN $columns | [thread IN page | thread[c]]] AS columns, deeper, edge_types, newer_ids, origin_ids, [at IN points_at | at[0]] AS points_at,
  [c IN $edge_columns | [edge IN edges | edge[c]]] AS edge_columns,
  [at IN transfer_points | at[0]] AS transfer_points_at,
  [c IN $transfer_columns | [x IN handed | x[c]]] AS transfer_columns
