"""Assay: judge a finished bundle of answers, and make tables that anyone can check.

Every path that the rules write is one of
    results/{intake,panel}.json                                    what is judged, what is not, by whom
    results/software.json                                          which software made the tables
    results/checks/{judge}.json                                    proof that a judge answers at all
    results/packets/{configuration}/{family}/{id}.json             what the judges are shown
    results/packets/{configuration}/{family}/{id}/{judge}.json     (five-judge: each judge sees its own part)
    results/verdicts/{configuration}/{family}/{id}/{judge}.json    what one judge said of one capture
    results/tables/{averaged,scored,ledger,summary}.tsv            the scores, phase by phase
    results/tables/statistics/{name}.tsv                           how sure the scores are, and what the judges are like
    results/tables/checks.tsv                                      the failure modes, each looked for
    results/report/...                                             what people read
    archive/{run}.tar.xz                                           all of it in one file, to be verified elsewhere
and every answer that was ever paid for is under store/.
"""

import gc
import os

from snakemake.utils import min_version

min_version("9.20")

# The graph of a run is a million objects that stay: looking through them for garbage again and again is a fifth of the
# time of a dry run. What was imported stays too.
gc.freeze()
gc.set_threshold(200_000, 20, 100)


report: "report/workflow.rst"


include: "rules/config.smk"


configfile: "config/config.yaml"


include: "rules/common.smk"
include: "rules/intake.smk"
include: "rules/judging.smk"


if RUN.bundle.recorded:

    include: "rules/recorded.smk"
    include: "rules/evidence.smk"
    include: "rules/composite.smk"
    include: "rules/breakdown.smk"

else:

    include: "rules/scoring.smk"
    include: "rules/report.smk"


include: "rules/plan.smk"
include: "rules/archive.smk"


rule all:
    """Judge everything that is not judged yet, and bring tables and reports up to date."""
    default_target: True
    input:
        REPORTS,


# On a cluster only the groups of profiles/slurm go to the nodes: the rest takes less time than waiting for a node.
workflow.localrules(*(rule.name for rule in workflow.rules))

if workflow.remote_exec:

    include: "rules/node.smk"


onstart:
    print(f"The scores of this run: {FORMULA}")
    begin()
    if workflow.local_exec:
        steady(workflow.scheduler, workflow.cores or 0)


onsuccess:
    end()
    if everything():
        print(f"\nResults are in {os.path.abspath('results/report')}: {', '.join(NAMES)}")


onerror:
    end()
