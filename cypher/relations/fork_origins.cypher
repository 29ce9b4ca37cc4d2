// Where each fork among some threads came from.
// reads: thread_ids
// returns: owner_id, source_id, point_run_id, point_thread_id, context_only,
//   attached, at, evidence
// A point can name a run that was never recorded: then it has no thread.
UNWIND $thread_ids AS owner_id
MATCH (:Thread {threadId: owner_id})-[fork:FORKED_FROM]->(source)
OPTIONAL MATCH (point:Run {runId: fork.pointRunId})
RETURN owner_id, source.threadId AS source_id, fork.pointRunId AS point_run_id,
  point.threadId AS point_thread_id, fork.contextOnly AS context_only,
  fork.attached AS attached, fork.at AS at, fork.evidence AS evidence
