// The locks that those who write or name a turn of a tool take.
// writes: none
// returns: none
// A turn is named across trees, by its own id alone: whoever writes a run with that turn and whoever
// refers to it meet at the lock that the id falls on, so that neither overlooks the other.
UNWIND range(0, 31) AS number
MERGE (:TurnLock {number: number})
