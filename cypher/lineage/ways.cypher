// The edges that a shortest way between two threads can take.
// reads: from_id, to_id, edge_columns
// returns: known, edge_types, newer_ids, origin_ids, points_at, edge_columns
// A shortest way goes down into a thread and up out of it only where the thread hangs on several
// others; all else of it stands above such threads or above its ends. So the edges above these are
// enough, and the walks never go down: what hangs below is not looked at, however much it is.
CALL () {
  MATCH (end:Thread)
  WHERE end.threadId IN [$from_id, $to_id]
  RETURN end AS start, end.threadId AS end_id
UNION ALL
  MATCH (joint:Thread)
  WHERE joint.severalOrigins = true
  RETURN joint AS start, null AS end_id
}
WITH collect(start) AS starts, collect(end_id) AS known
CALL (starts) {
  UNWIND starts AS start
  MATCH (start)-[:FORKED_FROM|SPAWNED_BY|CHILD_OF*0..]->(newer)
  WITH DISTINCT newer
  MATCH (newer)-[edge:FORKED_FROM|SPAWNED_BY|CHILD_OF]->(origin)
  OPTIONAL MATCH (point:Run {runId: edge.pointRunId})
  RETURN collect(type(edge)) AS edge_types, collect(newer.threadId) AS newer_ids,
    collect(origin.threadId) AS origin_ids, collect([point.completedAt]) AS points_at,
    collect(properties(edge)) AS edges
}
RETURN known, edge_types, newer_ids, origin_ids,
  [at IN points_at | at[0]] AS points_at,
  [c IN $edge_columns | [edge IN edges | edge[c]]] AS edge_columns
