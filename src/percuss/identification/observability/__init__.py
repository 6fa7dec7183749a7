"""What cannot be known, what is known although its parts are not, and what would help."""
