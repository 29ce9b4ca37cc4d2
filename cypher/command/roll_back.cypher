// Lets the revision of a thread grow whose runs are rolled back, and drops the windows they made.
// writes: thread_id, run_ids, revision
// returns: none
// The window that a thread began with stays.
MATCH (t:Thread {threadId: $thread_id})
SET t.revision = $revision
WITH t
MATCH (t)-[:HAS_WINDOW]->(window:ContextWindow)
WHERE window.number > 0 AND window.runId IN $run_ids
SET window.rolledBack = true
