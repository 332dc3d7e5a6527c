"""Composite (five-judge). Needs objective, detected, likeness and verdicts; makes the tables, and the fresh verdicts of
disputed runs when `snakemake adjudicate` asks for them. Apart from those, nothing here costs anything."""


checkpoint compose:
    """Combine the first verdicts of every run, and flag the disputed ones."""
    input:
        **FIRST,
    output:
        flagged="results/tables/flagged.tsv",
        unjudged="results/tables/unjudged.tsv",
    log:
        "logs/compose.log",
    conda:
        "../envs/assay.yaml"
    params:
        protocol=protocol_part(sorted(RUN.protocol)),
        judges=" ".join(JUDGES),
        partial="yes" if RUN.config["allow_partial"] else "no",
    message:
        "composite of {params.judges}, and disputes"
    shell:
        'python $SCRIPTS/compose.py --intake {input.intake:q} --protocol "$ASSAY_PROTOCOL" --judges {params.judges}'
        " --partial {params.partial:q} --flagged {output.flagged:q} --unjudged {output.unjudged:q} > {log:q} 2>&1"


rule settle:
    """Set the fresh verdicts of disputed runs against the first, and write all tables."""
    input:
        **FIRST,
        flagged="results/tables/flagged.tsv",
        fresh=fresh_verdicts,
    output:
        runs="results/tables/runs.json",
        ledger="results/tables/ledger.tsv",
        summary="results/tables/summary.tsv",
        quarantined="results/tables/quarantined.tsv",
        disputes="results/tables/disputes.tsv",
        answered="results/tables/answered.tsv",
    log:
        "logs/settle.log",
    conda:
        "../envs/assay.yaml"
    params:
        protocol=protocol_part(sorted(RUN.protocol)),
        judges=" ".join(JUDGES),
        reviews=canonical(RUN.config["reviews"]),
    message:
        "tables: ledger, agents, quarantined runs, disputes"
    shell:
        'python $SCRIPTS/settle.py --intake {input.intake:q} --protocol "$ASSAY_PROTOCOL" --judges {params.judges}'
        " --reviews {params.reviews:q} --fresh {input.fresh:q} --output results/tables > {log:q} 2>&1"


if ADJUDICATE:

    use rule judge as judge_again with:
        output:
            ADJUDICATED,
        log:
            "logs/adjudication/{configuration}/{family}/{id}/{judge}.log",
        params:
            judge=digest_of,
            to_do=lambda wildcards, input: to_do(wildcards, input, round=2),
            round=2,
        message:
            "fresh verdict, {params.to_do}: {wildcards.family}:{wildcards.id} by {wildcards.configuration}, judge {wildcards.judge}"


rule adjudicate:
    """Buy fresh verdicts for the flagged runs, and bring tables and reports up to date."""
    input:
        adjudicated_reports,
    log:
        "logs/adjudicate.log",
    conda:
        "../envs/assay.yaml"
    params:
        disputes="results/tables/disputes.tsv",
    message:
        "adjudicated: see {params.disputes}"
    shell:
        "cut -f 1-3,6-9 {params.disputes:q} | tee {log:q}"
