"""Limits per minute and shared pauses, with a clock of the test's own."""

from hypothesis import given
from hypothesis import strategies as st

from assay.buying.clock import Clock
from assay.buying.limits import MINUTE, Limits, earliest
from assay.buying.settings import JudgeSettings


class Time:
    """A clock that stands still except while somebody sleeps."""

    def __init__(self, start=1_000_000.0):
        self.seconds = start
        self.clock = Clock(lambda: self.seconds, lambda: self.seconds, self.sleep, lambda: 0.5)

    def sleep(self, seconds):
        self.seconds += seconds


def limits(root, time, **settings):
    judge = JudgeSettings("big1", "openai-chat", "m", "https://example.com", **settings)
    return Limits(root, judge, time.clock)


def test_without_limits_nothing_waits_and_nothing_is_written(tmp_path):
    time = Time()
    limits(tmp_path, time).take(10_000)
    assert time.seconds == 1_000_000
    assert list(tmp_path.iterdir()) == []


def test_the_requests_of_a_minute_are_counted_over_all_processes(tmp_path):
    time = Time()
    for _ in range(3):
        limits(tmp_path, time, requests_per_minute=3).take(1)
    assert time.seconds == 1_000_000
    limits(tmp_path, time, requests_per_minute=3).take(1)
    assert time.seconds == 1_000_060


def test_the_tokens_of_a_minute_are_counted(tmp_path):
    time = Time()
    for _ in range(2):
        limits(tmp_path, time, tokens_per_minute=100).take(50)
    assert time.seconds == 1_000_000
    limits(tmp_path, time, tokens_per_minute=100).take(51)
    assert time.seconds == 1_000_060
    limits(tmp_path, time, tokens_per_minute=100).take(500)
    assert time.seconds == 1_000_120


def test_a_pause_holds_for_every_process_and_is_never_shortened(tmp_path):
    time = Time()
    limits(tmp_path, time).slow_down(30)
    limits(tmp_path, time).slow_down(2)
    limits(tmp_path, time).take(1)
    assert 1_000_030 <= time.seconds <= 1_000_035


def test_another_judge_does_not_wait(tmp_path):
    time = Time()
    limits(tmp_path, time).slow_down(30)
    other = JudgeSettings("big2", "openai-chat", "m", "https://example.com")
    Limits(tmp_path, other, time.clock).take(1)
    assert time.seconds == 1_000_000


def test_a_pause_that_begins_while_a_call_waits_for_its_minute_makes_it_wait_on(tmp_path):
    time = Time()
    waiting = limits(tmp_path, time, requests_per_minute=1)
    waiting.take(1)
    sleep, done = time.sleep, []

    def sleep_and_be_slowed(seconds):
        sleep(seconds)
        if not done:
            done.append(limits(tmp_path, time, requests_per_minute=1).slow_down(100))

    time.clock = Clock(time.clock.now, time.clock.monotonic, sleep_and_be_slowed, time.clock.chance)
    limits(tmp_path, time, requests_per_minute=1).take(1)
    assert time.seconds >= 1_000_100


def test_a_damaged_state_file_only_loses_the_pacing(tmp_path):
    time = Time()
    limits(tmp_path, time).slow_down(30)
    (tmp_path / "limits" / "big1.json").write_text("{")
    limits(tmp_path, time).take(1)
    assert time.seconds == 1_000_000


@given(
    st.lists(st.tuples(st.integers(0, 20_000), st.integers(1, 40)), max_size=40), st.integers(0, 5), st.integers(0, 100)
)
def test_no_minute_ever_holds_more_than_the_limits(arrivals, requests_limit, tokens_limit):
    now, slots = 0, []
    for gap, tokens in arrivals:
        now += gap
        start = earliest(now, slots, tokens, requests_limit, tokens_limit)
        assert start >= now
        slots.append([start, tokens])
    for moment, _ in slots:
        minute = [tokens for start, tokens in slots if moment - MINUTE < start <= moment]
        assert not requests_limit or len(minute) <= requests_limit
        assert not tokens_limit or sum(minute) <= max(tokens_limit, minute[-1])
