"""Bring your own answers: what is imported is exactly what was given, and every fault is named with its place."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

import import_answers
from assay.importing.cells import slug
from assay.problems import UserError
from assay.run import open_run
from assay.sheets import read_tsv

ROOT = Path(__file__).parents[2]
SHARED = (ROOT / "../shared").resolve()
JUDGES = ("--big1", "acme/judge-one/openai-chat", "--big2", "acme/org/judge-two/openai-chat", "--frozen", "2026-05-01")
BASELINES = ("--big1", "here/coverage-words-1/embedded", "--big2", "here/coverage-paragraphs-1/embedded")
ROW = {"id": "q1", "by": "alpha", "answer": "An answer.", "prompt": "A question?", "kind": "audit"}
COLUMNS = {"entry": "id", "configuration": "by", "answer": "answer", "prompt": "prompt", "category": "kind"}


def row(**changes: object) -> dict[str, object]:
    return {**ROW, **changes}


def lines(path: Path, rows: list[object]) -> Path:
    path.write_text("".join(json.dumps(value) + "\n" for value in rows), encoding="utf-8")
    return path


@pytest.fixture
def specs(tmp_path: Path) -> Path:
    folder = tmp_path / "specs"
    folder.mkdir()
    (folder / "Audit.md").write_text("# Audit\n", encoding="utf-8")
    return folder


@pytest.fixture
def importing(tmp_path: Path, specs: Path):
    """Return a function that imports files with options by column, and returns the bundle's folder."""

    def call(*files: Path, columns: dict[str, str] | None = None, more: tuple[str, ...] = JUDGES) -> Path:
        target = tmp_path / "made"
        options = [part for name, column in (columns or COLUMNS).items() for part in (f"--{name}-column", column)]
        import_answers.main([str(target), *map(str, files), *options, "--specs-folder", str(specs), *more])
        return target

    return call


@pytest.fixture
def faults(importing, tmp_path: Path):
    """Return a function that imports in vain: it returns the message, and has seen that nothing was written."""

    def call(*files: Path, **options: object) -> str:
        before = sorted(tmp_path.rglob("*"))
        with pytest.raises(UserError) as caught:
            importing(*files, **options)
        assert sorted(tmp_path.rglob("*")) == before
        return str(caught.value)

    return call


def captures(bundle: Path) -> dict[tuple[str, str], dict[str, str]]:
    return {(cells["entry"], cells["configuration"]): cells for cells in read_tsv(bundle / "captures.tsv")}


def test_answers_and_prompts_are_kept_byte_for_byte(importing, tmp_path):
    answer, prompt = '  tab\t\r\nline \u2028 \\n "quoted" =1+1 é 漢\n\n', "\r\nAsk.\n"
    bundle = importing(lines(tmp_path / "a.jsonl", [row(answer=answer, prompt=prompt)]))
    assert (bundle / "answers/alpha/q1.txt").read_bytes() == answer.encode()
    assert (bundle / "prompts/q1.txt").read_bytes() == prompt.encode()


def test_bundle_names_counts_and_files_fit_together(importing, tmp_path):
    rows = [
        row(),
        row(by="Beta 2", answer="Other."),
        row(id="Q 2", prompt="Second?"),
        row(id="Q 2", by="Beta 2", prompt="Second?"),
    ]
    bundle = importing(lines(tmp_path / "a.jsonl", rows), more=(*JUDGES, "--family", "lens", "--licence", "CC0-1.0"))
    document = yaml.safe_load((bundle / "bundle.yaml").read_text())
    assert document["expected"] == {"mode": 0, "visual": 0, "lens": 2, "configurations": 2}
    assert [(lane["id"], lane["model_snapshots"]) for lane in document["configurations"]] == [
        ("alpha", ["alpha"]),
        ("beta-2", ["Beta 2"]),
    ]
    catalogue = read_tsv(bundle / "catalogue.tsv")
    assert [(cells["entry"], cells["spec"]) for cells in catalogue] == [
        ("lens:q-2", "specs/audit.md"),
        ("lens:q1", "specs/audit.md"),
    ]
    assert all((bundle / cells["prompt"]).is_file() and (bundle / cells["spec"]).is_file() for cells in catalogue)
    assert all((bundle / cells["answer"]).is_file() for cells in captures(bundle).values())
    roles = yaml.safe_load((bundle / document["role_map"]).read_text())["roles"]
    assert roles["big2"] == {"model": "org/judge-two", "provider": "acme", "route": "openai-chat"}


@pytest.mark.parametrize("ending", ["jsonl", "json", "csv", "tsv"])
def test_every_format_gives_the_same_bundle(importing, tmp_path, ending):
    path = tmp_path / f"a.{ending}"
    delimiter = "\t" if ending == "tsv" else ","
    cells = ["q1", "alpha", '"two\r\nlines, ""quoted"""', '"A\tquestion, or not?"', "audit"]
    text = {
        "jsonl": "\n" + json.dumps(row(answer='two\r\nlines, "quoted"', prompt="A\tquestion, or not?")) + "\r\n\n",
        "json": json.dumps([row(answer='two\r\nlines, "quoted"', prompt="A\tquestion, or not?")], indent=1),
    }.get(ending, delimiter.join(ROW) + "\r\n" + delimiter.join(cells) + "\r\n")
    path.write_bytes(b"\xef\xbb\xbf" + text.encode())
    bundle = importing(path)
    assert (bundle / "answers/alpha/q1.txt").read_bytes() == b'two\r\nlines, "quoted"'
    assert (bundle / "prompts/q1.txt").read_bytes() == b"A\tquestion, or not?"


def test_order_of_rows_and_files_does_not_matter(importing, tmp_path):
    rows = [row(id=f"q{n}", by=lane, answer=f"{n} {lane}") for n in (2, 1, 10) for lane in ("b", "a")]
    one = importing(lines(tmp_path / "a.jsonl", rows))
    first = {path.relative_to(one): path.read_bytes() for path in one.rglob("*") if path.is_file()}
    one.rename(tmp_path / "kept")
    two = importing(lines(tmp_path / "z.jsonl", rows[:2]), lines(tmp_path / "b.jsonl", rows[:1:-1]))
    assert {path.relative_to(two): path.read_bytes() for path in two.rglob("*") if path.is_file()} == first


def test_configuration_comes_from_the_file_name_without_a_column(importing, tmp_path):
    columns = {name: column for name, column in COLUMNS.items() if name != "configuration"}
    bundle = importing(
        lines(tmp_path / "Lane.One.jsonl", [row()]), lines(tmp_path / "two.jsonl", [row()]), columns=columns
    )
    assert set(captures(bundle)) == {("mode:q1", "lane-one"), ("mode:q1", "two")}


def test_nested_columns_and_the_model_column(importing, tmp_path):
    nested = {
        "id": 7,
        "m": {"name": "v/m-1", "lane": "alpha"},
        "out": [{"t": ["no", "yes"]}],
        "prompt": "P?",
        "a.b": "audit",
    }
    columns = COLUMNS | {"configuration": "m.lane", "model": "m.name", "answer": "out.0.t.1", "category": "a.b"}
    bundle = importing(lines(tmp_path / "a.jsonl", [nested]), columns=columns)
    assert captures(bundle)["mode:7", "alpha"]["model_snapshot"] == "v/m-1"
    assert (bundle / "answers/alpha/7.txt").read_text() == "yes"


def test_unknown_cost_is_empty_and_known_cost_is_exact(importing, tmp_path):
    costs = {"q1": None, "q2": "", "q3": 0, "q4": "0.1000", "q5": 1e-7, "q6": 12}
    rows = [row(id=name, cost=cost, took=cost) for name, cost in costs.items()] + [row(id="q7")]
    bundle = importing(lines(tmp_path / "a.jsonl", rows), columns=COLUMNS | {"cost": "cost", "minutes": "took"})
    found = [cells["cost_usd"] for cells in read_tsv(bundle / "captures.tsv")]
    assert found == ["", "", "0", "0.1", "0.0000001", "12", ""]
    assert found == [cells["minutes"] for cells in read_tsv(bundle / "captures.tsv")]


@pytest.mark.parametrize("cost", ["$1", "-0.1", "NaN", "inf", "1,5", True, [1], 10**12, "1e-400"])
def test_cost_that_is_no_amount_is_a_problem(faults, tmp_path, cost):
    path = lines(tmp_path / "a.jsonl", [row(cost=cost)])
    assert f"{path}, row 1: 'cost' is " in faults(path, columns=COLUMNS | {"cost": "cost"})


def test_cell_answered_twice_is_reported_with_both_places(faults, tmp_path):
    one = lines(tmp_path / "a.jsonl", [row(), row(id="q2")])
    two = lines(tmp_path / "b.jsonl", [row(id="q3"), row(id="q2", answer="Another.")])
    assert f"{two}, row 2: 'q2' is answered twice by 'alpha', first in {one}, row 2." in faults(one, two)


def test_two_ids_that_become_the_same_are_a_problem(faults, tmp_path):
    message = faults(lines(tmp_path / "a.jsonl", [row(id="a b"), row(id="A-b", by="x.y"), row(id="c", by="x y")]))
    assert "the entry 'a b' and 'A-b'" in message and "row 2) both become the id 'a-b'" in message
    assert "the configuration 'x.y' and 'x y'" in message
    assert message.startswith("2 problems")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"answer": ""}, "the answer ('answer') is empty"),
        ({"answer": " \n"}, "the answer ('answer') is empty"),
        ({"answer": None}, "the answer ('answer') is empty"),
        ({"answer": 4}, "the answer ('answer') is not text"),
        ({"answer": "\ud800"}, "lone surrogate"),
        ({"prompt": ""}, "the prompt ('prompt') is empty"),
        ({"prompt": ["P"]}, "the prompt ('prompt') is not text"),
        ({"id": None}, "'id' is empty"),
        ({"id": True}, "neither text nor a whole number"),
        ({"id": 1.5}, "neither text nor a whole number"),
        ({"id": "漢字"}, "has no Latin letter or digit"),
        ({"id": "x" * 101}, "is longer than 100 characters"),
        ({"by": "a\tb"}, "cannot stand in a sheet"),
        ({"by": ""}, "'by' is empty"),
        ({"kind": ""}, "'kind' is empty"),
        ({"id": "q0", "prompt": "Another?"}, "its prompt differs from that of the same entry in"),
        ({"id": "q0", "kind": "other"}, "its category differs from that of the same entry in"),
    ],
)
def test_faulty_row_is_named_by_file_and_row(faults, tmp_path, change, said):
    path = lines(tmp_path / "a.jsonl", [row(id="q0"), row(**{"by": "beta"} | change)])
    message = faults(path)
    assert f"{path}, row 2: " in message and said in message
    assert message.startswith("1 problem found") and message.endswith("No bundle was written.")


def test_all_problems_of_all_files_come_in_one_pass(faults, tmp_path, specs):
    (specs / "empty.md").write_text(" \n")
    (specs / "AUDIT.txt").write_text("again")
    one = tmp_path / "a.jsonl"
    one.write_text(
        f"{json.dumps(row(answer=''))}\n[1]\nnull\n{{\n{json.dumps(row(id='q9', answer='', prompt=''))}\n",
        encoding="utf-8",
    )
    two = tmp_path / "b.csv"
    two.write_bytes(b"id,by,answer,prompt,kind\nq2,beta,x\nq1,beta,caf\xe9,p,audit\n")
    message = faults(one, two, tmp_path / "none.jsonl", lines(tmp_path / "c.txt", []))
    for said in (
        f"{one}, row 1: the answer",
        f"{one}, row 2: the row is a list",
        f"{one}, row 3: the row is null",
        f"{one}, row 4: not valid JSON",
        f"{one}, row 5: the answer",
        f"{one}, row 5: the prompt",
        f"{two}, row 3: not UTF-8: byte 0xe9",
        "none.jsonl: cannot be read: No such file or directory",
        "c.txt: the ending names no known format",
        "empty.md: the specification is empty",
        "the file's name names the same specification as",
    ):
        assert said in message, message


@pytest.mark.parametrize(
    ("name", "data", "said"),
    [
        (
            "a.csv",
            b'id,by,answer,prompt,kind\nq1,a,x,p,audit\n\nq2,a,"x\ny",p\n',
            "row 4: 4 cells, but the header has 5",
        ),
        ("a.csv", b'id,by,answer,prompt,kind\nq1,a,"x"y,p,audit\n', "row 2: not valid CSV"),
        ("a.csv", b"id,id,answer,prompt,kind\nq1,a,x,p,audit\n", "row 1: the header names 'id' more than once"),
        ("a.csv", b"id,by,answer,prompt,kind\n", "a.csv: the file holds no rows"),
        ("a.jsonl", b"\n", "a.jsonl: the file holds no rows"),
        ("a.jsonl", b'{"id": 1, "id": 2}\n', "row 1: not valid JSON: the key 'id' stands twice"),
        ("a.json", b'{"id": 1}', "a.json: the JSON is not an array"),
        ("a.json", b"[{}, ", "a.json: not valid JSON"),
        (
            "a.json",
            b'[{"id": "q1", "by": "a", "answer": "x", "prompt": "p", "kind": "audit"}, "x"]',
            "row 2: the row is a text",
        ),
        ("a.jsonl", b"[" * 200_000, "not valid JSON"),
        (
            "a.jsonl",
            b'{"id": "q1", "by": "a", "text": "x"}\n',
            "no row has the column 'answer'. The first row has 'by', 'id', 'text'",
        ),
    ],
)
def test_faulty_file_is_named(faults, tmp_path, name, data, said):
    path = tmp_path / name
    path.write_bytes(data)
    assert said in faults(path)


def test_optional_column_that_no_row_has_is_a_problem(faults, tmp_path):
    message = faults(
        lines(tmp_path / "a.jsonl", [row(), row(by="b")]), columns=COLUMNS | {"cost": "costs", "category": "kinds"}
    )
    assert "no row has the column 'costs'" in message and "no row has the column 'kinds'" in message
    assert message.startswith("2 problems")


def test_answer_longer_than_the_csv_default_limit_is_read(importing, tmp_path):
    path = tmp_path / "a.csv"
    path.write_text(f"id,by,answer,prompt,kind\nq1,alpha,{'x' * 200_000},P?,audit\n")
    assert (importing(path) / "answers/alpha/q1.txt").stat().st_size == 200_000


def test_rejected_answer_is_set_aside_with_its_reason(importing, tmp_path):
    rows = [row(ok=True), row(by="b", ok=False, answer="", prompt=""), row(by="c", ok=False, answer="I cannot.")]
    more = (*JUDGES, "--rejected-value", "false")
    bundle = importing(lines(tmp_path / "a.jsonl", rows), columns=COLUMNS | {"rejected": "ok"}, more=more)
    found = [(c["accepted"], c["reason"], c["answer"]) for c in captures(bundle).values()]
    assert found == [
        ("yes", "", "answers/alpha/q1.txt"),
        ("no", "ok is false", ""),
        ("no", "ok is false", "answers/c/q1.txt"),
    ]
    document = yaml.safe_load((bundle / "bundle.yaml").read_text())
    assert [lane["model_snapshots"] for lane in document["configurations"]] == [["alpha"], [], []]


def test_category_without_specification_is_a_notice_and_an_empty_cell(importing, tmp_path, capsys, specs):
    (specs / "unused.md").write_text("# Unused\n")
    bundle = importing(lines(tmp_path / "a.jsonl", [row(), row(id="q2", kind="poem", by="beta")]))
    assert [cells["spec"] for cells in read_tsv(bundle / "catalogue.tsv")] == ["specs/audit.md", ""]
    said = capsys.readouterr().err
    assert "no specification for 'poem'; unscorable entries: 1" in said
    assert "unused.md: a specification that no entry uses" in said
    assert "2 of 4 pairs of entry and configuration have no answer" in said
    assert not (bundle / "specs/unused.md").exists()


def test_specification_per_entry_without_a_category_column(importing, tmp_path, specs):
    (specs / "q1.json").write_text("{}\n")
    columns = {name: column for name, column in COLUMNS.items() if name != "category"}
    bundle = importing(lines(tmp_path / "a.jsonl", [row()]), columns=columns)
    assert read_tsv(bundle / "catalogue.tsv")[0]["spec"] == "specs/q1.json"


def test_prompts_file_is_joined_by_id(importing, tmp_path, capsys):
    rows = [{"id": "1", "by": "alpha", "answer": "x"}]
    asked = [{"number": 1, "text": ["P?"], "kind": "audit"}, {"number": 2, "text": ["?"], "kind": "audit"}]
    more = (*JUDGES, "--prompts-file", str(lines(tmp_path / "p.jsonl", asked)), "--prompts-id-column", "number")
    bundle = importing(lines(tmp_path / "a.jsonl", rows), columns=COLUMNS | {"prompt": "text.0"}, more=more)
    assert (bundle / "prompts/1.txt").read_text() == "P?"
    assert "p.jsonl, row 2: '2' has no answer; the entry is left out" in capsys.readouterr().err


def test_prompt_that_is_missing_or_stands_twice_in_the_prompts_file_is_a_problem(faults, tmp_path):
    asked = [row(id="q2"), row(id="q2"), row(id="q3", prompt="")]
    path = lines(tmp_path / "a.jsonl", [row(), row(id="q2"), row(id="q3"), row(by="b")])
    prompts = lines(tmp_path / "p.jsonl", asked)
    message = faults(path, more=(*JUDGES, "--prompts-file", str(prompts)))
    assert f"{prompts}, row 2: the prompt of 'q2' stands twice, first in row 1" in message
    assert f"{prompts}, row 3: the prompt ('prompt') is empty" in message
    assert f"{path}, row 1: 'q1' has no prompt" in message
    assert message.startswith("3 problems")


def test_existing_target_is_refused_and_left_alone(importing, tmp_path):
    (tmp_path / "made").mkdir()
    (tmp_path / "made/mine.txt").write_text("kept")
    with pytest.raises(UserError, match="exists already"):
        importing(lines(tmp_path / "a.jsonl", [row()]))
    assert [path.name for path in (tmp_path / "made").iterdir()] == ["mine.txt"]


def test_failure_while_writing_leaves_nothing(importing, tmp_path, monkeypatch):
    path = lines(tmp_path / "a.jsonl", [row()])
    before = sorted(tmp_path.rglob("*"))

    def full(*_: object) -> None:
        raise OSError("disk full")

    monkeypatch.setattr("assay.importing.answers.os.rename", full)
    with pytest.raises(OSError, match="disk full"):
        importing(path)
    assert sorted(tmp_path.rglob("*")) == before


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ((), "give either --role-map, or both --big1 and --big2"),
        (JUDGES[:2], "give either --role-map, or both --big1 and --big2"),
        ((*JUDGES, "--role-map", "x.yaml"), "give either --role-map, or both --big1 and --big2"),
        ((*JUDGES, "--big2", "acme/gpt"), "expected provider/model/route"),
        ((*JUDGES, "--frozen", "May"), "frozen"),
        ((*JUDGES, "--id", "Not an id"), "id: 'Not an id' does not match"),
        (("--role-map", "none.yaml"), "none.yaml: the file is missing"),
        ((*JUDGES, "--rejected-value", "x"), "belong together"),
    ],
)
def test_options_that_are_not_clear_are_refused(faults, tmp_path, more, said):
    assert said in faults(lines(tmp_path / "a.jsonl", [row()]), more=more)


def test_role_map_file_is_checked_and_taken_as_it_is(importing, faults, tmp_path):
    path = tmp_path / "roles.yaml"
    path.write_text(
        "# ours\nconfiguration: optimum\nfrozen: 2026-05-01\nroles:\n  big1: {model: a, provider: p, route: embedded}\n"
    )
    answers = lines(tmp_path / "a.jsonl", [row()])
    assert f"{path}: the role big2 is missing" in faults(answers, more=("--role-map", str(path)))
    path.write_text(path.read_text() + "  big2: {model: b, provider: p, route: embedded}\n")
    assert (importing(answers, more=("--role-map", str(path))) / "optimum.yaml").read_bytes() == path.read_bytes()


def test_script_fails_with_the_message_alone(tmp_path, specs):
    path = lines(tmp_path / "a.jsonl", [row(answer="")])
    columns = [part for name, column in COLUMNS.items() for part in (f"--{name}-column", column)]
    command = [sys.executable, str(ROOT / "scripts/import_answers.py"), str(tmp_path / "made"), str(path), *columns]
    done = subprocess.run([*command, "--specs-folder", str(specs), *JUDGES], capture_output=True, text=True, timeout=60)
    assert done.returncode == 1
    assert done.stderr.startswith("error: 1 problem found") and "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("text", "name"), [("Qwen2.5 (7B)", "qwen2-5-7b"), ("Éa_b", "ea-b"), ("81", "81"), ("--", ""), ("漢", "")]
)
def test_slug(text, name):
    assert slug(text) == name


def test_real_answers_become_a_bundle_that_passes_intake(importing, tmp_path, specs, monkeypatch):
    data = SHARED / "answers/mt_bench"
    if not data.is_dir():
        pytest.skip(f"NOT TESTED: the real answers are absent ({data})")
    categories = ["writing", "roleplay", "reasoning", "math", "coding", "extraction", "stem", "humanities"]
    for category in categories:
        (specs / f"{category}.md").write_text(f"# {category}\n\nAnswer the task, and show each step.\n")
    columns = {"entry": "question_id", "configuration": "model_id", "answer": "choices.0.turns.0"}
    columns |= {"prompt": "turns.0", "category": "category"}
    files = sorted((data / "model_answer").glob("*.jsonl"))
    bundle = importing(*files, columns=columns, more=("--prompts-file", str(data / "question.jsonl"), *BASELINES))

    document = yaml.safe_load((bundle / "bundle.yaml").read_text())
    assert document["expected"] == {"mode": 80, "visual": 0, "lens": 0, "configurations": 4}
    catalogue = read_tsv(bundle / "catalogue.tsv")
    assert sorted({cells["spec"] for cells in catalogue}) == sorted(f"specs/{category}.md" for category in categories)
    found = captures(bundle)
    assert len(found) == 320 and {cells["accepted"] for cells in found.values()} == {"yes"}
    assert {cells["cost_usd"] for cells in found.values()} == {""}
    for path in files:
        for line in path.read_text(encoding="utf-8").rstrip("\n").split("\n"):
            given = json.loads(line)
            kept = bundle / found[f"mode:{given['question_id']}", given["model_id"]]["answer"]
            assert kept.read_bytes() == given["choices"][0]["turns"][0].encode("utf-8")

    monkeypatch.chdir(tmp_path)
    found = open_run({"bundle": bundle.name, "run": "imported-1"}).set
    assert (len(found.scored), found.aside, found.missing, found.unscorable_entries) == (320, (), (), ())
