// The migrations that were applied.
// reads: none
// returns: numbers, checksums
// A graph without any knows neither the label nor the properties: they are named as values, so
// that the server does not remark on it.
MATCH (m:$('Migration'))
WITH properties(m) AS m
WHERE m.number > 0
WITH m ORDER BY m.number
WITH collect(m) AS ms
RETURN [m IN ms | m.number] AS numbers, [m IN ms | m.checksum] AS checksums
