"""Archives: a finished run as one file, derived again from its bundle and its exchanges, and compared with others."""
