"""The scheduler that looks at a few ready jobs: the limits of Snakemake's own hold, and no job is passed over."""

import sys
import threading
from types import SimpleNamespace

import pytest
from snakemake.scheduling.greedy import Scheduler as GreedyScheduler
from snakemake.scheduling.greedy import SchedulerSettings
from snakemake.scheduling.job_scheduler import JobScheduler

from assay.scheduling import SteadyScheduler, steady


class Job:
    """What the scheduler sees of a job."""

    priority, rule = 0, SimpleNamespace(name="judge")

    def __init__(self, **resources: int) -> None:
        self.scheduler_resources = {"_cores": 1, **resources}


def jobs(count: int, **resources: int) -> set[Job]:
    return {Job(**resources) for _ in range(count)}


def scheduler(ready: set[Job], omit: bool = True, subsample: int = 24, **resources: int) -> JobScheduler:
    """Return Snakemake's scheduler in the middle of a run, with these jobs ready and these resources free."""
    made = JobScheduler.__new__(JobScheduler)
    made.workflow = SimpleNamespace(dag=SimpleNamespace(ready_jobs=ready))
    made.subsample, made.job_rate_limiter = subsample, object()
    made._scheduler = GreedyScheduler(None, SchedulerSettings(omit_prioritize_by_temp_and_input=omit), None)
    made._job_selector = made._scheduler.select_jobs
    made._lock, made._validated_jobs = threading.Lock(), set()
    made.global_resources = {"_cores": 8, "_job_count": sys.maxsize, **resources}
    made.resources = dict(made.global_resources)
    return made


def test_a_round_looks_at_a_few_jobs_and_at_other_ones_each_time():
    ready = jobs(300)
    made = scheduler(ready)
    steady(made, cores=64)
    assert isinstance(made, SteadyScheduler) and made.job_rate_limiter is None
    rounds = [made.open_jobs for _ in range(100)]
    assert {len(found) for found in rounds} == {64} and all(len(set(found)) == 64 for found in rounds)
    assert {job for found in rounds for job in found} == ready
    few = scheduler(jobs(5))
    steady(few, cores=2)
    assert len(few.open_jobs) == 5 and few.subsample == 24
    none = scheduler(set())
    steady(none, cores=2)
    assert none.open_jobs == []


def test_it_starts_what_the_free_resources_allow_and_takes_them():
    made = scheduler(set(), calls_big1=3, calls_big2=32)
    steady(made, cores=8)
    ready = jobs(10, calls_big1=1) | jobs(10, calls_big2=1)
    started = made.job_selector(ready)
    assert len(started) == 8 and len(set(started)) == 8
    big1 = sum(job.scheduler_resources.get("calls_big1", 0) for job in started)
    assert big1 <= 3 and made.resources["calls_big1"] == 3 - big1
    assert made.resources["_cores"] == 0 and made.job_selector(ready) == []
    made.resources["_cores"], made.resources["calls_big2"] = 8, 0
    assert all("calls_big1" in job.scheduler_resources for job in made.job_selector(ready))


def test_a_job_that_can_never_run_is_refused_as_before():
    made = scheduler(set(), calls_big1=3)
    steady(made, cores=8)
    with pytest.raises(Exception, match="Job needs calls_big1=4 but only calls_big1=3"):
        made.job_selector(jobs(1, calls_big1=4))


def test_another_choice_of_jobs_keeps_its_own_ways():
    made = scheduler(jobs(300), omit=False)
    steady(made, cores=64)
    assert type(made) is JobScheduler and len(made.open_jobs) == 300 and made.subsample == 64


def test_what_it_replaces_is_still_there_in_this_snakemake():
    assert isinstance(JobScheduler.open_jobs, property)
    assert {"job_selector", "subsample", "open_jobs"} <= set(JobScheduler.schedule.__code__.co_names)
