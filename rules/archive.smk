"""Proof. Needs a finished run; makes its checks and its archive, verifies it, and compares it with another run."""

ARCHIVE = f"archive/{RUN.id}.tar.xz"


rule software:
    """Record which software makes the tables and reports."""
    output:
        "results/software.json",
    log:
        "logs/software.log",
    conda:
        "../envs/assay.yaml"
    params:
        versions=canonical(present_versions()),
    message:
        "software: {params.versions}"
    shell:
        "python $SCRIPTS/software.py --output {output:q} > {log:q} 2>&1"


rule check_run:
    """Look for the specification's failure modes in what the run left behind."""
    input:
        intake="results/intake.json",
        panel="results/panel.json",
        packets=packet_paths(),
        answered="results/tables/answered.tsv",
        ledger="results/tables/ledger.tsv",
        summary="results/tables/summary.tsv",
    output:
        "results/tables/checks.tsv",
    log:
        "logs/check_run.log",
    conda:
        "../envs/assay.yaml"
    params:
        protocol=sha256(RUN.protocol),
        bundle=str(RUN.bundle.folder),
    message:
        "checks of the finished run"
    shell:
        'python $SCRIPTS/check_run.py --protocol "$ASSAY_PROTOCOL" --bundle {params.bundle:q} --output {output:q}'
        " > {log:q} 2>&1"


rule archive:
    """Derive the run again from its bundle and its exchanges, and pack it into one file: same run, same bytes."""
    input:
        REPORTS,
        config="config/config.yaml",
    output:
        ARCHIVE,
    log:
        "logs/archive.log",
    conda:
        "../envs/assay.yaml"
    params:
        config=canonical(CONFIG),
    message:
        "archive: {output}"
    shell:
        "python $SCRIPTS/archive.py --config {params.config:q} --output {output:q} 2>&1 | tee {log:q}"


rule verify:
    """Derive everything again from the bundle and the exchanges, without a key or a network, and compare bytes.

    It has no input, so that it never judges: what is not there is reported as missing.
    """
    log:
        "logs/verify.log",
    conda:
        "../envs/assay.yaml"
    params:
        config=canonical(CONFIG),
    message:
        "verify: packets, requests, verdicts, tables and reports"
    shell:
        "python $SCRIPTS/verify.py . --config {params.config:q} 2>&1 | tee {log:q}"


rule diff:
    """Say what differs between the run of --config other=PATH (a work directory or an archive) and this one, and why."""
    log:
        "logs/diff.log",
    conda:
        "../envs/assay.yaml"
    params:
        other=other_run,
    message:
        "diff: {params.other} against this run"
    shell:
        "python $SCRIPTS/diff.py {params.other:q} . 2>&1 | tee {log:q}"
