// Writes context windows and hangs them on their threads.
// writes: windows
// returns: none
UNWIND $windows AS row
MATCH (t:Thread {threadId: row.threadId})
MERGE (w:ContextWindow {windowKey: row.windowKey})
SET w += row
MERGE (t)-[:HAS_WINDOW]->(w)
