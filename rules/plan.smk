"""Planning. Needs the packets; says what judging would cost. No key, no network, and nothing is judged."""


rule plan:
    """Print calls, tokens and money per judge, split into stored and to buy; write results/plan.tsv.

    It has no output, because what is stored changes behind Snakemake's back: asked for, it always runs.
    """
    input:
        intake="results/intake.json",
        panel="results/panel.json",
        packets=packet_paths(),
    log:
        "logs/plan.log",
    conda:
        "../envs/assay.yaml"
    params:
        formula=FORMULA,
    message:
        "plan: {params.formula}"
    shell:
        "python $SCRIPTS/plan.py --intake {input.intake:q} --panel {input.panel:q} --formula {params.formula:q} --output results/plan.tsv | tee {log:q}"
