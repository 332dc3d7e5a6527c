"""What the judges' scores say about the judges, as tidy tables."""

from collections.abc import Mapping

from assay.report.scores import Scores
from assay.report.tidy import ESTIMATE, Table, estimated
from assay.scoring.numbers import text
from assay.stats.association import halo, length_effect
from assay.stats.bias import family_favour, self_preference
from assay.stats.judges import agreement, largest_disagreements

PAIR = ("bias", "ratio", "pearson", "spearman", "kappa")
PANEL = ("icc_single", "icc_average", "alpha")


def judge_tables(scores: Scores, contains: Mapping[str, list[str]], seed: int) -> dict[str, Table]:
    """Return the tables on the judges by name. With one judge, those that compare judges have no rows."""
    several = len(scores.judges) > 1
    own = scores.by_judge("overall")
    families = {row["entry"]: row["family"] for row in scores.rows}
    lengths = {(row["entry"], row["configuration"]): int(row["answer_characters"]) for row in scores.rows}
    return {
        "agreement": _agreement(scores, seed) if several else Table(AGREEMENT_COLUMNS, []),
        "disagreements": _disagreements(scores),
        "self_preference": _self_preference(
            self_preference(own, contains, seed, bounds=scores.scale) if several else ()
        ),
        "family_favour": _family_favour(family_favour(own, families, seed) if several else ()),
        "length": _length(length_effect(own, lengths, seed)),
        "halo": _halo(scores, seed),
    }


AGREEMENT_COLUMNS = ("criterion", "judges", "statistic", "captures", *ESTIMATE)


def _agreement(scores: Scores, seed: int) -> Table:
    rows = []
    for measure in (*scores.criteria, "overall"):
        found = agreement(scores.by_judge(measure), seed)
        for pair in found.pairs:
            head = {"criterion": measure, "judges": f"{pair.first} {pair.second}", "captures": str(pair.captures)}
            rows += [{**head, "statistic": name, **estimated(getattr(pair, name))} for name in PAIR]
        panel = found.panel
        for name in PANEL:
            captures = str(panel.compared if name == "alpha" else panel.complete)
            head = {"criterion": measure, "judges": " ".join(panel.judges), "captures": captures}
            rows.append({**head, "statistic": name, **estimated(getattr(panel, name))})
    return Table(AGREEMENT_COLUMNS, rows)


def _disagreements(scores: Scores) -> Table:
    found = largest_disagreements({criterion: scores.by_judge(criterion) for criterion in scores.criteria})
    columns = ("entry", "configuration", "criterion", "first", "second", "first_score", "second_score", "difference")
    return Table(columns, [{name: _cell(getattr(one, name)) for name in columns} for one in found])


def _cell(value: object) -> str:
    return value if isinstance(value, str) else text(value)


def _self_preference(found: tuple) -> Table:
    sides = ("own", "others", "left_out")
    rows = [
        {
            "judge": one.judge,
            **{side: " ".join(getattr(one, side)) for side in sides},
            **estimated(one.effect),
            "p": text(one.p),
        }
        for one in found
    ]
    return Table(("judge", *sides, *ESTIMATE, "p"), rows)


def _family_favour(found: tuple) -> Table:
    rows = [
        {
            "judge": one.judge,
            "family": one.family,
            "gap": text(one.gap),
            **estimated(one.effect),
            "p": text(one.p),
            "p_holm": text(one.p_holm),
        }
        for one in found
    ]
    return Table(("judge", "family", "gap", *ESTIMATE, "p", "p_holm"), rows)


def _length(found: tuple) -> Table:
    rows = []
    for one in found:
        head = {"judge": one.judge, "configuration": "all"}
        rows.append({**head, "statistic": "spearman", **estimated(one.spearman)})
        rows.append({**head, "statistic": "slope", **estimated(one.slope)})
        for part, name in ((part, name) for part in one.by_configuration for name in ("spearman", "slope")):
            value = text(getattr(part, name))
            cells = {"value": value, "low": "", "high": "", "n": str(part.captures), "reason": ""}
            rows.append({"judge": one.judge, "configuration": part.configuration, "statistic": name, **cells})
    return Table(("judge", "configuration", "statistic", *ESTIMATE), rows)


def _halo(scores: Scores, seed: int) -> Table:
    rows = []
    for judge in scores.judges:
        by_criterion = {criterion: scores.by_judge(criterion)[judge] for criterion in scores.criteria}
        found = halo(judge, by_criterion, seed)
        rows.append({"judge": judge, "first": "mean", "second": "mean", **estimated(found.mean)})
        for first, second, value in found.correlations:
            cells = {"value": text(value), "low": "", "high": "", "n": str(found.captures), "reason": ""}
            rows.append({"judge": judge, "first": first, "second": second, **cells})
    return Table(("judge", "first", "second", *ESTIMATE), rows)
