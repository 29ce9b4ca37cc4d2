// The checkpoints of some ids, as far as they are known.
// reads: checkpoint_ids, columns
// returns: columns
MATCH (checkpoint:Checkpoint)
WHERE checkpoint.checkpointId IN $checkpoint_ids
WITH collect(checkpoint) AS checkpoints
RETURN [c IN $columns | [checkpoint IN checkpoints | checkpoint[c]]] AS columns
