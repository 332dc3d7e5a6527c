"""Assay: judge a finished bundle of answers, and make tables that anyone can check.

Every path that the rules write is one of
    results/{intake,panel}.json                                    what is judged, what is not, by whom
    results/software.json                                          which software made the tables
    results/checks/{judge}.json                                    proof that a judge answers at all
    results/packets/{configuration}/{family}/{id}.json             what the judges are shown
    results/verdicts/{configuration}/{family}/{id}/{judge}.json    what one judge said of one capture
    results/tables/{averaged,scored,ledger,summary}.tsv            the scores, phase by phase
    results/tables/checks.tsv                                      the failure modes, each looked for
    results/report/...                                             what people read
    archive/{run}.tar.xz                                           all of it in one file, to be verified elsewhere
and every answer that was ever paid for is under store/.
"""

from snakemake.utils import min_version

min_version("9.20")


configfile: "config/config.yaml"


include: "rules/common.smk"
include: "rules/intake.smk"
include: "rules/judging.smk"
include: "rules/scoring.smk"
include: "rules/report.smk"
include: "rules/plan.smk"
include: "rules/archive.smk"


rule all:
    """Judge everything that is not judged yet, and bring tables and reports up to date."""
    default_target: True
    input:
        REPORTS,


onsuccess:
    print(f"\nLedger:      {REPORTS[0]}\nSummary:     {REPORTS[2]}\nMethodology: {REPORTS[3]}")
