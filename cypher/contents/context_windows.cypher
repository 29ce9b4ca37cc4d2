// The context windows of each thread, by number.
// reads: thread_ids, columns
// returns: owner_id, columns
UNWIND $thread_ids AS owner_id
CALL (owner_id) {
  MATCH (:Thread {threadId: owner_id})-[:HAS_WINDOW]->(window:ContextWindow)
  WITH window ORDER BY window.number
  RETURN collect(window) AS windows
}
RETURN owner_id, [c IN $columns | [window IN windows | window[c]]] AS columns
