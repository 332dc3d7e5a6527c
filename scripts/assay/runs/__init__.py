"""Reading a recorded run of a coding agent: one folder of standard formats, checked in one pass."""
