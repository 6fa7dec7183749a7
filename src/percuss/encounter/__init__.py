"""Encounters of a chaser with a target: what is recorded of them."""
