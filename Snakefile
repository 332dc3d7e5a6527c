"""Assay: judge a finished bundle of answers, and make tables that anyone can check.

Every path that the rules write is one of
    results/{intake,panel}.json                                    what is judged, what is not, by whom
    results/checks/{judge}.json                                    proof that a judge answers at all
    results/packets/{configuration}/{family}/{id}.json             what the judges are shown
    results/verdicts/{configuration}/{family}/{id}/{judge}.json    what one judge said of one capture
    results/tables/{averaged,scored,ledger,summary}.tsv            the scores, phase by phase
    results/tables/statistics/{name}.tsv                           how sure the scores are, and what the judges are like
    results/report/...                                             what people read
and every answer that was ever paid for is under store/.
"""

from snakemake.utils import min_version

min_version("9.20")


report: "report/workflow.rst"


configfile: "config/config.yaml"


include: "rules/common.smk"
include: "rules/intake.smk"
include: "rules/judging.smk"
include: "rules/scoring.smk"
include: "rules/report.smk"
include: "rules/plan.smk"


rule all:
    """Judge everything that is not judged yet, and bring tables and reports up to date."""
    default_target: True
    input:
        REPORTS,


onsuccess:
    print(
        f"\nReport:      {REPORTS[0]}\nSummary:     {REPORTS[1]}\nMethodology: {REPORTS[2]}\nLedger:      {REPORTS[3]}"
    )
