"""The service that keeps the audit log."""

import audit


def handle(request, out):
    """Handle a request and record it."""
    event = {
        "time": request["time"],
        "user": request["user"],
        "action": request["action"],
        "token": request["token"],
    }
    audit.record(event, out)
    return "done"
