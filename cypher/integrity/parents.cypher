// Threads whose stored parents are not those that their edges say.
// reads: limit
// returns: ids, stored, expected
// A thread with several edges of a kind is another rule's: here any of them will do.
MATCH (thread:Thread)
OPTIONAL MATCH (thread)-[edge:SPAWNED_BY|CHILD_OF|FORKED_FROM]->(origin)
WITH thread,
  collect(CASE type(edge) WHEN 'SPAWNED_BY' THEN origin.threadId END) AS spawners,
  collect(CASE type(edge) WHEN 'CHILD_OF' THEN origin.threadId END) AS parents,
  collect(CASE WHEN type(edge) = 'FORKED_FROM' AND NOT coalesce(edge.contextOnly, false)
          THEN origin.threadId END) AS sources
WITH thread, CASE WHEN spawners <> [] THEN spawners ELSE parents END AS agents, sources
WITH thread, agents, CASE WHEN agents <> [] THEN agents ELSE sources END AS above
WITH thread, agents, above,
  CASE WHEN agents <> [] THEN 'SUBAGENT' WHEN above <> [] THEN 'FORK' ELSE '' END AS relation
WHERE NOT CASE WHEN above = [] THEN thread.parentThreadId IS NULL
      ELSE coalesce(thread.parentThreadId, '') IN above END
  OR NOT CASE WHEN agents = [] THEN thread.agentParentThreadId IS NULL
      ELSE coalesce(thread.agentParentThreadId, '') IN agents END
  OR coalesce(thread.relationshipToParent, '') <> relation
WITH thread, above, relation ORDER BY thread.threadId LIMIT $limit
RETURN [thread.threadId] AS ids,
  trim(coalesce(thread.parentThreadId, 'none') + ' ' + coalesce(thread.relationshipToParent, ''))
    AS stored,
  trim(coalesce(above[0], 'none') + ' ' + relation) AS expected
