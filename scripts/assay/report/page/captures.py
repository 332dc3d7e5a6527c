"""One capture for reading: scores and notes side by side, and what they are about."""

import base64
from collections.abc import Mapping, Sequence

from assay.canonical import plain
from assay.report.numbers import shown
from assay.report.scores import Row, Scores, place
from assay.scoring.numbers import exact, text

SHOWN_AS_IMAGE = ("image/svg+xml", "image/png", "image/jpeg", "image/webp")


class Views:
    """What the template shows of each capture.

    `addresses` maps the place of a capture to its address; `report` is the address of the report.
    """

    def __init__(self, scores: Scores, protocol: Mapping, addresses: Mapping[str, str], report: str):
        self._scores, self._protocol, self._addresses, self._report = scores, protocol, addresses, report
        self._at = {place(row): at for at, row in enumerate(scores.rows)}
        self._of_entry: dict[str, list[Row]] = {}
        for row in scores.rows:
            self._of_entry.setdefault(row["entry"], []).append(row)

    def view(self, row: Row, packet: Mapping, verdicts: Mapping[str, Mapping]) -> dict:
        """Return one capture's view. `packet` is what the judges were shown, `verdicts` each judge's verdict."""
        scores = self._scores
        return {
            "row": row,
            "place": place(row),
            "packet": packet,
            "technique": packet["technique"],
            "title": scores.titles[row["configuration"]],
            "flags": row["flags"].split(),
            "derivation": derivation(scores, self._protocol, row),
            "lines": [_line(scores, row, criterion) for criterion in scores.criteria],
            "impressions": [{"judge": judge, "note": row[f"{judge}_impression"]} for judge in scores.judges],
            "long": {"prompt": packet["prompt"], "specification": packet["specification"]["text"]},
            "visual": visual(packet["visual"]),
            "amounts": _amounts(row),
            "verdicts": [_verdict(verdicts[judge], row[f"{judge}_exchange"]) for judge in scores.judges],
            "others": [self._other(other) for other in self._of_entry[row["entry"]] if other is not row],
            "previous": self._address(self._at[place(row)] - 1),
            "next": self._address(self._at[place(row)] + 1),
            "report": self._report,
        }

    def _other(self, row: Row) -> dict[str, str]:
        title, page = self._scores.titles[row["configuration"]], self._addresses[place(row)]
        return {"title": title, "overall": shown(row["overall"], 2), "page": page}

    def _address(self, at: int) -> str:
        """Return the address of the capture in this place of the ledger, '' where there is none."""
        return self._addresses[place(self._scores.rows[at])] if 0 <= at < len(self._scores.rows) else ""


def derivation(scores: Scores, protocol: Mapping, row: Row) -> str:
    """Return how Overall comes from the averaged criteria, with this capture's numbers."""
    terms = " + ".join(f"{text(weight)} × {row[criterion]}" for criterion, weight in scores.weights.items())
    overall, limit = row["overall"], protocol["failure_threshold"]
    cap = f"min({row['weighted']}, {scores.cap} {row[scores.cap]})" if scores.cap else row["weighted"]
    verdict = f"failure: {overall} < {limit}" if row["failure"] == "yes" else f"no failure: {overall} ≥ {limit}"
    return f"weighted = {terms} = {row['weighted']}; overall = {cap} = {overall}; {verdict}"


def _line(scores: Scores, row: Row, criterion: str) -> dict:
    weight = scores.weights[criterion]
    return {
        "criterion": criterion.capitalize(),
        "said": [
            {"judge": judge, "score": row[f"{judge}_{criterion}"], "note": row[f"{judge}_note_{criterion}"]}
            for judge in scores.judges
        ],
        "mean": row[criterion],
        "weight": text(weight),
        "part": text(weight * exact(row[criterion])),
    }


def visual(artefact: Mapping) -> dict | None:
    """Return how a visual is shown: pictures only ever as an image, where no script runs; texts also as text."""
    if artefact["kind"] == "none":
        return None
    media_type, source = artefact["media_type"], artefact.get("text", "")
    image = ""
    if media_type in SHOWN_AS_IMAGE:
        data = artefact.get("base64") or base64.b64encode(source.encode("utf-8")).decode("ascii")
        image = f"data:{media_type};base64,{data}"
    return {"media_type": media_type, "sha256": artefact["sha256"], "image": image, "source": source}


def _amounts(row: Row) -> str:
    cost = f"${row['cost_usd']}" if row["cost_usd"] else "cost unknown"
    minutes = f"{row['minutes']} minutes" if row["minutes"] else "minutes unknown"
    return f"{cost}, {minutes}, {row['answer_characters']} characters"


def _verdict(verdict: Mapping, exchange: str) -> dict:
    repairs: Sequence[str] = verdict["repairs"]
    cost = verdict["cost_usd"]
    return {
        "judge": verdict["judge"],
        "model": verdict["judge_model"],
        "provider": verdict["provider"],
        "answered": verdict["model_answered"],
        "day": verdict["judged_on"],
        "asks": "once" if verdict["asks"] == 1 else f"{verdict['asks']} times",
        "repairs": f"repaired: {', '.join(repairs)}" if repairs else "reply read as it came",
        "cost": "cost unknown" if cost is None else f"${cost if isinstance(cost, int) else plain(cost)}",
        "exchange": exchange,
    }
