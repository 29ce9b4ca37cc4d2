// Transfers whose status is no known word, and consumed ones that do not say when.
// reads: limit
// returns: ids, stored, expected
MATCH (transfer:Transfer)
WITH transfer, toUpper(coalesce(transfer.status, '')) AS status
WHERE NOT status IN ['PENDING', 'RESOLVED_NATIVE', 'RESOLVED_PORTABLE', 'CONSUMED', 'FAILED',
                     'SUPERSEDED']
  OR (status = 'CONSUMED' AND transfer.consumedAt IS NULL)
WITH transfer, status ORDER BY transfer.transferId LIMIT $limit
RETURN [coalesce(transfer.transferId, elementId(transfer))] AS ids,
  CASE status WHEN '' THEN 'none' ELSE status END AS stored,
  CASE status WHEN 'CONSUMED' THEN 'consumedAt' ELSE 'a status' END AS expected
