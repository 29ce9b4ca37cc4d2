// Runs without a status or a kind.
// reads: limit
// returns: ids, stored, expected
MATCH (run:Run)
WHERE coalesce(run.status, '') = '' OR coalesce(run.kind, '') = ''
WITH run ORDER BY run.runId LIMIT $limit
RETURN [run.runId] AS ids, 'none' AS stored,
  CASE WHEN coalesce(run.status, '') = '' THEN 'status' ELSE 'kind' END AS expected
