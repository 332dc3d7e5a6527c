"""Reports (five-judge). Needs the tables and what they were made of; makes what people read."""


rule breakdown:
    """Write the ledger and the agents' table, the summary, the methodology note, and a page for each run."""
    input:
        runs="results/tables/runs.json",
        ledger="results/tables/ledger.tsv",
        summary="results/tables/summary.tsv",
        answered="results/tables/answered.tsv",
        unjudged="results/tables/unjudged.tsv",
        intake="results/intake.json",
        panel="results/panel.json",
        checks="results/tables/checks.tsv",
        software="results/software.json",
    output:
        ledger="results/report/ledger.csv",
        summary_csv="results/report/summary.csv",
        summary="results/report/summary.md",
        methodology="results/report/methodology.md",
        pages=PAGES,
    log:
        "logs/report.log",
    conda:
        "../envs/assay.yaml"
    params:
        protocol=protocol_part(sorted(RUN.protocol)),
    message:
        "report: {output.summary}, {output.ledger}, {output.methodology}, and a page for each run"
    shell:
        'python $SCRIPTS/breakdown.py --protocol "$ASSAY_PROTOCOL" --intake {input.intake:q} --panel {input.panel:q}'
        " --software {input.software:q} --results results --output results/report > {log:q} 2>&1"
