"""Judging. Needs the bundle's files and the panel; makes packets, judge checks and verdicts.

No packet or verdict has another verdict among its inputs: judges are independent because the graph is.
"""


rule packet:
    """Build what the judges are shown of one capture, and nothing else."""
    input:
        panel=ancient("results/panel.json"),
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
        "python -S -E $SCRIPTS/packet.py --card {params.card:q} --panel {input.panel:q} --prompt {input.prompt:q} --specification {input.specification:q} --answer {input.answer:q} --visual {input.visual:q} --output {output:q} > {log:q} 2>&1"


rule judge_check:
    """Ask one judge one small question before anything is judged."""
    input:
        panel=ancient("results/panel.json"),
    output:
        "results/checks/{judge}.json",
    log:
        "logs/checks/{judge}.log",
    conda:
        "../envs/assay.yaml"
    params:
        judge=lambda wildcards: judge_of(wildcards).digest(),
    message:
        "judge check of {wildcards.judge}"
    shell:
        "python $SCRIPTS/judge_check.py --judge {wildcards.judge:q} --panel {input.panel:q} --output {output:q} > {log:q} 2>&1"


rule judge:
    """Get one judge's verdict of one capture: replayed from the store, or bought."""
    input:
        packet="results/packets/{configuration}/{family}/{id}.json",
        panel=ancient("results/panel.json"),
        checks=ancient(expand("results/checks/{judge}.json", judge=JUDGES)),
    output:
        "results/verdicts/{configuration}/{family}/{id}/{judge}.json",
    log:
        "logs/verdicts/{configuration}/{family}/{id}/{judge}.log",
    conda:
        "../envs/assay.yaml"
    resources:
        **CALLS,
    params:
        judge=lambda wildcards: judge_of(wildcards).digest(),
        to_do=to_do,
    message:
        "{params.to_do}: {wildcards.family}:{wildcards.id} by {wildcards.configuration}, judge {wildcards.judge}"
    shell:
        "python -S -E $SCRIPTS/judge.py --judge {wildcards.judge:q} --packet {input.packet:q} --panel {input.panel:q} --output {output:q} > {log:q} 2>&1"
