// The trees that threads are in, before anything is locked.
// reads: thread_ids
// returns: thread_ids, root_thread_ids
UNWIND $thread_ids AS thread_id
MATCH (t:Thread {threadId: thread_id})
WITH collect(t) AS ts
RETURN [t IN ts | t.threadId] AS thread_ids, [t IN ts | t.rootThreadId] AS root_thread_ids
