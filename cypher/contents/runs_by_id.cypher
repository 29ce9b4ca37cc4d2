// The runs of some ids, as far as they are known.
// reads: run_ids, columns
// returns: columns
MATCH (run:Run)
WHERE run.runId IN $run_ids
WITH collect(run) AS runs
RETURN [c IN $columns | [run IN runs | run[c]]] AS columns
