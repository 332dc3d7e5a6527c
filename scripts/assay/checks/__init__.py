"""Named checks on a finished run: one table of checks for each protocol, each of which can fail."""
