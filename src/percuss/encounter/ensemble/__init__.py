"""Ensembles: whole encounters by the thousand, with the answers of single runs."""
