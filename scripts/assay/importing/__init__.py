"""Bringing results from elsewhere into a bundle."""
