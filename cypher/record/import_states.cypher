// What is remembered of the last import of threads.
// reads: thread_ids, columns
// returns: columns
UNWIND $thread_ids AS thread_id
MATCH (t:Thread {threadId: thread_id})
WHERE t.recorded
WITH collect(t) AS ts
RETURN [c IN $columns | [t IN ts | t[c]]] AS columns
