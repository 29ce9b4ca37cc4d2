// How the tool names the last message of the assistant in a run.
// reads: run_id
// returns: native_item_id
// Read backwards from the run's end, so that it costs what stands behind that message.
MATCH (item:Item)
USING INDEX item:Item(runId, position)
WHERE item.runId = $run_id AND item.position >= 0
  AND item.kind = 'message' AND item.role = 'assistant' AND item.nativeItemId IS NOT NULL
RETURN item.nativeItemId AS native_item_id
ORDER BY item.runId DESC, item.position DESC LIMIT 1
