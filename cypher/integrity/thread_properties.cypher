// Threads without what every thread has.
// reads: limit
// returns: ids, stored, expected
// A thread that a command made may have no provider yet, but never half of one.
MATCH (thread:Thread)
WITH thread, [name IN CASE WHEN coalesce(thread.recorded, false)
    THEN ['threadId', 'createdAt', 'updatedAt', 'recencyAt', 'archived', 'deleted', 'unlisted',
          'rootThreadId', 'depth', 'runCount']
      + CASE WHEN thread.driver IS NULL AND thread.providerInstanceId IS NULL THEN []
        ELSE ['driver', 'providerInstanceId'] END
    ELSE ['threadId', 'recorded', 'rootThreadId', 'depth'] END
  WHERE thread[name] IS NULL] AS missing
WHERE missing <> []
WITH coalesce(thread.threadId, elementId(thread)) AS thread_id, missing
ORDER BY thread_id LIMIT $limit
RETURN [thread_id] AS ids, 'none' AS stored,
  reduce(text = missing[0], name IN missing[1..] | text + ', ' + name) AS expected
