// Whether any item of some runs has text that is told: a message, or one of some kinds.
// reads: run_ids, kinds
// returns: has_text
// It ends at the first.
UNWIND $run_ids AS run_id
CALL (run_id) {
  MATCH (item:Item)
  USING INDEX SEEK item:Item(runId, position)
  WHERE item.runId = run_id AND item.position >= 0 AND item.text <> ''
    AND (item.kind IN $kinds OR (item.kind = 'message' AND item.role IN ['user', 'assistant']))
  RETURN item LIMIT 1
}
WITH item LIMIT 1
RETURN count(item) > 0 AS has_text
