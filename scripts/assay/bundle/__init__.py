"""Bundles: what was captured, read from its sheets, checked in one pass, and counted."""
