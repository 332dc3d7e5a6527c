"""Scoring. Needs the verdicts; makes the tables, phase by phase. Pure arithmetic: nothing here costs anything."""


rule average:
    """Average the judges per criterion (Phase 3)."""
    input:
        intake="results/intake.json",
        verdicts=all_verdicts,
    output:
        averaged="results/tables/averaged.tsv",
        answered="results/tables/answered.tsv",
        unjudged="results/tables/unjudged.tsv",
    log:
        "logs/average.log",
    conda:
        "../envs/assay.yaml"
    params:
        partial="yes" if RUN.config["allow_partial"] else "no",
        judges=" ".join(JUDGES),
        criteria=" ".join(CRITERIA),
    message:
        "average {params.judges} over {params.criteria}"
    shell:
        "python $SCRIPTS/average.py --intake {input.intake:q} --judges {params.judges} --criteria {params.criteria}"
        " --partial {params.partial:q} --output {output.averaged:q} --answered {output.answered:q}"
        " --unjudged {output.unjudged:q} > {log:q} 2>&1"


rule cap:
    """Weigh the criteria and cap Overall (Phase 4)."""
    input:
        "results/tables/averaged.tsv",
    output:
        "results/tables/scored.tsv",
    log:
        "logs/cap.log",
    conda:
        "../envs/assay.yaml"
    params:
        weights=canonical([{"id": c["id"], "weight": c["weight"]} for c in RUN.protocol["criteria"]]),
        cap=RUN.protocol["cap"] or "",
    message:
        "weigh the criteria, cap Overall at {params.cap}"
    shell:
        "python $SCRIPTS/cap.py --averaged {input:q} --weights {params.weights:q} --cap {params.cap:q}"
        " --output {output:q} > {log:q} 2>&1"


rule classify:
    """Mark the failures and write the ledger (Phase 5)."""
    input:
        "results/tables/scored.tsv",
    output:
        "results/tables/ledger.tsv",
    log:
        "logs/classify.log",
    conda:
        "../envs/assay.yaml"
    params:
        threshold=RUN.protocol["failure_threshold"],
        criteria=" ".join(CRITERIA),
    message:
        "classify: a failure is Overall under {params.threshold}"
    shell:
        "python $SCRIPTS/classify.py --scored {input:q} --threshold {params.threshold:q} --criteria {params.criteria}"
        " --output {output:q} > {log:q} 2>&1"


rule aggregate:
    """Summarise each configuration (Phase 6)."""
    input:
        ledger="results/tables/ledger.tsv",
        intake="results/intake.json",
    output:
        "results/tables/summary.tsv",
    log:
        "logs/aggregate.log",
    conda:
        "../envs/assay.yaml"
    params:
        criteria=" ".join(CRITERIA),
        rounding=canonical(RUN.protocol["rounding"]),
    message:
        "aggregate by configuration"
    shell:
        "python $SCRIPTS/aggregate.py --ledger {input.ledger:q} --intake {input.intake:q} --criteria {params.criteria}"
        " --rounding {params.rounding:q} --output {output:q} > {log:q} 2>&1"
