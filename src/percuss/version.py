"""The version of percuss; the packaging reads it from here."""

__version__ = "0.1.0"
