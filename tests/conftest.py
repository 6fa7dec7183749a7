"""Settings of every test: examples are the same in each run, and none has a deadline."""

from __future__ import annotations

from hypothesis import HealthCheck, settings

settings.register_profile(
    "percuss",
    deadline=None,
    derandomize=True,
    database=None,
    max_examples=60,
    print_blob=False,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("percuss")
