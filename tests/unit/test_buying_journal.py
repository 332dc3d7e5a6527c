"""The journal survives kills, the budget is the sum over it, and only living processes count as in flight."""

import threading
import time
from decimal import Decimal

import pytest

from assay.buying.budget import totals
from assay.buying.journal import Journal, ever_in_doubt, in_doubt
from assay.buying.locks import exclusive, is_held, request_lock
from assay.buying.stop import RunStopped, check, clear_stop, halt
from assay.problems import UserError
from assay.store import Store

TIME = "2026-12-01T00:00:00Z"
REQUEST = {"format": "assay-request-1", "model": "m"}


def sent(journal, sha, attempt=1, reserved="0.5"):
    money = None if reserved is None else Decimal(reserved)
    journal.add("sent", sha=sha, judge="big1", attempt=attempt, reserved=money, time=TIME)


def test_lines_come_back_whole_and_in_order(tmp_path):
    journal = Journal(tmp_path)
    sent(journal, "a")
    journal.add("stored", sha="a", attempt=1, cost=Decimal("0.20"), time=TIME)
    assert [line["event"] for line in journal.lines()] == ["sent", "stored"]
    assert journal.lines("b") == []
    assert journal.attempts("a")[0].cost == Decimal("0.2")


@pytest.mark.parametrize("torn", [b"{", b'{"event":"sent","sha":"b"', b"x" * 9000])
def test_a_line_torn_by_a_kill_is_ignored_and_removed_by_the_next_writer(tmp_path, torn):
    journal = Journal(tmp_path)
    sent(journal, "a")
    with journal.path.open("ab") as out:
        out.write(torn)
    assert len(journal.lines()) == 1
    sent(journal, "c")
    assert [line["sha"] for line in journal.lines()] == ["a", "c"]


def test_a_file_of_one_torn_line_is_begun_anew(tmp_path):
    journal = Journal(tmp_path)
    journal.path.write_bytes(b'{"event":')
    sent(journal, "a")
    assert [line["sha"] for line in journal.lines()] == ["a"]


def test_a_damaged_line_in_the_middle_is_not_passed_over(tmp_path):
    journal = Journal(tmp_path)
    sent(journal, "a")
    sent(journal, "b")
    journal.path.write_bytes(journal.path.read_bytes().replace(b'"sha":"a"', b'"sha":"a', 1))
    with pytest.raises(UserError, match="row 1: this line is damaged"):
        journal.lines()


def test_money_is_spent_held_or_reserved(tmp_path):
    journal, store = Journal(tmp_path), Store(tmp_path)
    for sha in "abcdef":
        sent(journal, sha)
    journal.add("stored", sha="a", attempt=1, cost=Decimal("0.1"), time=TIME)
    journal.add("stored", sha="b", attempt=1, cost=None, time=TIME)
    journal.add("failed", sha="c", attempt=1, why="503", time=TIME)
    journal.add("in_doubt", sha="d", attempt=1, why="cut", answer_id="", time=TIME)
    with exclusive(request_lock(tmp_path, "f")):
        found = totals(journal)
        assert [attempt.sha for attempt in in_doubt(journal, store)] == ["d", "e"]
    assert (found.spent, found.held, found.reserved) == (Decimal("0.6"), Decimal(1), Decimal("0.5"))
    assert (found.answered, found.failed, found.doubtful, found.in_flight, found.unpriced) == (2, 1, 2, 1, 0)
    assert [attempt.sha for attempt in in_doubt(journal, store)] == ["d", "e", "f"]


def test_a_call_whose_answer_was_stored_just_before_a_kill_is_not_in_doubt(tmp_path):
    journal, store = Journal(tmp_path), Store(tmp_path)
    exchange = store.put(REQUEST, 200, {}, b"{}", TIME, TIME)
    sent(journal, exchange.sha)
    assert ever_in_doubt(journal, store) == []
    assert (totals(journal).answered, totals(journal).spent) == (1, Decimal("0.5"))


def test_a_doubt_stays_listed_after_the_request_was_answered_on_another_try(tmp_path):
    journal, store = Journal(tmp_path), Store(tmp_path)
    exchange = store.put(REQUEST, 200, {}, b"{}", TIME, TIME)
    sent(journal, exchange.sha)
    journal.add("in_doubt", sha=exchange.sha, attempt=1, why="cut", answer_id="", time=TIME)
    journal.add("resent", sha=exchange.sha, attempt=1, time=TIME)
    sent(journal, exchange.sha, 2)
    assert [(attempt.number, attempt.resent) for attempt in ever_in_doubt(journal, store)] == [(1, True)]
    assert in_doubt(journal, store) == []


def test_a_cost_that_was_looked_up_replaces_the_reserved_price(tmp_path):
    journal = Journal(tmp_path)
    sent(journal, "a")
    journal.add("in_doubt", sha="a", attempt=1, why="cut", answer_id="gen-1", time=TIME)
    journal.add("looked_up", sha="a", attempt=1, cost=Decimal("0.03"), time=TIME)
    assert totals(journal).held == Decimal("0.03")


def test_calls_of_unknown_price_are_counted_as_such(tmp_path):
    journal = Journal(tmp_path)
    sent(journal, "a", reserved=None)
    journal.add("stored", sha="a", attempt=1, cost=None, time=TIME)
    assert totals(journal).unpriced == 1


def test_a_lock_is_held_only_while_its_holder_works_and_leaves_no_file(tmp_path):
    path = tmp_path / "locks" / "x"
    assert not is_held(path)
    with exclusive(path):
        assert is_held(path)
    assert not is_held(path)
    assert not path.exists()
    path.touch()  # as a killed process leaves it
    assert not is_held(path)


def test_never_two_hold_a_lock_at_once_however_many_wait_for_it(tmp_path):
    inside, most = [], []

    def work():
        for _ in range(100):
            with exclusive(tmp_path / "lock"):
                inside.append(1)
                most.append(len(inside))
                time.sleep(0)
                inside.pop()

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (len(most), max(most)) == (800, 1)


def test_the_first_reason_to_stop_is_kept_until_it_is_cleared(tmp_path):
    check(tmp_path)
    with pytest.raises(RunStopped, match=r"^first$"):
        halt(tmp_path, "first")
    with pytest.raises(RunStopped, match=r"^second$"):
        halt(tmp_path, "second")
    with pytest.raises(RunStopped, match="first"):
        check(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["stop.json"]
    clear_stop(tmp_path)
    check(tmp_path)
