"""Evidence (five-judge). Needs the run folders; makes what needs no model, and the packets of the model judges.

Each job reads only the files that its output depends on, so a changed file is judged again by those who see it.
"""


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
        'python $SCRIPTS/run_job.py view --card {params.card:q} --protocol "$ASSAY_PROTOCOL" --objective {input.objective:q}'
        " --files {input.files:q} --output {output:q} > {log:q} 2>&1"
