"""Differential equations integrated for many cases, with the time loop in the kernel."""
