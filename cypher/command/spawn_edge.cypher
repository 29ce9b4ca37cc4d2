// The spawn edge of a thread; no row where nobody spawned it.
// reads: child_id
// returns: parentThreadId, childThreadId, status, origin, evidence, runId, callId, at
MATCH (child:Thread {threadId: $child_id})-[e:SPAWNED_BY]->(parent)
RETURN parent.threadId AS parentThreadId, child.threadId AS childThreadId, e.status AS status,
  e.origin AS origin, e.evidence AS evidence, e.runId AS runId, e.callId AS callId, e.at AS at
