"""The graph itself: judges are independent, the paid command is frozen, and a dry run tells what would be bought."""

import json
import re
import shutil

from workdirs import ROOT, bytes_of, exchanges, snakemake

import small_bundle
from assay.canonical import loads
from assay.files import read_json
from assay.sheets import read_tsv

# A changed command is a changed rule: Snakemake judges everything again. Change it here only on purpose, and say so
# to the users, who will replay (or buy) all their verdicts.
PAID_COMMAND = (
    "python -S -E $SCRIPTS/run_job.py judge --judge {wildcards.judge:q} --packet {input.packet:q} "
    "--configuration {wildcards.configuration:q} --round {params.round:q} "
    '--panel "$ASSAY_PANEL" --output {output:q} > {log:q} 2>&1'
)
PACKET_COMMAND = (
    "python -S -E $SCRIPTS/run_job.py packet --card {params.card:q} --prompt {input.prompt:q} "
    "--specification {input.specification:q} --answer {input.answer:q} --visual {input.visual:q} "
    "--output {output:q} > {log:q} 2>&1"
)
REAL_ROLES = """\
configuration: big
frozen: 2026-01-01
roles:
  big1: {model: judge-a, provider: acme, route: openai-chat}
  big2: {model: judge-b, provider: acme, route: anthropic-messages}
"""
REAL_CONFIG = """\
bundle: bundle
run: real-1
providers: {acme: {base_url: "https://api.acme.invalid/v1", key_env: JUDGE_KEY}}
judges: {big2: {parameters: {max_tokens: 900}}}
"""


def real_judges(work):
    """Make a work directory whose judges are paid APIs that nobody can reach."""
    bundle = small_bundle.make(work)
    small_bundle.write(bundle / "optimum.yaml", REAL_ROLES)
    small_bundle.write(work / "config/config.yaml", REAL_CONFIG)
    return work


def test_no_verdict_has_another_verdict_among_its_ancestors(tmp_path):
    shutil.copytree(
        ROOT / "example/performance", tmp_path / "w", ignore=shutil.ignore_patterns("results", "store", ".*")
    )
    done = snakemake(tmp_path / "w", "--d3dag")
    graph = json.loads(next(line for line in done.text.splitlines() if line.startswith('{"nodes"')))
    rule = {node["id"]: node["value"]["rule"] for node in graph["nodes"]}
    parents = {number: [] for number in rule}
    for edge in graph["edges"]:
        parents[edge["v"]].append(edge["u"])

    def ancestors(number):
        found, left = set(), list(parents[number])
        while left:
            one = left.pop()
            if one not in found:
                found.add(one)
                left += parents[one]
        return found

    judges = [number for number, name in rule.items() if name == "judge"]
    assert len(judges) == 74
    for number in judges:
        kinds = sorted(rule[one] for one in ancestors(number))
        assert kinds == ["judge_check", "judge_check", "packet"]
    assert all(not ancestors(number) for number, name in rule.items() if name in ("packet", "judge_check"))
    [average] = [number for number, name in rule.items() if name == "average"]
    assert set(judges) <= ancestors(average)


def test_the_commands_that_decide_what_is_judged_again_are_frozen():
    text = (ROOT / "rules/judging.smk").read_text()
    commands = {}
    for name, body in re.findall(r"^rule (\w+):\n(.*?)(?=^rule |\Z)", text, re.MULTILINE | re.DOTALL):
        commands[name] = eval("(" + body.split("shell:\n")[1].strip() + ")")
    assert commands["judge"] == PAID_COMMAND
    assert commands["packet"] == PACKET_COMMAND


def test_every_placeholder_that_may_hold_a_users_text_is_quoted():
    plain = {f"{{params.{name}}}" for name in ("judges", "criteria", "seed", "partial", "round")}  # ids and numbers
    for path in (ROOT / "rules").glob("*.smk"):
        for command in re.findall(r"shell:\n(.*?)(?=\n\n\n|\Z)", path.read_text(), re.DOTALL):
            bare = [found for found in re.findall(r"\{[^}]*\}", command) if not found.endswith(":q}")]
            assert set(bare) <= plain, (path.name, bare)


def test_no_rule_takes_an_ancient_input():
    for path in (ROOT / "rules").glob("*.smk"):
        assert "ancient(" not in path.read_text(), path.name


def test_a_dry_run_says_for_each_verdict_whether_it_is_bought_or_replayed(small):
    (small / "bundle/answers/big-audit.md").write_text("Another answer.\n")
    shutil.rmtree(small / "results/verdicts/tiny")
    before = bytes_of(small, "results", "store")
    done = snakemake(small, "--dry-run")
    lines = re.findall(r"^Job \d+: ((?:buy|replay).*)$", done.text, re.MULTILINE)
    assert sorted(lines) == sorted(
        [
            *(f"buy: mode:audit by big, judge {judge}" for judge in ("big1", "big2")),
            *(f"replay: {e} by tiny, judge {j}" for e in ("mode:audit", "visual:chart") for j in ("big1", "big2")),
        ]
    )
    assert bytes_of(small, "results", "store") == before


def test_a_dry_run_and_a_plan_need_no_key_and_no_network_and_judge_nothing(tmp_path):
    work = real_judges(tmp_path)
    done = snakemake(work, "--dry-run")
    assert done.code == 0, done.text
    assert len(re.findall(r"^Job \d+: buy: ", done.text, re.MULTILINE)) == 10
    assert not (work / "results").exists()
    done = snakemake(work, "plan")
    assert done.code == 0, done.text
    assert not (work / "store").exists() and not (work / "results/verdicts").exists()
    rows = read_tsv(work / "results/plan.tsv")
    assert [(row["judge"], row["model"], row["verdicts"], row["to_buy"]) for row in rows] == [
        ("big1", "judge-a", "5", "5"),
        ("big2", "judge-b", "5", "5"),
    ]
    assert {row["usd_estimate"] for row in rows} == {"unknown"}
    for part in ("5 captures.", "failure when overall < 4.0", "usd_at_most", "unknown", "Tokens are estimated"):
        assert part in done.text


def test_a_plan_of_a_finished_run_has_nothing_to_buy_and_always_answers(small):
    for _ in range(2):
        done = snakemake(small, "plan")
        assert done.code == 0 and done.jobs["plan"] == 1 and done.jobs["judge"] == 0
    assert {(row["stored"], row["to_buy"]) for row in read_tsv(small / "results/plan.tsv")} == {("5", "0")}


def test_without_a_key_nothing_is_judged_and_the_message_names_the_variable(tmp_path):
    work = real_judges(tmp_path)
    done = snakemake(work)
    assert done.code == 1 and "Traceback" not in done.text
    assert "JUDGE_KEY" in done.text and "nothing was bought" in done.text
    assert not (work / "results/verdicts").exists() and exchanges(work) == set()


STRANGE = [
    "sp ace.md",
    "quo'te.md",
    'dou"ble.md',
    "ü漢é.md",
    "dollar$HOME.md",
    "semi;colon&.md",
    "star*[a]?.md",
    "-dash.md",
    "#hash %s.md",
]


def test_strange_file_names_inside_the_bundle_work(tmp_path):
    bundle = small_bundle.make(tmp_path)
    sheets = {name: (bundle / name).read_text() for name in ("captures.tsv", "catalogue.tsv")}
    names = iter(STRANGE)
    for folder in ("answers", "specs", "prompts", "visuals"):
        for path in sorted((bundle / folder).iterdir()):
            if (name := next(names, None)) is None:
                break
            new = path.with_name(name.removesuffix(".md") + path.suffix)
            path.rename(new)
            for sheet, text in sheets.items():
                sheets[sheet] = text.replace(f"{folder}/{path.name}", f"{folder}/{new.name}")
    longest = "lens:" + "-".join(f"rate{number:03}" for number in range(12)) + "-end"
    for sheet, text in sheets.items():
        (bundle / sheet).write_text(text.replace("lens:rates", longest))
    done = snakemake(tmp_path)
    assert done.code == 0, done.text
    assert len(list((tmp_path / "results/verdicts").rglob("*.json"))) == 10
    assert snakemake(tmp_path).nothing


def test_a_packet_is_built_from_the_files_that_its_row_names(finished_small):
    for lane in ("big", "tiny"):
        packet = read_json(finished_small / f"results/packets/{lane}/visual/chart.json")
        assert packet["answer"] == (finished_small / f"bundle/answers/{lane}-chart.md").read_text()
        assert packet["prompt"] == (finished_small / "bundle/prompts/chart.md").read_text()
        assert packet["specification"]["text"] == (finished_small / "bundle/specs/chart.md").read_text()
        assert packet["visual"]["kind"] == {"big": "text", "tiny": "image"}[lane]


def test_verdicts_follow_the_specifications_response_schema(finished_small):
    verdict = loads((finished_small / "results/verdicts/big/mode/audit/big1.json").read_bytes())
    criteria = {"fidelity", "soundness", "completeness", "relevance", "calibration"}
    assert set(verdict["scores"]) == set(verdict["notes"]) == criteria
    assert {"entry", "configuration", "judge_model", "impression"} <= set(verdict)
    assert (verdict["entry"], verdict["configuration"], verdict["judge_model"]) == (
        "mode:audit",
        "big",
        "coverage-words-1",
    )
