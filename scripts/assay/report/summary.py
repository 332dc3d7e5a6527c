"""The configuration summary in the paper's form."""

from collections.abc import Mapping, Sequence

from assay.report.markdown import safe, table


def summary_markdown(
    rows: Sequence[Mapping[str, str]], criteria: Sequence[str], title: str, notes: Sequence[str]
) -> str:
    """Return the summary as Markdown: one row per configuration, rounded for the public (specification, Phase 6).

    `rows` are those of summary.tsv; `notes` are sentences that stand above the table (partial run, baseline judge).
    """
    names = ["overall", *criteria]
    columns = ["Configuration", *(name.capitalize() for name in names), "Failures", "USD per 100", "Minutes", "Judged"]
    columns.append("Unscorable")
    body = [
        [
            safe(row["title"]),
            *(row[f"public_mean_{name}"] for name in names),
            with_unit(row["public_failure_rate"], "{} %"),
            with_unit(row["public_cost_per_100_usd"], "${}"),
            row["public_mean_minutes"],
            row["judged"],
            row["unscorable"],
        ]
        for row in rows
    ]
    head = [f"# {safe(title)}: configuration summary", *(f"**{safe(note)}**" for note in notes)]
    return "\n\n".join([*head, table(columns, body), LEGEND]) + "\n"


LEGEND = (
    "Ratings are means over the judged captures, 0 to 10, one decimal; failures are judged captures with Overall under "
    "the threshold, in whole per cent; cost is the mean of a capture times 100, in whole US dollars; minutes are the "
    "mean of a capture, one decimal. Halves are rounded up from the exact value. `unknown` means that at least one "
    "capture's amount is unknown. Unrounded values: summary.csv. How it was judged: methodology.md."
)


def with_unit(value: str, form: str) -> str:
    return value if value == "unknown" else form.format(value)
