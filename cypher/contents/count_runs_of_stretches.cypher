// How many runs each history holds that is made of stretches of runs.
// reads: histories
// returns: owner_id, count
// Histories and stretches are those of contents/runs_of_stretches.
UNWIND $histories AS history
RETURN history.owner_id AS owner_id, COUNT {
    UNWIND history.behind AS stretch
    MATCH (run:Run)
    WHERE run.threadId = stretch.thread_id AND run.ordinal > stretch.after
      AND run.ordinal <= stretch.last
      AND (stretch.whole OR run.rolledBackAt IS NULL OR CASE
        WHEN stretch.revision IS NULL OR run.rolledBackRevision IS NULL
        THEN run.rolledBackAt > stretch.at
        ELSE run.rolledBackRevision > stretch.revision
      END)
    RETURN run
  } AS count
