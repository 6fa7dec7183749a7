"""From unknown numbers to what the sensors show."""
