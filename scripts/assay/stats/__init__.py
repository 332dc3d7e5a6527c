"""Statistics as pure functions: exact point values where that is possible, seeded resampling for what is uncertain."""

from assay.stats.definitions import DEFINITIONS

__all__ = ["DEFINITIONS"]
