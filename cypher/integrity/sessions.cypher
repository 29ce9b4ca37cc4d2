// Threads whose session is not the stated one, or that of the top of their tree of agents.
// reads: limit
// returns: ids, stored, expected
// Agents that spawned each other in a circle have no top and are left out.
MATCH (thread:Thread)
WHERE thread.recorded
MATCH (thread)-[edges:SPAWNED_BY|CHILD_OF*0..]->(top)
WHERE all(edge IN edges WHERE startNode(edge).agentParentThreadId = endNode(edge).threadId
          AND startNode(edge).statedSessionId IS NULL)
WITH DISTINCT thread, top
WHERE top.statedSessionId IS NOT NULL OR top.agentParentThreadId IS NULL
WITH thread, coalesce(top.statedSessionId, top.threadId) AS expected
WHERE coalesce(thread.sessionId, '') <> expected
WITH thread, expected ORDER BY thread.threadId LIMIT $limit
RETURN [thread.threadId] AS ids, coalesce(thread.sessionId, 'none') AS stored, expected
