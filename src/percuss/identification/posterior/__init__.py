"""What the unknowns may be, as samples."""
