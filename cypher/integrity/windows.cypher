// Context windows with another key than thread and number, or that hang on another thread.
// reads: limit
// returns: ids, stored, expected
MATCH (window:ContextWindow)
OPTIONAL MATCH (window)<-[:HAS_WINDOW]-(owner)
WITH window, collect(owner.threadId) AS owners,
  coalesce(window.threadId, '') + '/' + coalesce(toString(window.number), '') AS expected
WHERE coalesce(window.windowKey, '') <> expected OR owners <> [window.threadId]
WITH window, owners, expected ORDER BY window.windowKey LIMIT $limit
RETURN [coalesce(window.windowKey, elementId(window))] + owners AS ids,
  coalesce(window.windowKey, 'none') AS stored, expected
