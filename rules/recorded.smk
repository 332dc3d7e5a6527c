"""What the rules for recorded runs (five-judge) share: paths, and the functions that answer the rules' questions."""

from assay.fivejudge.documents import DETECTED_PARTS, OBJECTIVE_PARTS, objective_files
from assay.fivejudge.intake import start_files
from assay.fivejudge.packets import files_of_view
from assay.protocols.five_judge import part
from assay.sheets import read_tsv

RUN_FOLDER = {key: RUN.bundle.folder / capture.run for key, capture in CAPTURES.items()}
HELD = {key: RUN.files(capture) for key, capture in CAPTURES.items()}


def key_of(wildcards):
    """Return the key of CAPTURES that a path's wildcards name."""
    capture_of(wildcards)
    return wildcards.configuration, wildcards.family, wildcards.id


def held_files(names):
    """Return the input function for some files of a run folder: `names` picks from (names held, wildcards)."""

    def paths(wildcards):
        held = HELD[key_of(wildcards)]
        return [held[name] for name in names(held, wildcards)]

    return paths


def agents_of(wildcards):
    """Return the configurations that have a run of an entry to judge, in the bundle's order."""
    return [c for c, family, id in CAPTURES if (family, id) == (wildcards.family, wildcards.id)]


def changes_of(wildcards):
    """Return the diffs of all agents' runs of an entry, in the order of agents_of."""
    return [HELD[c, wildcards.family, wildcards.id]["changes.diff"] for c in agents_of(wildcards)]


def protocol_part(names):
    """Return the digest of some parts of the protocol: a job is run again when one of them changes, and only then."""
    return sha256(part(RUN.protocol, names))


PAGES = capture_paths("results/report/runs/{configuration}/{family}/{id}.md")
TIMELINES = capture_paths("results/report/runs/{configuration}/{family}/{id}.svg")
NAMES = ["ledger.csv", "summary.csv", "summary.md", "methodology.md"]
REPORTS = expand("results/report/{name}", name=NAMES) + PAGES + TIMELINES

# Fresh verdicts cost money, so the rule that makes them exists only when it is asked for by name, by the user or, on a
# cluster, by the job itself (Snakemake does not yet know its targets here). Those that are there always count.
ADJUDICATE = any(word == "adjudicate" or word.startswith("judge_again:") for word in sys.argv[1:])
ADJUDICATED = "results/adjudication/{configuration}/{family}/{id}/{judge}.json"


def likeness_paths():
    """Return the comparison of every entry that has a run to judge."""
    return sorted({f"results/likeness/{family}/{id}.json" for _, family, id in CAPTURES})


def fresh_verdicts(wildcards):
    """Return the fresh verdicts that count: of all flagged runs when they are asked for, else those that are there."""
    if not ADJUDICATE:
        places = [ADJUDICATED.format(configuration=c, family=f, id=i, judge=j) for c, f, i in CAPTURES for j in JUDGES]
        return [place for place in places if Path(place).exists()]
    flagged = {
        (row["configuration"], *row["entry"].split(":"), judge)
        for row in read_tsv(Path(checkpoints.compose.get().output.flagged))
        for judge in row["roles"].split()
    }
    return [ADJUDICATED.format(configuration=c, family=f, id=i, judge=j) for c, f, i, j in sorted(flagged)]


FIRST = {
    "intake": "results/intake.json",
    "objective": capture_paths("results/objective/{configuration}/{family}/{id}.json"),
    "detected": capture_paths("results/detected/{configuration}/{family}/{id}.json"),
    "likeness": likeness_paths(),
    "verdicts": all_verdicts,
}


def adjudicated_reports(wildcards):
    """Return the reports that adjudication brings up to date."""
    if not ADJUDICATE:
        raise WorkflowError("adjudication buys verdicts: ask for the target `adjudicate` on the command line")
    return REPORTS
