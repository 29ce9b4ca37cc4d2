// Transfers without exactly one source and one target, or with others than they name.
// reads: limit
// returns: ids, stored, expected
MATCH (transfer:Transfer)
OPTIONAL MATCH (transfer)-[:TRANSFERS_FROM]->(source)
WITH transfer, collect(source.threadId) AS sources
OPTIONAL MATCH (transfer)-[:TRANSFERS_TO]->(target)
WITH transfer, sources, collect(target.threadId) AS targets
WHERE size(sources) <> 1 OR size(targets) <> 1
  OR coalesce(transfer.sourceThreadId, sources[0]) <> sources[0]
  OR coalesce(transfer.targetThreadId, targets[0]) <> targets[0]
WITH coalesce(transfer.transferId, elementId(transfer)) AS transfer_id, sources, targets
ORDER BY transfer_id LIMIT $limit
RETURN [transfer_id] + sources + targets AS ids,
  toString(size(sources)) + ' and ' + toString(size(targets)) AS stored, '1 and 1' AS expected
