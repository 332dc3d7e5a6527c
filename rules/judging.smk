"""Judging. Needs the bundle's files; makes the panel, packets, judge checks and verdicts.

No packet or verdict has another verdict among its inputs: judges are independent because the graph is.

What may change without another verdict (budget, limits, prices) reaches the jobs as $ASSAY_PANEL, not as an input:
Snakemake would judge again for a changed file, and for an `ancient` one it would not look at the params of any job
behind it in the run that makes the file anew.
"""


rule panel:
    """Write down the judges and what the run changes, and state the formula before anything is judged."""
    output:
        "results/panel.json",
    log:
        "logs/panel.log",
    priority: 1
    conda:
        "../envs/assay.yaml"
    params:
        panel=sha256(PANEL),
        formula=FORMULA,
        judges=", ".join(f"{judge.id} is {judge.model} by {judge.route}" for judge in RUN.judges),
    message:
        "panel of the run {RUN.id}: {params.judges}; {params.formula}"
    shell:
        'python $SCRIPTS/panel.py --formula {params.formula:q} --panel "$ASSAY_PANEL" --output {output:q} > {log:q} 2>&1'


rule packet:
    """Build what the judges are shown of one capture, and nothing else."""
    input:
        prompt=capture_file("prompt"),
        specification=capture_file("specification"),
        answer=capture_file("answer"),
        visual=capture_file("visual"),
    output:
        "results/packets/{configuration}/{family}/{id}.json",
    log:
        "logs/packets/{configuration}/{family}/{id}.log",
    conda:
        "../envs/assay.yaml"
    params:
        card=card,
    message:
        "packet of {wildcards.family}:{wildcards.id} by {wildcards.configuration}"
    shell:
        "python -S -E $SCRIPTS/run_job.py packet --card {params.card:q} --prompt {input.prompt:q} --specification {input.specification:q} --answer {input.answer:q} --visual {input.visual:q} --output {output:q} > {log:q} 2>&1"


rule judge_check:
    """Ask one judge one small question before anything is judged."""
    output:
        "results/checks/{judge}.json",
    log:
        "logs/checks/{judge}.log",
    conda:
        "../envs/assay.yaml"
    params:
        judge=digest_of,
    message:
        "judge check of {wildcards.judge}"
    shell:
        'python $SCRIPTS/judge_check.py --judge {wildcards.judge:q} --panel "$ASSAY_PANEL" --output {output:q} > {log:q} 2>&1'


rule judge:
    """Get one judge's verdict of one capture: replayed from the store, or bought."""
    input:
        packet=packet_of,
        checks=expand("results/checks/{judge}.json", judge=JUDGES),
    output:
        "results/verdicts/{configuration}/{family}/{id}/{judge}.json",
    log:
        "logs/verdicts/{configuration}/{family}/{id}/{judge}.log",
    conda:
        "../envs/assay.yaml"
    resources:
        **CALLS,
    params:
        judge=digest_of,
        to_do=to_do,
        round=1,
    message:
        "{params.to_do}: {wildcards.family}:{wildcards.id} by {wildcards.configuration}, judge {wildcards.judge}"
    shell:
        'python -S -E $SCRIPTS/run_job.py judge --judge {wildcards.judge:q} --packet {input.packet:q} --configuration {wildcards.configuration:q} --round {params.round:q} --panel "$ASSAY_PANEL" --output {output:q} > {log:q} 2>&1'
