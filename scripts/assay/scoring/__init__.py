"""Scoring: pure functions from verdicts to tables, exact to the last digit."""
