"""What drives the chaser, before the contact and after it: each law a class of numbers."""
