// How many transfers there are of some statuses and types, made within some time.
// reads: statuses, types, start, high
// returns: count
UNWIND $statuses AS status
CALL (status) {
  MATCH (x:Transfer)
  WHERE x.status = status AND x.createdAt >= $start AND x.createdAt < $high
    AND x.transferId IS NOT NULL AND x.type IN $types
  RETURN count(x) AS found
}
RETURN sum(found) AS count
