"""Evidence (five-judge). Needs the run folders; makes what needs no model, and the packets of the model judges.

Each job reads only the files that its output depends on, so a changed file is judged again by those who see it.
"""

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


rule objective:
    """Score one run by its evidence: tests, build, crashes, security findings, benchmarks. No model."""
    input:
        held_files(lambda held, wildcards: objective_files(held)),
    output:
        "results/objective/{configuration}/{family}/{id}.json",
    log:
        "logs/objective/{configuration}/{family}/{id}.log",
    conda:
        "../envs/assay.yaml"
    params:
        folder=lambda wildcards: str(RUN_FOLDER[key_of(wildcards)]),
        protocol=protocol_part(OBJECTIVE_PARTS),
    message:
        "objective: {wildcards.family}:{wildcards.id} by {wildcards.configuration}"
    shell:
        'python $SCRIPTS/objective.py --folder {params.folder:q} --protocol "$ASSAY_PROTOCOL" --files {input:q}'
        " --output {output:q} > {log:q} 2>&1"


rule detect:
    """Compute one run's metrics, settle its claims, run the detectors, and draw its timeline."""
    input:
        held_files(lambda held, wildcards: held),
    output:
        detected="results/detected/{configuration}/{family}/{id}.json",
        timeline="results/report/runs/{configuration}/{family}/{id}.svg",
    log:
        "logs/detected/{configuration}/{family}/{id}.log",
    conda:
        "../envs/assay.yaml"
    params:
        folder=lambda wildcards: str(RUN_FOLDER[key_of(wildcards)]),
        protocol=protocol_part(DETECTED_PARTS),
    message:
        "metrics and detectors: {wildcards.family}:{wildcards.id} by {wildcards.configuration}"
    shell:
        'python $SCRIPTS/detect.py --folder {params.folder:q} --protocol "$ASSAY_PROTOCOL"'
        " --output {output.detected:q} --timeline {output.timeline:q} > {log:q} 2>&1"


rule compare:
    """Compare all agents' changes to one challenge, without what both share with the starting point."""
    input:
        changes=changes_of,
        start=lambda wildcards: start_files(RUN.bundle, RUN.bundle.entries[f"{wildcards.family}:{wildcards.id}"]),
    output:
        "results/likeness/{family}/{id}.json",
    log:
        "logs/likeness/{family}/{id}.log",
    conda:
        "../envs/assay.yaml"
    params:
        agents=agents_of,
        protocol=protocol_part(["detectors"]),
    message:
        "likeness of the changes to {wildcards.family}:{wildcards.id}"
    shell:
        "python $SCRIPTS/compare.py --agents {params.agents:q} --changes {input.changes:q} --start {input.start:q}"
        ' --protocol "$ASSAY_PROTOCOL" --output {output:q} > {log:q} 2>&1'


rule view:
    """Build the packet of one judge: the part of a run that it may see, with the Objective result."""
    input:
        objective="results/objective/{configuration}/{family}/{id}.json",
        files=held_files(lambda held, wildcards: files_of_view(wildcards.view, held, RUN.protocol)),
    output:
        "results/packets/{configuration}/{family}/{id}/{view}.json",
    log:
        "logs/packets/{configuration}/{family}/{id}/{view}.log",
    conda:
        "../envs/assay.yaml"
    params:
        card=lambda wildcards: RUN.card(capture_of(wildcards), wildcards.view),
    message:
        "packet of {wildcards.family}:{wildcards.id} by {wildcards.configuration} for {wildcards.view}"
    shell:
        'python $SCRIPTS/view.py --card {params.card:q} --protocol "$ASSAY_PROTOCOL" --objective {input.objective:q}'
        " --files {input.files:q} --output {output:q} > {log:q} 2>&1"
