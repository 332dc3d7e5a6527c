"""Reports. Needs the tables; makes what people read."""

REPORTS = expand("results/report/{name}", name=["ledger.csv", "summary.csv", "summary.md", "methodology.md"])


rule report:
    """Write the score ledger, the configuration summary and the methodology note (Phase 7)."""
    input:
        ledger="results/tables/ledger.tsv",
        summary="results/tables/summary.tsv",
        intake="results/intake.json",
        answered="results/tables/answered.tsv",
        unjudged="results/tables/unjudged.tsv",
        checks="results/tables/checks.tsv",
        software="results/software.json",
    output:
        ledger="results/report/ledger.csv",
        summary_csv="results/report/summary.csv",
        summary="results/report/summary.md",
        methodology="results/report/methodology.md",
    log:
        "logs/report.log",
    conda:
        "../envs/assay.yaml"
    params:
        protocol=canonical(RUN.protocol),
    message:
        "report: {output.summary}, {output.ledger}, {output.methodology}"
    shell:
        "python $SCRIPTS/report.py --protocol {params.protocol:q} --tables results/tables --intake {input.intake:q}"
        " --software {input.software:q} --output results/report > {log:q} 2>&1"
