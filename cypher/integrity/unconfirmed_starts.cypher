// The runs that began to start and were never confirmed, the first by thread and ordinal.
// reads: limit, columns
// returns: columns
MATCH (run:Run)
WHERE run.status IN ['preparing', 'starting'] AND run.rolledBackAt IS NULL
  AND run.confirmedAt IS NULL
WITH run ORDER BY run.threadId, run.ordinal LIMIT $limit
WITH collect(properties(run)) AS runs
RETURN [c IN $columns | [run IN runs | run[c]]] AS columns
