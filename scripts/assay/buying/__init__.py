"""Buying an answer from a judge: once, within the limits and the budget, and never losing one that was paid for."""
