// What is remembered of the last import of threads, and the placeholders that each leads to.
// reads: thread_ids, columns
// returns: columns, unrecorded
UNWIND $thread_ids AS thread_id
MATCH (t:Thread {threadId: thread_id})
WHERE t.recorded
WITH t, COLLECT {
  MATCH (t)-[:FORKED_FROM|SPAWNED_BY|CHILD_OF|HISTORY_BASE]->(other)
  WHERE NOT other.recorded
  RETURN DISTINCT other.threadId AS other_id ORDER BY other_id
} AS others
WITH collect(t) AS ts, collect(others) AS unrecorded
RETURN [c IN $columns | [t IN ts | t[c]]] AS columns, unrecorded
