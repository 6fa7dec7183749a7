"""The numbers that fit measurements best, how surely, and whether anything fits."""
