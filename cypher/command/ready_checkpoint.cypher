// The newest checkpoint of a run that is ready; no row where none is.
// reads: thread_id, run_id
// returns: checkpoint
MATCH (:Thread {threadId: $thread_id})-[:HAS_CHECKPOINT]->(c)
WHERE c.runId = $run_id AND c.status = 'ready'
RETURN properties(c) AS checkpoint ORDER BY c.at DESC, c.checkpointId DESC LIMIT 1
