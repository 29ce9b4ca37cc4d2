// A page of each thread's checkpoints, by id.
// reads: thread_ids, after, limit, columns
// returns: owner_id, columns, has_previous
UNWIND $thread_ids AS owner_id
CALL (owner_id) {
  MATCH (:Thread {threadId: owner_id})-[:HAS_CHECKPOINT]->(checkpoint:Checkpoint)
  WHERE checkpoint.checkpointId > $after
  WITH checkpoint ORDER BY checkpoint.checkpointId LIMIT $limit
  RETURN collect(checkpoint) AS checkpoints
}
RETURN owner_id,
  [c IN $columns | [checkpoint IN checkpoints | checkpoint[c]]] AS columns,
  EXISTS {
    MATCH (:Thread {threadId: owner_id})-[:HAS_CHECKPOINT]->(checkpoint:Checkpoint)
    WHERE checkpoint.checkpointId <= $after
  } AS has_previous
