"""Training and measurement of the classifier beside the screening rules."""
