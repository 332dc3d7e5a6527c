"""Pictures of means: Overall with intervals, paired differences, the criteria, and the families apart."""

from collections.abc import Mapping, Sequence
from math import ceil, floor

from matplotlib.ticker import MaxNLocator

from assay.report.conclusions import facing
from assay.report.figures.drawing import canvas, interval, panel, picture, plain, row_labels
from assay.report.figures.palette import ACCENT, INK, MUTED, heat
from assay.report.figures.picture import Picture, numbers, rows_of
from assay.report.numbers import shown
from assay.report.scores import Scores
from assay.report.tidy import Table

WIDTH, LEFT, RIGHT, TOP, BOTTOM, ROW = 7.2, 2.35, 0.3, 0.15, 0.55, 0.34


def span(values: Sequence[float], scale: tuple[float, float]) -> tuple[float, float]:
    """Return whole ends for an axis that holds the values with a little room, at least two points, on the scale."""
    low, high = floor(min(values) - 0.2), ceil(max(values) + 0.2)
    if high - low < 2:
        low, high = low - 1, high + 1
    return max(low, scale[0]), min(high, scale[1])


def ranked(tables: Mapping[str, Table]) -> list[str]:
    """Return the configurations that have a score, best first."""
    return [row["configuration"] for row in tables["ranking"].rows if row["rank"]]


def overall(scores: Scores, tables: Mapping[str, Table]) -> Picture:
    """Mean Overall by configuration with 95 % intervals, best first."""
    rows = [row for row in tables["ranking"].rows if row["rank"]]
    cells = [numbers(row) for row in rows]
    figure = canvas(WIDTH, TOP + BOTTOM + ROW * max(2, len(rows)))
    axes = panel(figure, LEFT, TOP, RIGHT, BOTTOM)
    row_labels(axes, [scores.titles[row["configuration"]] for row in rows])
    for at, one in enumerate(cells):
        interval(axes, at, one, ACCENT, filled=True)
    axes.set_xlim(span([end for one in cells for end in one if end is not None] or [0], _scale(scores)))
    axes.set_xlabel("mean Overall, 95 % interval")
    columns = ("rank", "configuration", "title", "value", "low", "high", "n")
    data = [{**row, "title": scores.titles[row["configuration"]]} for row in rows]
    return picture("overall", figure, "Mean Overall of each configuration with its 95 % interval.", columns, data)


def differences(scores: Scores, tables: Mapping[str, Table]) -> Picture:
    """Paired differences between all configurations: filled where they can be told apart."""
    order = ranked(tables)
    rows = [_turned(row, order) for row in tables["differences"].rows if row["value"]]
    rows.sort(key=lambda row: (order.index(row["first"]), order.index(row["second"])))
    cells = [numbers(row) for row in rows]
    figure = canvas(WIDTH, TOP + BOTTOM + 0.27 * max(2, len(rows)))
    axes = panel(figure, LEFT + 0.9, TOP, RIGHT, BOTTOM)
    row_labels(axes, [f"{_short(scores, row['first'])} − {_short(scores, row['second'])}" for row in rows])
    axes.axvline(0, color=INK, linewidth=1)
    for at, (row, one) in enumerate(zip(rows, cells, strict=True)):
        interval(axes, at, one, ACCENT, filled=row["told_apart"] == "yes")
    axes.set_xlabel("difference in Overall, 95 % interval; filled: can be told apart")
    columns = ("first", "second", "value", "low", "high", "n", "p_holm", "told_apart")
    return picture("differences", figure, "Paired differences in Overall between all configurations.", columns, rows)


def _short(scores: Scores, configuration: str) -> str:
    return plain(scores.titles[configuration], 17)


def _turned(row: Mapping[str, str], order: Sequence[str]) -> dict[str, str]:
    return facing(row, min(row["first"], row["second"], key=order.index))


def _scale(scores: Scores) -> tuple[float, float]:
    return float(scores.scale[0]), float(scores.scale[1])


def criteria(scores: Scores, tables: Mapping[str, Table]) -> Picture:
    """Mean of every criterion and Overall by configuration, as a heat map with its numbers."""
    order, measures = ranked(tables), [*scores.criteria, "overall"]
    rows = [
        row
        for configuration in order
        for measure in measures
        for row in rows_of(tables, "configurations", family="all", measure=measure, configuration=configuration)
    ]
    figure = canvas(WIDTH, 0.35 + 0.1 + 0.36 * max(2, len(order)))
    axes = panel(figure, 1.75, 0.35, 0.1, 0.1)
    row_labels(axes, [plain(scores.titles[configuration], 24) for configuration in order])
    low, high = _scale(scores)
    for row in rows:
        x, y = measures.index(row["measure"]), order.index(row["configuration"])
        x += 0.12 * (row["measure"] == "overall")
        colour, ink = heat((float(row["value"]) - low) / (high - low))
        axes.fill([x - 0.49, x + 0.49, x + 0.49, x - 0.49], [y - 0.47, y - 0.47, y + 0.47, y + 0.47], color=colour)
        axes.text(x, y + 0.02, shown(row["value"]), ha="center", va="center", color=ink)
    axes.set_xlim(-0.5, len(measures) - 0.36)
    axes.set_ylim(max(1, len(order)) - 0.5, -0.5)
    axes.xaxis.tick_top()
    places = [at + 0.12 * (name == "overall") for at, name in enumerate(measures)]
    axes.set_xticks(places, [plain(name.capitalize(), 14) for name in measures])
    axes.tick_params(length=0)
    axes.tick_params(axis="x", labelsize=9)
    axes.grid(False)
    axes.set_frame_on(False)
    columns = ("configuration", "measure", "value", "low", "high", "n")
    return picture("criteria", figure, "Mean score of each configuration on each criterion.", columns, rows)


def families(scores: Scores, tables: Mapping[str, Table]) -> Picture:
    """Mean Overall with 95 % intervals, each family in a panel of its own."""
    order = ranked(tables)
    figure = canvas(WIDTH, 0.4 + BOTTOM + 0.31 * max(2, len(order)))
    rows = [row for family in scores.families for row in rows_of(tables, "configurations", family=family)]
    rows = [row for row in rows if row["measure"] == "overall" and row["value"]]
    ends = span([end for row in rows for end in numbers(row) if end is not None] or [0], _scale(scores))
    for column, family in enumerate(scores.families):
        axes = panel(figure, LEFT - 0.2, 0.4, RIGHT, BOTTOM, len(scores.families), column)
        row_labels(
            axes, [scores.titles[configuration] for configuration in order] if column == 0 else [""] * len(order)
        )
        mine = [row for row in rows if row["family"] == family]
        entries = len({row["entry"] for row in scores.of(family)})
        axes.set_title(f"{family}, {entries} entries")
        for row in mine:
            interval(axes, order.index(row["configuration"]), numbers(row), ACCENT, filled=True)
        axes.set_xlim(ends)
        axes.xaxis.set_major_locator(MaxNLocator(4, integer=True))
    figure.text(0.66, 0.02, "mean Overall, 95 % interval", ha="center", va="bottom", color=MUTED)
    columns = ("family", "configuration", "value", "low", "high", "n")
    return picture("families", figure, "Mean Overall of each configuration, by family.", columns, rows)
