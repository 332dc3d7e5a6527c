"""What verifying found, as text for a terminal."""

from assay.archive.verify import Verification
from assay.words import counted

SHOWN_FAULTS = 20


def table(found: Verification) -> str:
    """Return the table of what was checked, the check list, the faults (the first ones) and the notices."""
    parts = [_counts(found)]
    if found.checks:
        parts.append("\n".join(["Checks of the finished run:", *map(_check, found.checks)]))
    if found.faults:
        more = len(found.faults) - SHOWN_FAULTS
        named = [f"  {name}: {text}" for name, text in found.faults[:SHOWN_FAULTS]]
        parts.append("\n".join(["Differences:", *named, *([f"  ... and {more} more"] if more > 0 else [])]))
    if found.notices:
        parts.append("\n".join(["Notices:", *(f"  {notice}" for notice in found.notices)]))
    if found.sums_sha256:
        parts.append(f"SHA-256 of SHA256SUMS: {found.sums_sha256}\nCompare it with the one that was published.")
    return "\n\n".join([*parts, _verdict(found)])


def _counts(found: Verification) -> str:
    rows = [("what", "checked", "wrong"), *((x.what, str(x.checked), str(len(x.faults))) for x in found.lines)]
    width = max(len(what) for what, _, _ in rows)
    return "\n".join(f"{what.ljust(width)}  {checked.rjust(7)}  {wrong.rjust(5)}" for what, checked, wrong in rows)


def _check(row: dict[str, str]) -> str:
    finding = ""
    if row["first_finding"]:
        finding = f"; {counted(int(row['findings']), 'finding')}, first: {row['first_finding']}"
    return f"  {row['result']}: {row['title']} ({row['looked_at']} {row['unit']} looked at{finding})"


def _verdict(found: Verification) -> str:
    if found.faults:
        return f"NOT VERIFIED: {counted(len(found.faults), 'difference')}; the first is in {found.faults[0][0]}"
    if found.failed_checks:
        failed = counted(len(found.failed_checks), "check")
        return f"DERIVED AGAIN, BYTE FOR BYTE, BUT NOT SOUND: the run fails {failed}"
    return "VERIFIED: everything was derived again, byte for byte"
