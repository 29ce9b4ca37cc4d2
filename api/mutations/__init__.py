"""What can be told to the graph: one input, and one answer or named refusal, a mutation."""
