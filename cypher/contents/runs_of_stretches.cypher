// A page of each history that is made of stretches of runs, in the order of the stretches.
// reads: histories, limit, columns
// returns: owner_id, distances, columns, has_previous
// A history is its owner and its stretches from the farthest on, before and behind the page's
// beginning; a stretch is a thread, the ordinals after and last, and whether it is whole or
// without what was rolled back by a revision of the thread, where that is known of both, else by a
// time. No stretch gives more rows than the page can hold.
UNWIND $histories AS history
CALL (history) {
  UNWIND history.behind AS stretch
  CALL (stretch) {
    MATCH (run:Run)
    WHERE run.threadId = stretch.thread_id AND run.ordinal > stretch.after
      AND run.ordinal <= stretch.last
      AND (stretch.whole OR run.rolledBackAt IS NULL OR CASE
        WHEN stretch.revision IS NULL OR run.rolledBackRevision IS NULL
        THEN run.rolledBackAt > stretch.at
        ELSE run.rolledBackRevision > stretch.revision
      END)
    RETURN run ORDER BY run.threadId, run.ordinal LIMIT $limit
  }
  WITH run, stretch.distance AS distance
  ORDER BY distance DESC, run.ordinal LIMIT $limit
  RETURN collect(run) AS runs, collect(distance) AS distances
}
RETURN history.owner_id AS owner_id, distances,
  [c IN $columns | [run IN runs | run[c]]] AS columns,
  EXISTS {
    UNWIND history.before AS stretch
    MATCH (run:Run)
    WHERE run.threadId = stretch.thread_id AND run.ordinal > stretch.after
      AND run.ordinal <= stretch.last
      AND (stretch.whole OR run.rolledBackAt IS NULL OR CASE
        WHEN stretch.revision IS NULL OR run.rolledBackRevision IS NULL
        THEN run.rolledBackAt > stretch.at
        ELSE run.rolledBackRevision > stretch.revision
      END)
    RETURN run
  } AS has_previous
