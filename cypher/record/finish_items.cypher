// Remembers what an import that came to its end has read of a thread's items.
// writes: thread_id, settled, digest
// returns: none
MATCH (t:Thread {threadId: $thread_id})
SET t.settledItems = $settled, t.importDigest = $digest, t.sourceFingerprint = null
