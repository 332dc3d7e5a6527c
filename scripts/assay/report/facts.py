"""What a report says of a run, from the two files that know it."""

from collections.abc import Mapping


def run_facts(intake: Mapping, panel: Mapping) -> dict:
    """Return intake.json with what panel.json knows of the run: its id, its deviations, and its judges.

    Each judge is its identity and `substituted`: why it is not the role map's, '' if it is.
    """
    judges = [{**judge["identity"], "substituted": judge["substituted"]} for judge in panel["judges"]]
    return {**intake, "run": panel["run"], "deviations": panel["deviations"], "judges": judges}
