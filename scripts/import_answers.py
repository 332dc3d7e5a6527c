"""Turn answers (JSON Lines, JSON array, CSV or TSV; one row per answer) into a bundle. See --help."""

import argparse
import datetime
from collections.abc import Sequence
from pathlib import Path

from assay.importing.answers import FAMILIES, Order, import_answers
from assay.importing.cells import Columns, slug
from assay.problems import UserError, log, run


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    made = argparse.ArgumentParser(
        description="Turn answers into a bundle that Assay can judge.",
        epilog="Columns are named as in the header (CSV, TSV) or as keys (JSON); dots lead into JSON: "
        "choices.0.turns.0. CSV and TSV cells may be quoted. Nothing is written unless everything is well.",
    )
    add = made.add_argument
    add("target", type=Path, help="bundle folder to make; it must not exist")
    add("answers", type=Path, nargs="+", help="files of answers: .jsonl, .ndjson, .json, .csv, .tsv")
    add("--entry-column", required=True, help="what was asked: the entry's id")
    add("--answer-column", required=True, help="the answer's text")
    add("--configuration-column", help="who answered (default: the file's name without its ending)")
    add("--model-column", help="the model's exact name (default: the configuration)")
    add("--prompt-column", required=True, help="the prompt's text, in the prompts file if there is one")
    add("--prompts-file", type=Path, help="separate file of prompts")
    add("--prompts-id-column", help="the entry's id in the prompts file (default: --entry-column)")
    add("--specs-folder", type=Path, required=True, help="one specification per category, named by it (or by entry)")
    add("--category-column", help="the entry's category, in the prompts file or the answers")
    add("--cost-column", help="cost in US dollars; empty = unknown")
    add("--minutes-column", help="wall-clock minutes; empty = unknown")
    add("--rejected-column", help="column that says which answers are set aside, with --rejected-value")
    add("--rejected-value", action="append", default=[], help="value that sets an answer aside (may be repeated)")
    add("--family", choices=FAMILIES, default="mode", help="family of the entries (default: mode)")
    add("--id", help="the bundle's id (default: from the folder's name)")
    add("--title", help="the bundle's title (default: its id)")
    add("--licence", help="licence of the texts")
    add("--role-map", type=Path, help="a frozen role map (optimum.yaml) to take as it is")
    add("--big1", metavar="PROVIDER/MODEL/ROUTE", help="first judge, instead of --role-map")
    add("--big2", metavar="PROVIDER/MODEL/ROUTE", help="second judge, instead of --role-map")
    add("--frozen", help="with --big1 and --big2: the day on which they were fixed (default: today)")
    return made


def role(text: str) -> dict[str, str]:
    """Split `provider/model/route`; the model's own name may hold slashes. Raises UserError if a part is missing."""
    provider, _, rest = text.partition("/")
    model, _, route = rest.rpartition("/")
    if not (provider and model and route):
        raise UserError(f"{text!r}: expected provider/model/route, such as openai/gpt-4.1/openai-chat")
    return {"model": model, "provider": provider, "route": route}


def role_map(given: argparse.Namespace) -> Path | dict[str, object]:
    """Return the role map that the options name. Raises UserError unless it is one file or two judges."""
    judges = {name: text for name, text in (("big1", given.big1), ("big2", given.big2)) if text is not None}
    if given.role_map is not None and not judges:
        return given.role_map
    if given.role_map is not None or len(judges) < 2:
        raise UserError("the judges are not clear: give either --role-map, or both --big1 and --big2")
    frozen = given.frozen or datetime.date.today().isoformat()
    return {"configuration": "optimum", "frozen": frozen, "roles": {name: role(judges[name]) for name in judges}}


def order(given: argparse.Namespace) -> Order:
    """Return the import that the options ask for."""
    if (given.rejected_column is None) != (not given.rejected_value):
        raise UserError("--rejected-column and --rejected-value belong together: give both or neither")
    bundle_id = given.id or slug(given.target.name)
    columns = Columns(
        entry=given.entry_column,
        answer=given.answer_column,
        configuration=given.configuration_column,
        model=given.model_column,
        prompt=given.prompt_column,
        category=given.category_column,
        cost=given.cost_column,
        minutes=given.minutes_column,
        rejected=given.rejected_column,
    )
    return Order(
        answers=given.answers,
        columns=columns,
        specs=given.specs_folder,
        bundle_id=bundle_id,
        title=given.title or bundle_id,
        role_map=role_map(given),
        prompts=given.prompts_file,
        prompts_id=given.prompts_id_column,
        rejected_values=given.rejected_value,
        family=given.family,
        licence=given.licence,
    )


def main(arguments: Sequence[str] | None = None) -> None:
    """Import as the command line says, and say what was made."""
    given = parser().parse_args(arguments)
    made = import_answers(order(given), given.target)
    for notice in made.notices:
        log(f"notice: {notice}")
    log(
        f"{given.target}: {made.entries} entries x {made.configurations} configurations, {made.accepted} answers "
        f"accepted, {made.rejected} set aside, {made.unscorable} entries unscorable"
    )


if __name__ == "__main__":
    run(main)
