"""The forward model: what the sensors show, as a function of the unknown numbers."""
