"""Snakemake's scheduler, with a cost per job that does not grow with the number of jobs.

Before each choice of jobs to start, Snakemake resets every job that is ready, lists all that are left, and asks the
disk for the sizes of input files: a good part of the time of its main process, and more with every further job. None of
it matters to the greedy scheduler of profiles/default, which looks at a few of the ready jobs and not at sizes.
"""

import random
from collections.abc import Iterable, Sequence

from snakemake.jobs import AbstractJob
from snakemake.scheduling.greedy import Scheduler as GreedyScheduler
from snakemake.scheduling.job_scheduler import JobScheduler


class SteadyScheduler(JobScheduler):
    """Looks at `subsample` of the ready jobs only, and hands them straight to the greedy choice."""

    @property
    def open_jobs(self) -> list[AbstractJob]:
        """Return the ready jobs that this round looks at, drawn so that no kind of job is passed over for ever."""
        ready = self.workflow.dag.ready_jobs
        return random.sample(tuple(ready), min(self.subsample, len(ready)))

    def job_selector(self, jobs: Iterable[AbstractJob]) -> Sequence[AbstractJob]:
        """Return the jobs to start now, and take what they need from the resources that are free."""
        for job in jobs:
            self.validate_job(job)
        with self._lock:
            if self.resources["_cores"] == 0:
                return []
            selected = self._job_selector(jobs, (), self.resources, {})
            self.update_available_resources(selected)
        return selected


def steady(scheduler: JobScheduler, cores: int) -> None:
    """Make the scheduler of local jobs quick. Another choice of jobs than that of profiles/default is left as it is."""
    # The limit of jobs per second looks at the whole queue again, every second, once for every job that ever started.
    scheduler.job_rate_limiter = None
    # A round starts no more jobs than it looks at, and the next one waits until a job has ended.
    scheduler.subsample = max(scheduler.subsample or 0, cores)
    choice = scheduler._scheduler
    if isinstance(choice, GreedyScheduler) and choice.settings.omit_prioritize_by_temp_and_input:
        scheduler.__class__ = SteadyScheduler
