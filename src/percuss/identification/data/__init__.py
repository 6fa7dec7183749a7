"""What was measured, how well, and what in it cannot be trusted."""
