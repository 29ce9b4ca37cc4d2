// Spawn edges of parents and of children, with what tells the call that each came from.
// reads: parent_ids, child_ids
// returns: edges, calls
// An edge leaves as child, parent, the child's agent path, the stated run, call and time, and the
// run, call and time that it has; the calls as a text beside their parent.
CALL () {
  UNWIND $parent_ids AS parent_id
  MATCH (:Thread {threadId: parent_id})<-[e:SPAWNED_BY]-()
  RETURN e
  UNION
  UNWIND $child_ids AS child_id
  MATCH (:Thread {threadId: child_id})-[e:SPAWNED_BY]->()
  RETURN e
}
WITH e, startNode(e) AS c, endNode(e) AS p
WHERE p.spawnCalls IS NOT NULL
RETURN
  collect([
    c.threadId, p.threadId, c.agentPath, e.statedRunId, e.statedCallId, e.statedAt,
    e.runId, e.callId, e.at
  ]) AS edges,
  collect(DISTINCT [p.threadId, p.spawnCalls]) AS calls
