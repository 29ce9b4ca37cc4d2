// The runs whose parent or root is another than it should be.
// reads: run_ids, turn_ids
// returns: run_ids, parent_run_ids, root_run_ids, root_thread_ids
// Looked at are the given runs and those that name one of the turns. A turn is the first run of
// the same driver that has it. What is named by a run id instead has no turn, and stays.
CALL () {
  UNWIND $run_ids AS run_id
  MATCH (r:Run {runId: run_id})
  RETURN r
  UNION
  UNWIND $turn_ids AS turn_id
  MATCH (r:Run {parentNativeTurnId: turn_id})
  RETURN r
  UNION
  UNWIND $turn_ids AS turn_id
  MATCH (r:Run {rootNativeTurnId: turn_id})
  RETURN r
}
CALL (r) {
  MATCH (found:Run {nativeTurnId: r.parentNativeTurnId})
  WHERE found.driver = r.driver
  RETURN min(found.runId) AS parent
}
CALL (r) {
  MATCH (found:Run {nativeTurnId: r.rootNativeTurnId})
  WHERE found.driver = r.driver
  RETURN min(found.runId) AS root
}
WITH r,
  CASE WHEN r.parentNativeTurnId IS NULL THEN r.parentRunId ELSE parent END AS parent,
  CASE WHEN r.rootNativeTurnId IS NULL THEN r.rootRunId ELSE root END AS root
WHERE coalesce(r.parentRunId, '') <> coalesce(parent, '')
  OR coalesce(r.rootRunId, '') <> coalesce(root, '')
MATCH (t:Thread {threadId: r.threadId})
WITH collect([r.runId, parent, root, t.rootThreadId]) AS rows
RETURN [row IN rows | row[0]] AS run_ids, [row IN rows | row[1]] AS parent_run_ids,
  [row IN rows | row[2]] AS root_run_ids, [row IN rows | row[3]] AS root_thread_ids
