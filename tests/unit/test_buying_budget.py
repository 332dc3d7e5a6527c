"""What is spent is known from a checkpoint of the journal on, and is always what the whole journal says."""

import random
from decimal import Decimal

import pytest

from assay.buying.budget import totals, totals_so_far
from assay.buying.journal import Journal
from assay.buying.locks import exclusive, request_lock
from assay.buying.stop import checkpoint, clear_stop
from assay.canonical import loads
from assay.problems import UserError
from assay.store import Store

TIME = "2026-12-01T00:00:00Z"
LINES = 350


def write(journal: Journal, chance: random.Random, lines: int = LINES) -> list[str]:
    """Write what many processes may have written: each call is sent, and then has some outcome or none yet."""
    under_way: list[tuple[str, int, str]] = []
    for _ in range(lines):
        if not under_way or chance.random() < 0.5:
            call = (f"{chance.getrandbits(256):064x}", chance.randint(1, 3), "sent")
            reserved = chance.choice([None, Decimal("0.05"), Decimal(2)])
            journal.add("sent", sha=call[0], judge="big1", attempt=call[1], reserved=reserved, time=TIME)
            under_way.append(call)
            continue
        sha, attempt, state = under_way.pop(chance.randrange(len(under_way)))
        outcomes = ("stored", "failed", "in_doubt", "answering") if state == "sent" else ("stored", "looked_up")
        event = chance.choice(outcomes)
        more = {"cost": chance.choice([None, Decimal("0.01"), Decimal(1)])} if event in ("stored", "looked_up") else {}
        more |= {"why": "lost"} if event in ("failed", "in_doubt") else {}
        more |= {"answer_id": "a-1"} if event == "answering" else {}
        journal.add(event, sha=sha, attempt=attempt, time=TIME, **more)
        if event in ("in_doubt", "answering"):
            under_way.append((sha, attempt, event if event == "in_doubt" else "sent"))
    return [sha for sha, _, _ in under_way]


@pytest.mark.parametrize("seed", range(5))
def test_at_every_line_it_is_what_the_whole_journal_says(tmp_path, seed):
    journal, chance, made = Journal(tmp_path), random.Random(seed), 0
    for _ in range(40):
        under_way = write(journal, chance, chance.randint(1, 60))
        with exclusive(request_lock(tmp_path, under_way[0])) if under_way else exclusive(tmp_path / "locks/none"):
            assert totals_so_far(journal) == totals(journal)
            made += checkpoint(tmp_path).exists()
    assert made > 30


def test_only_the_lines_after_the_checkpoint_are_read(tmp_path):
    journal = Journal(tmp_path)
    write(journal, random.Random(1))
    before = totals_so_far(journal)
    data = journal.path.read_bytes()
    journal.path.write_bytes(b"x" * 100 + data[100:])
    assert totals_so_far(journal) == before
    clear_stop(tmp_path)  # each start of a run reads all of it
    with pytest.raises(UserError, match="row 1: this line is damaged"):
        totals_so_far(journal)


def test_a_journal_that_was_mended_or_replaced_is_read_whole(tmp_path):
    journal = Journal(tmp_path)
    write(journal, random.Random(2))
    totals_so_far(journal)
    lines = journal.path.read_bytes().splitlines(keepends=True)
    for changed in (lines[5:], lines[:-7], lines[:1], [*lines[:20], *lines[21:]], []):
        journal.path.write_bytes(b"".join(changed))
        assert checkpoint(tmp_path).exists()
        assert totals_so_far(journal) == totals(journal)


@pytest.mark.parametrize("left", ["", "{", "\0\0\0\0"])
def test_a_checkpoint_that_a_power_cut_has_damaged_is_none(tmp_path, left):
    journal = Journal(tmp_path)
    write(journal, random.Random(3))
    checkpoint(tmp_path).parent.mkdir(exist_ok=True)
    checkpoint(tmp_path).write_text(left)
    assert totals_so_far(journal) == totals(journal)
    assert loads(checkpoint(tmp_path).read_bytes())["end"] == journal.path.stat().st_size


def test_a_call_that_was_under_way_at_the_checkpoint_is_counted_by_what_came_of_it(tmp_path):
    journal = Journal(tmp_path)
    journal.add("sent", sha="a", judge="big1", attempt=1, reserved=Decimal("0.5"), time=TIME)
    for number in range(120):
        journal.add("sent", sha=f"{number}", judge="big1", attempt=1, reserved=Decimal(0), time=TIME)
        journal.add("failed", sha=f"{number}", attempt=1, why="refused", time=TIME)
    with exclusive(request_lock(tmp_path, "a")):
        found = totals_so_far(journal)
        assert (found.reserved, found.in_flight, found.failed) == (Decimal("0.5"), 1, 120)
    assert totals_so_far(journal).held == Decimal("0.5")
    Store(tmp_path).put({"x": 1}, 200, {}, b"{}", TIME, TIME)
    journal.add("stored", sha="a", attempt=1, cost=Decimal("0.2"), time=TIME)
    found = totals_so_far(journal)
    assert (found.spent, found.held, found.reserved, found.answered) == (Decimal("0.2"), 0, 0, 1)
