"""What is measured, each against a yardstick in the same run."""
