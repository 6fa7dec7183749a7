"""Tracing: functions run on values that write down what is done with them, as a program."""
