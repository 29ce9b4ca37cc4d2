// The sums of what hangs below each thread: of all threads, and of those over spawns alone.
// reads: thread_ids
// returns: owner_id, every, spawned
// A list of sums is threads, runs, input tokens, output tokens and milliseconds. What was spawned
// is part of all, so that the rest is the difference. Both walks prune breadth first.
UNWIND $thread_ids AS owner_id
CALL (owner_id) {
  MATCH (start:Thread {threadId: owner_id})
  MATCH (start)<-[:FORKED_FROM|SPAWNED_BY|CHILD_OF*1..]-(below)
  WITH DISTINCT start, below
  WHERE below <> start AND below.recorded AND below.deletedAt IS NULL
  RETURN [count(below), sum(below.runCount), sum(below.inputTokens), sum(below.outputTokens),
    sum(below.durationMs)] AS every
}
CALL (owner_id) {
  MATCH (start:Thread {threadId: owner_id})
  MATCH (start)<-[:SPAWNED_BY|CHILD_OF*1..]-(below)
  WITH DISTINCT start, below
  WHERE below <> start AND below.recorded AND below.deletedAt IS NULL
  RETURN [count(below), sum(below.runCount), sum(below.inputTokens), sum(below.outputTokens),
    sum(below.durationMs)] AS spawned
}
RETURN owner_id, every, spawned
