"""What the numbers say, in sentences: each from the exact values, none stronger than its interval."""

from collections.abc import Mapping, Sequence

from assay.report.numbers import between, chance, listed, percent, shown
from assay.report.scores import Scores
from assay.report.tidy import Table
from assay.scoring.numbers import text
from assay.stats.sensitivity import Sensitivity


def conclusions(scores: Scores, tables: Mapping[str, Table], sensitivity: Sensitivity | None) -> list[tuple[str, str]]:
    """Return (topic, sentence) for what the report says first. `tables` are those of the statistics by name."""
    ranked = [row for row in tables["ranking"].rows if row["rank"]]
    found = [
        ("winner", _winner(ranked, tables["differences"].rows, scores.titles)),
        ("neighbours", _neighbours(ranked, scores.titles)),
        ("failures", _failures(scores)),
        ("agreement", _agreement(tables["agreement"].rows, scores.judges)),
        ("self_preference", _self_preference(tables["self_preference"].rows)),
        ("sensitivity", robustness(sensitivity, scores.titles)),
    ]
    return [(topic, sentence) for topic, sentence in found if sentence]


def _winner(ranked: Sequence[Mapping], differences: Sequence[Mapping], titles: Mapping[str, str]) -> str:
    if not ranked:
        return "Nothing has a score."
    first = ranked[0]
    equals = [titles[row["configuration"]] for row in ranked if row["rank"] == "1"]
    verb = "has" if len(equals) == 1 else "have"
    lead = f"{listed(equals)} {verb} the highest mean Overall, {shown(first['value'], 2)}"
    if first["low"]:
        lead += f" (95 % interval {between(first, 2)})"
    if len(equals) > 1 or len(ranked) < 2:
        return f"{lead}."
    name, below = first["configuration"], first["next"]
    pair = next(row for row in differences if {row["first"], row["second"]} == {name, below})
    if not pair["value"]:
        return f"{lead}; it shares no entry with {titles[below]}, the next."
    gap = facing(pair, name)
    size = shown(gap["value"], 2, signed=True)
    interval = f"interval {between(gap, 2, signed=True)}, " if gap["low"] else ""
    firm = "" if pair["told_apart"] == "yes" else "; the two cannot be told apart"
    lead += (
        f". Over the {pair['n']} entries that both have, the difference to {titles[below]}, the next, is {size} points"
    )
    return f"{lead} ({interval}corrected p {_p(pair['p_holm'])}){firm}."


def facing(pair: Mapping[str, str], first: str) -> dict[str, str]:
    """Return a difference's row turned so that it is `first` minus the other."""
    if pair["first"] == first:
        return dict(pair)
    turned = {"value": negated(pair["value"]), "low": negated(pair["high"]), "high": negated(pair["low"])}
    return {**pair, "first": pair["second"], "second": pair["first"], **turned}


def negated(cell: str) -> str:
    """Return the number with its sign turned; an empty cell stays empty."""
    if cell in ("", "0"):
        return cell
    return cell.removeprefix("-") if cell.startswith("-") else f"-{cell}"


def _p(cell: str) -> str:
    p = chance(cell)
    return p if p.startswith("<") else f"= {p}"


def _neighbours(ranked: Sequence[Mapping], titles: Mapping[str, str]) -> str:
    if len(ranked) < 2:
        return ""
    pairs = [f"{titles[row['configuration']]} and {titles[row['next']]}" for row in ranked if row["told_apart"] == "no"]
    if pairs:
        start = f"Neighbours in the ranking that cannot be told apart: {'; '.join(pairs)}"
    else:
        start = "Each configuration can be told apart from the next in the ranking"
    share = ranked[0]["whole_ranking_share"]
    return f"{start}. The whole ranking is the same in {percent(share)} of the bootstrap resamples."


def _failures(scores: Scores) -> str:
    if not scores.rows:
        return ""
    failed = [row["configuration"] for row in scores.rows if row["failure"] == "yes"]
    limit = shown(text(scores.threshold), 1)
    if not failed:
        return f"No scored capture fails: all {len(scores.rows)} have Overall {limit} or more."
    worst = max(scores.titles, key=failed.count)
    sentence = f"{len(failed)} of {len(scores.rows)} scored captures fail (Overall under {limit})"
    return f"{sentence}; most of one configuration: {scores.titles[worst]}, {failed.count(worst)}."


def _agreement(rows: Sequence[Mapping], judges: Sequence[str]) -> str:
    found = {row["statistic"]: row for row in rows if row["criterion"] == "overall"}
    if not found or not found["icc_average"]["value"]:
        return ""
    average, alpha = found["icc_average"], found["alpha"]
    interval = f" (interval {between(average, 2)})" if average["low"] else ""
    sentence = f"Agreement of the judges on Overall: ICC(2,k) {shown(average['value'], 2)}{interval}, "
    sentence += f"Krippendorff's alpha {shown(alpha['value'], 2)}."
    if len(judges) == 2:
        bias = found["bias"]
        higher, lower = judges if not bias["value"].startswith("-") else judges[::-1]
        points = shown(bias["value"].removeprefix("-"), 2)
        sentence += f" {higher} gives {points} points more than {lower} on average."
    return sentence


def _self_preference(rows: Sequence[Mapping]) -> str:
    parts = []
    for row in rows:
        if row["value"]:
            effect = f"{shown(row['value'], 2, signed=True)} points"
            interval = f" (interval {between(row, 2, signed=True)}; p {_p(row['p'])})" if row["low"] else ""
            parts.append(f"{row['judge']} {effect}{interval}")
    return f"Self-preference, beyond the other judges: {'; '.join(parts)}." if parts else ""


def robustness(found: Sensitivity | None, titles: Mapping[str, str]) -> str:
    """Say whether first place and the whole order hold in every other way of scoring; '' without any score."""
    if found is None:
        return ""
    base, scenarios = found.base, found.scenarios
    if len(base.means) < 2:
        return "Fewer than two configurations have scores, so there is no ranking to test."
    count = len(scenarios)
    winner = listed([titles[configuration] for configuration in base.ranking[0]])
    lost = [scenario.title for scenario in scenarios if not scenario.winner_holds]
    moved = [scenario.title for scenario in scenarios if not scenario.order_holds]
    verb = "is" if len(base.ranking[0]) == 1 else "are"
    if not moved:
        return (
            f"The conclusion holds: {winner} {verb} first and the whole order is the same in all {count} other ways "
            "of scoring."
        )
    if not lost:
        return (
            f"The winner holds: {winner} {verb} first in all {count} other ways of scoring. "
            f"The order behind it changes in {len(moved)} of them: {'; '.join(moved)}."
        )
    return (
        f"The conclusion does not hold everywhere: {winner} {verb} first in {count - len(lost)} of {count} other ways "
        f"of scoring, but not in these: {'; '.join(lost)}. The order changes in {len(moved)}: {'; '.join(moved)}."
    )
