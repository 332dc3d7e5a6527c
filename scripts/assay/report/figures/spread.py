"""Pictures of captures: how Overall is distributed, and what quality costs in money and minutes."""

from collections.abc import Mapping, Sequence
from fractions import Fraction

from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from assay.report.figures.drawing import canvas, panel, picture, plain, row_labels
from assay.report.figures.means import BOTTOM, LEFT, RIGHT, WIDTH, ranked, span
from assay.report.figures.palette import ACCENT, FAINT, INK, MUTED, WARN
from assay.report.figures.picture import Picture, numbers, rows_of
from assay.report.scores import Scores
from assay.report.tidy import Table
from assay.scoring.numbers import exact, text

STEP = Fraction(1, 2)
TOP_OF_SCATTER = 0.35


def distribution(scores: Scores, tables: Mapping[str, Table]) -> Picture:
    """How many captures have which Overall, a row per configuration, failures marked, with the failure line."""
    order = ranked(tables)
    rows = [row for configuration in order for row in _bins(scores, configuration)]
    figure = canvas(WIDTH, 0.3 + BOTTOM + 0.52 * max(2, len(order)))
    axes = panel(figure, LEFT, 0.3, RIGHT, BOTTOM)
    row_labels(axes, [scores.titles[configuration] for configuration in order])
    axes.set_ylim(len(order) - 0.45, -1.0)
    tallest = max((Fraction(row["share"]) for row in rows), default=Fraction(1))
    for row in rows:
        at = order.index(row["configuration"]) + 0.3
        height = 0.95 * float(Fraction(row["share"]) / tallest)
        low, high = float(row["from"]) + 0.03, float(row["to"]) - 0.03
        colour = WARN if row["failure"] == "yes" else ACCENT
        axes.fill([low, low, high, high], [at, at - height, at - height, at], color=colour, linewidth=0)
    for at in range(len(order)):
        axes.plot([float(end) for end in scores.scale], [at + 0.3] * 2, color=FAINT, linewidth=0.8)
    limit = float(scores.threshold)
    axes.axvline(limit, color=INK, linewidth=1)
    axes.text(limit, 1.01, f"failure: under {limit:g}", transform=axes.get_xaxis_transform(), ha="center", va="bottom")
    axes.set_xlim(float(scores.scale[0]), float(scores.scale[1]))
    axes.set_xlabel("Overall of a capture, in half points")
    columns = ("configuration", "from", "to", "failure", "captures", "share")
    return picture("distribution", figure, "Distribution of Overall by configuration.", columns, rows)


def _bins(scores: Scores, configuration: str) -> list[dict[str, str]]:
    """Return the filled bins of half a point (the last holds the end of the scale); one is split at the threshold."""
    rows = scores.of(configuration=configuration)
    counts: dict[tuple[Fraction, bool], int] = {}
    for row in rows:
        value = exact(row["overall"])
        start = min(value // STEP * STEP, scores.scale[1] - STEP)
        key = (start, row["failure"] == "yes")
        counts[key] = counts.get(key, 0) + 1
    return [
        {
            "configuration": configuration,
            "from": text(max(start, scores.threshold) if not failed and start < scores.threshold else start),
            "to": text(min(start + STEP, scores.threshold) if failed else start + STEP),
            "failure": "yes" if failed else "no",
            "captures": str(count),
            "share": text(Fraction(count, len(rows))),
        }
        for (start, failed), count in sorted(counts.items())
    ]


def cost(scores: Scores, tables: Mapping[str, Table], summary: Table) -> Picture:
    """Mean Overall against the mean cost of 100 captures."""
    return _against(scores, tables, summary, "cost", "cost_per_100_usd", "mean cost per 100 captures, US dollars")


def minutes(scores: Scores, tables: Mapping[str, Table], summary: Table) -> Picture:
    """Mean Overall against the mean minutes of a capture."""
    return _against(scores, tables, summary, "minutes", "mean_minutes", "mean minutes per capture")


def _against(
    scores: Scores, tables: Mapping[str, Table], summary: Table, name: str, column: str, label: str
) -> Picture:
    amounts = {row["configuration"]: row[column] for row in summary.rows}
    rows = [
        {**row, column: amounts[configuration]}
        for configuration in ranked(tables)
        for row in rows_of(tables, "configurations", family="all", measure="overall", configuration=configuration)
    ]
    drawn = [row for row in rows if row[column]]
    figure = canvas(WIDTH, 3.6)
    axes = panel(figure, 0.6, TOP_OF_SCATTER, RIGHT, BOTTOM)
    unknown = [scores.titles[row["configuration"]] for row in rows if not row[column]]
    if unknown:
        words = plain(f"not drawn, amount unknown: {', '.join(unknown)}", 90)
        axes.text(0, 1.02, words, transform=axes.transAxes, va="bottom", color=MUTED)
    ends = [end for row in drawn for end in numbers(row) if end is not None]
    axes.set_ylim(span(ends or [0, 10], (float(scores.scale[0]), float(scores.scale[1]))))
    most = max((float(row[column]) for row in drawn), default=1.0) or 1.0
    axes.set_xlim(0, most * 1.3)
    axes.xaxis.set_major_locator(MaxNLocator(6))
    points = [(float(row[column]), float(row["value"])) for row in drawn]
    heights = apart(points, near=most * 0.3, least=(axes.get_ylim()[1] - axes.get_ylim()[0]) * 0.06)
    for row, point, height in zip(drawn, points, heights, strict=True):
        _labelled(axes, point, numbers(row), plain(scores.titles[row["configuration"]], 24), most, height)
    axes.set_xlabel(label)
    axes.set_ylabel("mean Overall, 95 % interval")
    columns = ("configuration", column, "value", "low", "high", "n")
    return picture(name, figure, f"Mean Overall against {label}.", columns, rows)


def apart(points: Sequence[tuple[float, float]], near: float, least: float) -> list[float]:
    """Return the heights of the points' labels, from the top down, moved apart where points are `near` sideways."""
    heights: dict[int, float] = {}
    for at in sorted(range(len(points)), key=lambda at: (-points[at][1], points[at][0])):
        beside = [heights[other] for other in heights if abs(points[other][0] - points[at][0]) < near]
        heights[at] = min([points[at][1], *(height - least for height in beside)])
    return [heights[at] for at in range(len(points))]


def _labelled(axes: Axes, point: tuple[float, float], cells: tuple, title: str, most: float, height: float) -> None:
    x, value = point
    _, low, high = cells
    if low is not None:
        axes.plot([x, x], [low, high], color=ACCENT, linewidth=2.4)
    if height != value:
        axes.plot([x, x + most * 0.035], [value, height], color=FAINT, linewidth=0.8)
    axes.plot([x], [value], marker="o", markersize=7, color=ACCENT)
    axes.text(x + most * 0.04, height, title, va="center", color=INK)
