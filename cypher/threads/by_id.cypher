// The threads of some ids, as far as they are known.
// reads: thread_ids, columns
// returns: columns
MATCH (thread:Thread)
WHERE thread.threadId IN $thread_ids
WITH collect(thread) AS threads
RETURN [c IN $columns | [thread IN threads | thread[c]]] AS columns
