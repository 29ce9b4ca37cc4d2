// The first thread ids that begin with a prefix, placeholders included.
// reads: prefix, limit
// returns: thread_ids
MATCH (thread:Thread)
WHERE thread.threadId STARTS WITH $prefix
WITH thread.threadId AS threadId ORDER BY threadId LIMIT $limit
RETURN collect(threadId) AS thread_ids
