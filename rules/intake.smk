"""Intake. Needs the bundle's sheets and files; makes results/intake.json and results/panel.json."""


rule intake:
    """Check the whole bundle in one pass, count the scored set, and freeze the panel."""
    input:
        bundle_files,
    output:
        intake="results/intake.json",
        panel="results/panel.json",
    log:
        "logs/intake.log",
    conda:
        "../envs/assay.yaml"
    params:
        config=CONFIG,
        formula=FORMULA,
    message:
        "intake of {RUN.bundle.id}: {params.formula}"
    shell:
        "python $SCRIPTS/intake.py --config {params.config:q} --intake {output.intake:q} --panel {output.panel:q}"
        " > {log:q} 2>&1"
