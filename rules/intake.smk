"""Intake. Needs the bundle's sheets and files; makes results/intake.json."""


rule intake:
    """Check the whole bundle in one pass, and count the scored set."""
    input:
        bundle_files,
    output:
        "results/intake.json",
    log:
        "logs/intake.log",
    conda:
        "../envs/assay.yaml"
    params:
        bundle=str(RUN.bundle.folder),
    message:
        "intake of {RUN.bundle.id}: {RUN.set.counts}"
    shell:
        "python $SCRIPTS/intake.py --bundle {params.bundle:q} --output {output:q} > {log:q} 2>&1"
