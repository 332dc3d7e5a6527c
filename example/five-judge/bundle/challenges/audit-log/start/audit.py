"""The audit log: who did what, one record a line."""


def record(event, out):
    """Write one event (a dict with time, user, action, token) to the log."""
    out.write(str(event) + "\n")
