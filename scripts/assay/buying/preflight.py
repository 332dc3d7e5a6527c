"""Before anything is bought: would the first call of a judge fail for want of a key, an address or a price?"""

from collections.abc import Mapping

from assay.buying.budget import unbounded
from assay.buying.keys import check_address, read_key
from assay.buying.panel import judge_settings
from assay.problems import UserError
from assay.routes import EMBEDDED, route


def obstacle(panel: Mapping, entry: Mapping, environ: Mapping[str, str]) -> str:
    """Say what keeps a judge from being asked, and what to do; '' if nothing does. The key itself is never shown.

    `panel` is results/panel.json, `entry` the judge's part of it.
    """
    identity = entry["identity"]
    if identity["route"] == EMBEDDED:
        return ""
    judge = judge_settings(panel, entry)
    try:
        check_address(route(judge.route).endpoint(judge.base_url, judge.model))
        if judge.key_env:
            read_key(judge.key_env, environ)
    except UserError as error:
        return f"judge {judge.id}: {error}"
    if judge.budget_usd is None:
        return ""
    return unbounded(judge.id, judge.route, judge.model, identity["parameters"], judge.price)
