"""Reports. Needs the tables; makes what people read."""

NAMES = ["ledger.csv", "summary.csv", "summary.md", "methodology.md"]
REPORTS = expand("results/report/{name}", name=NAMES)


rule report:
    """Write the score ledger, the configuration summary and the methodology note (Phase 7)."""
    input:
        ledger="results/tables/ledger.tsv",
        summary="results/tables/summary.tsv",
        intake="results/intake.json",
        panel="results/panel.json",
        answered="results/tables/answered.tsv",
        unjudged="results/tables/unjudged.tsv",
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
        " --panel {input.panel:q} --output results/report > {log:q} 2>&1"
