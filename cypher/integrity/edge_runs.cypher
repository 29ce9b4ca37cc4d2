// Lineage edges that name a run of their recorded origin that is not there.
// reads: limit
// returns: ids, stored, expected
// The id of a run begins with that of its thread. Runs of threads that were never recorded can be
// named, and so can runs of others than the origin.
MATCH (newer)-[edge:SPAWNED_BY|CHILD_OF|FORKED_FROM]->(origin)
WHERE origin.recorded
WITH newer, edge, origin, coalesce(edge.runId, edge.pointRunId) AS run_id
WHERE run_id STARTS WITH origin.threadId + '/' AND NOT EXISTS { (:Run {runId: run_id}) }
WITH newer, edge, origin, run_id ORDER BY newer.threadId, type(edge) LIMIT $limit
RETURN [newer.threadId, origin.threadId, run_id] AS ids, type(edge) AS stored,
  'a run' AS expected
