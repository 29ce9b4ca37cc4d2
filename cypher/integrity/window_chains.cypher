// Context windows whose predecessor is another than the window of the number before.
// reads: limit
// returns: ids, stored, expected
// Windows that were rolled back, and predecessors that are not known, are left out.
MATCH (window:ContextWindow)
WHERE window.number > 0 AND window.previousWindowId IS NOT NULL
  AND NOT coalesce(window.rolledBack, false)
MATCH (before:ContextWindow {windowKey: window.threadId + '/' + toString(window.number - 1)})
WHERE before.windowId IS NOT NULL AND NOT coalesce(before.rolledBack, false)
  AND before.windowId <> window.previousWindowId
WITH window, before ORDER BY window.windowKey LIMIT $limit
RETURN [window.windowKey, before.windowKey] AS ids, window.previousWindowId AS stored,
  before.windowId AS expected
