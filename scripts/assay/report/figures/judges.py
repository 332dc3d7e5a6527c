"""Judge against judge: one picture per criterion, every point a link to its capture."""

from collections.abc import Sequence
from itertools import combinations
from math import cos, sin, sqrt

from assay.report.figures.drawing import canvas, panel, picture, plain
from assay.report.figures.palette import ACCENT, FAINT, WARN
from assay.report.figures.picture import Picture
from assay.report.scores import Row, Scores, place
from assay.scoring.numbers import exact

GOLDEN_ANGLE = 2.399963229728653  # pi (3 - sqrt 5): points in a spiral at this angle fill a disc evenly
REPORT = "../report.html#"  # where a point of the SVG file leads; inside the report its own address takes this place


def judge_scatter(scores: Scores, criterion: str) -> Picture:
    """Every capture's scores by each two judges; captures with the same two scores stand around them in a spiral."""
    pairs = list(combinations(scores.judges, 2))
    figure = canvas(3.6 * len(pairs), 3.75)
    rows, words = [], {}
    size = max(10, min(28, 8000 / max(1, len(scores.rows))))
    for column, pair in enumerate(pairs):
        axes = panel(figure, 0.55, 0.3, 0.12, BOTTOM, len(pairs), column)
        placed = spread([_scores(row, pair, criterion) for row in scores.rows])
        low, high = float(scores.scale[0]), float(scores.scale[1])
        axes.plot([low, high], [low, high], color=FAINT, linewidth=1)
        targets = [REPORT + place(row) for row in scores.rows]
        colours = [WARN if row["failure"] == "yes" else ACCENT for row in scores.rows]
        points = axes.scatter(
            [x for x, _ in placed], [y for _, y in placed], s=size, c=colours, alpha=0.7, linewidths=0, clip_on=False
        )
        points.set_urls(targets)
        words |= {target: _words(row, pair, criterion) for target, row in zip(targets, scores.rows, strict=True)}
        axes.set(xlim=(low - 0.3, high + 0.3), ylim=(low - 0.3, high + 0.3), aspect="equal")
        axes.set(xlabel=plain(pair[0], 24), ylabel=plain(pair[1], 24), title=plain(criterion.capitalize(), 30))
        axes.set_xticks(range(int(low), int(high) + 1, 2))
        axes.set_yticks(range(int(low), int(high) + 1, 2))
        rows += [_data(row, pair, criterion, point) for row, point in zip(scores.rows, placed, strict=True)]
    said = f"Scores of {criterion}: judge against judge, one point per capture."
    return picture(f"judges-{criterion}", figure, said, COLUMNS, rows, words)


BOTTOM = 0.5
COLUMNS = ("entry", "configuration", "first", "second", "first_score", "second_score", "x", "y")


def _scores(row: Row, pair: Sequence[str], criterion: str) -> tuple[str, str]:
    return row[f"{pair[0]}_{criterion}"], row[f"{pair[1]}_{criterion}"]


def _words(row: Row, pair: Sequence[str], criterion: str) -> str:
    scored = ", ".join(f"{judge} {value}" for judge, value in zip(pair, _scores(row, pair, criterion), strict=True))
    return f"{row['entry']} by {row['configuration']}: {scored}"


def _data(row: Row, pair: Sequence[str], criterion: str, point: tuple[float, float]) -> dict[str, str]:
    first, second = _scores(row, pair, criterion)
    cells = {"entry": row["entry"], "configuration": row["configuration"], "first": pair[0], "second": pair[1]}
    x, y = (f"{value:.3f}" for value in point)
    return {**cells, "first_score": first, "second_score": second, "x": x, "y": y}


def spread(pairs: Sequence[tuple[str, str]], widest: float = 0.24, step: float = 0.12) -> list[tuple[float, float]]:
    """Return where each pair of scores is drawn: the first of equal ones in place, the others in a spiral around it.

    No point is further than `widest` from its scores, so that neighbouring half points stay apart.
    """
    totals: dict[tuple[str, str], int] = {}
    for pair in pairs:
        totals[pair] = totals.get(pair, 0) + 1
    seen: dict[tuple[str, str], int] = {}
    found = []
    for pair in pairs:
        at = seen[pair] = seen.get(pair, -1) + 1
        radius = min(step, widest / sqrt(totals[pair])) * sqrt(at)
        x, y = (float(exact(value)) for value in pair)
        found.append((x + radius * cos(at * GOLDEN_ANGLE), y + radius * sin(at * GOLDEN_ANGLE)))
    return found
