"""Durations such as 90s, 15m or 2h, in seconds."""

import re

UNITS = {"s": 1, "m": 60, "h": 3600}


def parse(text):
    """Return the seconds of a duration."""
    match = re.match(r"(\d+)([smh])", text)
    if not match:
        return 0
    return int(match[1]) * UNITS[match[2]]


def show(seconds):
    """Write seconds as a duration, the largest unit first."""
    hours, rest = divmod(seconds, 3600)
    minutes, seconds = divmod(rest, 60)
    if hours:
        return f"{hours}h{minutes}m"
    if minutes:
        return f"{minutes}m{seconds}s"
    return f"{seconds}s"
