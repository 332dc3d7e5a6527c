"""The statistics of a run as tidy tables: one row per statistic, unrounded."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from assay.report.conclusions import conclusions
from assay.report.judge_tables import judge_tables
from assay.report.scores import Scores
from assay.report.tidy import ESTIMATE, Table, estimated, yes
from assay.scoring.numbers import text
from assay.stats.means import Means, bootstrap_means, failure_rate
from assay.stats.paired import Difference, paired_differences
from assay.stats.sensitivity import Sensitivity, sensitivity

TABLES = (
    *("configurations", "ranking", "differences", "agreement", "disagreements"),
    *("self_preference", "family_favour", "length", "halo", "sensitivity", "conclusions"),
)


@dataclass(frozen=True)
class Findings:
    """What the sentences of the report speak of."""

    means: Means
    differences: tuple[Difference, ...]
    sensitivity: Sensitivity | None


def findings(scores: Scores, seed: int) -> Findings:
    """Compute means, paired differences and sensitivity of Overall. `sensitivity` is None without any score."""
    overall = scores.by_configuration()
    alone = {judge: scores.criteria_of(judge) for judge in scores.judges} if len(scores.judges) > 1 else {}
    return Findings(
        bootstrap_means(overall, seed, bounds=scores.scale),
        paired_differences(overall, seed, bounds=scores.scale),
        sensitivity(scores.criteria_of(), alone, scores.weights, scores.cap) if scores.rows else None,
    )


def statistics_tables(scores: Scores, contains: Mapping[str, list[str]], seed: int) -> dict[str, Table]:
    """Return every table of TABLES by name. `contains` maps each configuration to the judges whose model is in it."""
    found = findings(scores, seed)
    tables = {
        "configurations": configurations(scores, found.means, seed),
        "ranking": ranking(found),
        "differences": differences(found.differences),
        **judge_tables(scores, contains, seed),
        "sensitivity": sensitivity_table(found.sensitivity),
    }
    sentences = [{"topic": topic, "sentence": said} for topic, said in conclusions(scores, tables, found.sensitivity)]
    return {**tables, "conclusions": Table(("topic", "sentence"), sentences)}


def configurations(scores: Scores, overall: Means, seed: int) -> Table:
    """Return means with intervals of Overall and every criterion, and failure rates; Overall and failures by family."""
    rows = _mean_rows("all", "overall", overall)
    for criterion in scores.criteria:
        found = bootstrap_means(scores.by_configuration(criterion), seed, bounds=scores.scale)
        rows += _mean_rows("all", criterion, found)
    for family in scores.families:
        found = bootstrap_means(scores.by_configuration("overall", family), seed, bounds=scores.scale)
        rows += _mean_rows(family, "overall", found)
    for family in ("all", *scores.families):
        for configuration in scores.titles:
            mine = scores.of("" if family == "all" else family, configuration)
            rate = failure_rate(sum(row["failure"] == "yes" for row in mine), len(mine))
            head = {"family": family, "measure": "failure_rate", "configuration": configuration}
            rows.append({**head, **estimated(rate)})
    order = {configuration: at for at, configuration in enumerate(scores.titles)}
    rows.sort(key=lambda row: order[row["configuration"]])
    return Table(("family", "measure", "configuration", *ESTIMATE), rows)


def _mean_rows(family: str, measure: str, means: Means) -> list[dict[str, str]]:
    return [
        {"family": family, "measure": measure, "configuration": one.configuration, **estimated(one.mean)}
        for one in means.configurations
    ]


def ranking(found: Findings) -> Table:
    """Return the configurations best first, how firm each rank is, and whether each can be told from the next."""
    pairs = {frozenset((d.first, d.second)): d for d in found.differences}
    rows = []
    for at, one in enumerate(found.means.configurations):
        row = {"rank": str(one.rank or ""), "configuration": one.configuration, **estimated(one.mean)}
        row["rank_share"] = text(one.rank_share)
        row["whole_ranking_share"] = text(found.means.ranking_share)
        row |= dict.fromkeys(("next", "above_next_share", "above_next", "above_next_p_holm", "told_apart"), "")
        if at < len(found.means.neighbours):
            below = found.means.neighbours[at]
            pair = pairs[frozenset((below.upper, below.lower))]
            value = pair.difference.value
            above = None if value is None else value if pair.first == below.upper else -value
            row |= {"next": below.lower, "above_next_share": text(below.share), "above_next": text(above)}
            row |= {"above_next_p_holm": text(pair.p_holm), "told_apart": yes(pair.told_apart)}
        rows.append(row)
    columns = ("rank", "configuration", *ESTIMATE, "rank_share", "whole_ranking_share", "next", "above_next_share")
    return Table((*columns, "above_next", "above_next_p_holm", "told_apart"), rows)


def differences(found: tuple[Difference, ...]) -> Table:
    """Return the paired difference of every two configurations: first - second."""
    rows = [
        {
            "first": one.first,
            "second": one.second,
            **estimated(one.difference),
            "p": text(one.p),
            "p_holm": text(one.p_holm),
            "exact": yes(one.exact),
            "told_apart": yes(one.told_apart),
        }
        for one in found
    ]
    return Table(("first", "second", *ESTIMATE, "p", "p_holm", "exact", "told_apart"), rows)


def sensitivity_table(found: Sensitivity | None) -> Table:
    """Return, for each way of scoring, every configuration's mean and rank and whether the conclusion holds."""
    rows = []
    for way in (found.base, *found.scenarios) if found else ():
        means = dict(way.means)
        ranks = {name: 1 + sum(other > value for other in means.values()) for name, value in means.items()}
        rows += [
            {
                "scenario": way.id,
                "title": way.title,
                "configuration": name,
                "mean": text(means[name]),
                "rank": str(ranks[name]),
                "tau": text(Fraction(way.tau)) if way.tau is not None else "",
                "winner_holds": yes(way.winner_holds),
                "order_holds": yes(way.order_holds),
            }
            for name in sorted(means, key=lambda name: (ranks[name], name))
        ]
    columns = ("scenario", "title", "configuration", "mean", "rank", "tau", "winner_holds", "order_holds")
    return Table(columns, rows)
