"""From the panel (assay.run.panel_document) to what buying needs to know about one judge."""

from collections.abc import Mapping
from datetime import UTC, datetime
from decimal import Decimal

from assay.buying.settings import JudgeSettings
from assay.cost import price_of

_RENAMED = {
    "connect_timeout_seconds": "connect_seconds",
    "read_timeout_seconds": "read_seconds",
    "max_wait_seconds": "total_seconds",
}


def judge_settings(panel: Mapping, entry: Mapping) -> JudgeSettings:
    """Return the settings of one judge; `entry` is its part of the panel. The price is today's."""
    identity, provider = entry["identity"], entry["provider"]
    today = datetime.now(UTC).strftime("%Y-%m-%d")
    settings = {_RENAMED.get(name, name): value for name, value in entry["settings"].items()}
    settings |= {name: float(value) for name, value in settings.items() if name.endswith("_seconds")}
    return JudgeSettings(
        id=identity["judge"],
        route=identity["route"],
        model=identity["model"],
        base_url=provider["base_url"],
        key_env=provider.get("key_env"),
        auth=provider.get("auth", "bearer"),
        price=price_of(entry["prices"], identity["model"], today),
        budget_usd=None if panel["budget_usd"] is None else Decimal(panel["budget_usd"]),
        in_doubt=panel["in_doubt"],
        **{**settings, "accepted_ids": tuple(settings.get("accepted_ids", ()))},
    )
