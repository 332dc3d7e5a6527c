"""Reports. Needs the tables; makes statistics, pictures and what people read. Nothing here costs anything.

Every caption is a file of report/, for Snakemake's own report and for report.html alike: a new caption makes both
again and nothing else.
"""

from assay.report.captions import PICTURES, captions, scatters

STATISTICS = "results/tables/statistics/{name}.tsv"
SCATTERS = scatters(CRITERIA, list(JUDGES))
DRAWN = [*PICTURES, *SCATTERS]
NAMES = ["report.html", "summary.md", "methodology.md", "ledger.csv", "summary.csv", "captures"]
REPORTS = expand("results/report/{name}", name=NAMES)


rule statistics:
    """Compute intervals, paired differences, the ranking, the judges' agreement and leanings, and the sensitivity."""
    input:
        ledger="results/tables/ledger.tsv",
        intake="results/intake.json",
        panel="results/panel.json",
    output:
        conclusions=report(
            STATISTICS.format(name="conclusions"),
            caption="../report/conclusions.rst",
            category="Configurations",
            labels={"result": "In words", "form": "table"},
        ),
        configurations=report(
            STATISTICS.format(name="configurations"),
            caption="../report/configurations.rst",
            category="Configurations",
            labels={"result": "Means with intervals", "form": "table"},
        ),
        ranking=report(
            STATISTICS.format(name="ranking"),
            caption="../report/ranking.rst",
            category="Configurations",
            labels={"result": "Ranking", "form": "table"},
        ),
        differences=report(
            STATISTICS.format(name="differences"),
            caption="../report/differences.rst",
            category="Configurations",
            labels={"result": "Paired differences", "form": "table"},
        ),
        sensitivity=report(
            STATISTICS.format(name="sensitivity"),
            caption="../report/sensitivity.rst",
            category="Configurations",
            labels={"result": "Other ways of scoring", "form": "table"},
        ),
        agreement=report(
            STATISTICS.format(name="agreement"),
            caption="../report/agreement.rst",
            category="Judges",
            labels={"result": "Agreement", "form": "table"},
        ),
        disagreements=report(
            STATISTICS.format(name="disagreements"),
            caption="../report/disagreements.rst",
            category="Judges",
            labels={"result": "Largest disagreements", "form": "table"},
        ),
        self_preference=report(
            STATISTICS.format(name="self_preference"),
            caption="../report/self_preference.rst",
            category="Judges",
            labels={"result": "Self-preference", "form": "table"},
        ),
        family_favour=report(
            STATISTICS.format(name="family_favour"),
            caption="../report/family_favour.rst",
            category="Judges",
            labels={"result": "Family favour", "form": "table"},
        ),
        length=report(
            STATISTICS.format(name="length"),
            caption="../report/length.rst",
            category="Judges",
            labels={"result": "Length", "form": "table"},
        ),
        halo=report(
            STATISTICS.format(name="halo"),
            caption="../report/halo.rst",
            category="Judges",
            labels={"result": "Halo", "form": "table"},
        ),
    log:
        "logs/statistics.log",
    conda:
        "../envs/assay.yaml"
    params:
        protocol=canonical(RUN.protocol),
        seed=RUN.config["seed"],
    message:
        "statistics, seed {params.seed}"
    shell:
        "python $SCRIPTS/compute_statistics.py --protocol {params.protocol:q} --ledger {input.ledger:q}"
        " --intake {input.intake:q} --panel {input.panel:q} --seed {params.seed} --output results/tables/statistics > {log:q} 2>&1"


rule figures:
    """Draw every picture as SVG, with its data as TSV beside it."""
    input:
        rules.statistics.output,
        ledger="results/tables/ledger.tsv",
        summary="results/tables/summary.tsv",
        intake="results/intake.json",
        panel="results/panel.json",
    output:
        [
            report(
                f"results/report/figures/{name}.svg",
                caption=f"../report/{name.partition('-')[0]}.rst",
                category="Judges" if name in SCATTERS else "Configurations",
                labels={"result": name.replace("-", ": ").capitalize(), "form": "picture"},
            )
            for name in DRAWN
        ],
        data=expand("results/report/figures/{name}.tsv", name=DRAWN),
    log:
        "logs/figures.log",
    conda:
        "../envs/assay.yaml"
    params:
        protocol=canonical(RUN.protocol),
    message:
        "figures"
    shell:
        "python $SCRIPTS/figures.py --protocol {params.protocol:q} --intake {input.intake:q} --panel {input.panel:q}"
        " --tables results/tables"
        " --output results/report/figures > {log:q} 2>&1"


rule report:
    """Write the score ledger, the configuration summary and the methodology note (Phase 7)."""
    input:
        ledger="results/tables/ledger.tsv",
        summary="results/tables/summary.tsv",
        intake="results/intake.json",
        panel="results/panel.json",
        answered="results/tables/answered.tsv",
        unjudged="results/tables/unjudged.tsv",
        checks="results/tables/checks.tsv",
        software="results/software.json",
    output:
        ledger=report(
            "results/report/ledger.csv",
            caption="../report/ledger.rst",
            category="Scores",
            labels={"result": "Ledger", "form": "table"},
        ),
        summary_csv=report(
            "results/report/summary.csv",
            caption="../report/summary.rst",
            category="Scores",
            labels={"result": "Configuration summary", "form": "table"},
        ),
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
        " --panel {input.panel:q} --software {input.software:q} --output results/report > {log:q} 2>&1"


rule report_page:
    """Write report.html, and beside it a page for each capture where their texts would not fit into one file."""
    input:
        rules.statistics.output,
        rules.figures.output,
        ledger="results/tables/ledger.tsv",
        summary="results/tables/summary.tsv",
        intake="results/intake.json",
        panel="results/panel.json",
        answered="results/tables/answered.tsv",
        unjudged="results/tables/unjudged.tsv",
        checks="results/tables/checks.tsv",
        packets=capture_paths("results/packets/{configuration}/{family}/{id}.json"),
        verdicts=rules.average.input.verdicts,
    output:
        page="results/report/report.html",
        captures=directory("results/report/captures"),
    log:
        "logs/report_page.log",
    conda:
        "../envs/assay.yaml"
    params:
        protocol=canonical(RUN.protocol),
        seed=RUN.config["seed"],
        captions=canonical(captions()),
        pictures=DRAWN,
    message:
        "report page: {output.page}"
    shell:
        "python $SCRIPTS/report_page.py --protocol {params.protocol:q} --captions {params.captions:q}"
        " --pictures {params.pictures:q} --seed {params.seed} --results results --output results/report > {log:q} 2>&1"
