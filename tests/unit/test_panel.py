"""The panel: Big 1 and Big 2 of the frozen role map, by a metered API, and never changed in silence."""

import json

import pytest
import yaml

import small_bundle
from assay.problems import UserError
from assay.run import open_run, panel_document

REAL = {"model": "judge-a-2026-01-01", "provider": "acme", "route": "openai-chat"}
OTHER = {"model": "judge-b-2026-01-01", "provider": "acme", "route": "openai-chat"}
PROVIDERS = {"acme": {"base_url": "https://api.acme.test/v1", "key_env": "ACME_KEY"}}
BASELINES = {"big1": {"model": "coverage-words-1", "provider": "embedded", "route": "embedded"}}


@pytest.fixture
def opened(tmp_path, monkeypatch):
    """Return a function that opens a run with the given roles and configuration."""
    bundle = small_bundle.make(tmp_path)
    monkeypatch.chdir(tmp_path)

    def call(roles=None, **config):
        if roles is not None:
            text = yaml.safe_dump({"configuration": "big", "frozen": "2026-01-01", "roles": roles})
            (bundle / "optimum.yaml").write_text(text)
        return open_run({"bundle": "bundle", "run": "r-1", "providers": PROVIDERS, **config})

    return call


def refused(opened, *args, **kwargs) -> str:
    with pytest.raises(UserError) as error:
        opened(*args, **kwargs)
    return str(error.value)


def test_big_1_and_big_2_become_the_judges_in_this_order(opened):
    run = opened({"big2": OTHER, "small": REAL, "big1": REAL})
    assert [(j.id, j.model, j.substituted) for j in run.judges] == [
        ("big1", "judge-a-2026-01-01", ""),
        ("big2", "judge-b-2026-01-01", ""),
    ]


@pytest.mark.parametrize("left", ["big1", "big2"])
def test_a_missing_role_stops_the_run(opened, left):
    missing = "big2" if left == "big1" else "big1"
    assert f"the role {missing} is missing" in refused(opened, {left: REAL})


def test_no_role_at_all_names_both(opened):
    message = refused(opened, {})
    assert "the role big1 is missing" in message and "the role big2 is missing" in message


@pytest.mark.parametrize(
    "second",
    [
        REAL,
        {**REAL, "model": "acme/judge-a-2026-01-01"},
        {**REAL, "model": "JUDGE-A-2026-01-01", "provider": "elsewhere"},
        {"model": "reseller/acme/judge-a-2026-01-01", "provider": "elsewhere", "route": "openai-responses"},
    ],
)
def test_one_model_in_both_roles_stops_the_run_also_through_another_provider(opened, second):
    providers = {**PROVIDERS, "elsewhere": {"base_url": "https://elsewhere.test/v1"}}
    assert "would not be independent" in refused(opened, {"big1": REAL, "big2": second}, providers=providers)


def test_both_roles_with_one_baseline_stop_the_run(opened):
    roles = {"big1": BASELINES["big1"], "big2": BASELINES["big1"]}
    assert "would not be independent" in refused(opened, roles)


@pytest.mark.parametrize("route", ["subscription", "web-chat", "manual", "openai", "OPENAI-CHAT", "ssh"])
def test_a_route_that_is_no_metered_api_stops_the_run(opened, route):
    message = refused(opened, {"big1": {**REAL, "route": route}, "big2": OTHER})
    assert f"the route {route!r} of big1 is not a metered API" in message and "openai-chat" in message


def test_a_provider_that_is_not_configured_stops_the_run_and_says_what_to_add(opened):
    message = refused(opened, {"big1": {**REAL, "provider": "nobody"}, "big2": OTHER})
    assert "Add providers.nobody with base_url and key_env" in message


def test_a_baseline_that_does_not_exist_stops_the_run(opened):
    roles = {"big1": {"model": "best-judge", "provider": "embedded", "route": "embedded"}, "big2": OTHER}
    assert "no embedded baseline 'best-judge'" in refused(opened, roles)


def test_all_faults_of_the_panel_are_told_at_once(opened):
    roles = {"big1": {**REAL, "route": "manual"}, "big2": {**OTHER, "provider": "nobody"}}
    message = refused(opened, roles, judges={"big3": {}}, substitutions={})
    assert message.startswith("3 problems found")


def test_a_substitution_is_used_and_its_reason_kept(opened):
    change = {"big2": {**OTHER, "model": "judge-c-2026-02-02", "reason": "judge-b was retired"}}
    run = opened({"big1": REAL, "big2": OTHER}, substitutions=change)
    assert [judge.substituted for judge in run.judges] == ["", "judge-b was retired"]
    assert [entry["substituted"] for entry in panel_document(run)["judges"]] == ["", "judge-b was retired"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"big2": OTHER}, "'reason' is a required property"),
        ({"big2": {**OTHER, "reason": ""}}, "substitutions.big2.reason"),
        ({"big2": {**OTHER, "reason": "none"}}, "it is the judge that the role map names"),
        ({"big3": {**OTHER, "reason": "more"}}, "substitutions.big3: there is no such judge"),
        ({"big2": {**OTHER, "model": "judge-c", "route": "manual", "reason": "r"}}, "not a metered API"),
        ({"big2": {**REAL, "reason": "same as big1"}}, "would not be independent"),
    ],
)
def test_a_substitution_needs_a_reason_a_need_and_a_proper_judge(opened, change, message):
    assert message in refused(opened, {"big1": REAL, "big2": OTHER}, substitutions=change)


def test_a_judge_cannot_change_within_a_run(opened, tmp_path):
    run = opened({"big1": REAL, "big2": OTHER})
    small_bundle.write(tmp_path / "results/panel.json", json.dumps(panel_document(run)))
    change = {"big2": {**OTHER, "model": "judge-c-2026-02-02", "reason": "judge-b was retired"}}
    message = refused(opened, substitutions=change)
    assert "big2 is no longer the judge of the run 'r-1': model changed" in message and "new id" in message
    assert "parameters changed" in refused(opened, judges={"big1": {"parameters": {"max_completion_tokens": 9}}})
    assert opened(substitutions=change, run="r-2").judges[1].model == "judge-c-2026-02-02"


def test_limits_and_budget_may_change_within_a_run(opened, tmp_path):
    run = opened({"big1": REAL, "big2": OTHER})
    small_bundle.write(tmp_path / "results/panel.json", json.dumps(panel_document(run)))
    changed = opened(judges={"big1": {"requests_per_minute": 9}}, budget_usd=1, max_asks=5)
    assert [judge.digest() for judge in changed.judges] == [judge.digest() for judge in run.judges]


def test_the_results_of_another_bundle_are_not_judged_over(opened, tmp_path):
    run = opened({"big1": REAL, "big2": OTHER})
    small_bundle.write(tmp_path / "results/panel.json", json.dumps({**panel_document(run), "bundle": "other"}))
    message = refused(opened)
    assert "holds results of the bundle 'other', not of 'small'" in message and "--directory" in message


def test_a_damaged_panel_file_is_named(opened, tmp_path):
    small_bundle.write(tmp_path / "results/panel.json", "{")
    assert "results/panel.json: not valid JSON" in refused(opened)


@pytest.mark.parametrize("name", ["../optimum.yaml", "/etc/hostname", "out.yaml"])
def test_the_role_map_lies_in_the_bundle(opened, tmp_path, name):
    (tmp_path / "bundle/out.yaml").symlink_to("/etc/hostname")
    small_bundle.edit(tmp_path / "bundle/bundle.yaml", "protocol:", f"role_map: {name}\nprotocol:")
    assert "leaves the bundle" in refused(opened)


def test_another_parameter_makes_another_judge(opened):
    first = opened({"big1": REAL, "big2": OTHER}).judges[0]
    second = opened(judges={"big1": {"parameters": {"max_completion_tokens": 900}}}).judges[0]
    assert first.digest() != second.digest()


def test_no_key_is_in_the_panel(opened, monkeypatch):
    monkeypatch.setenv("ACME_KEY", "sk-planted-canary")
    assert "sk-planted" not in str(panel_document(opened({"big1": REAL, "big2": OTHER})))
