"""`docent doctor --model`: how long visitors wait for the chat models, and which form of the prompt suits them."""

import json
from pathlib import Path

import pytest

from app.cli.doctor.model_probe import ModelProbe, Probe, better_form
from tests.cli.doctor.test_model_check import doctor
from tests.doubles.fake_openai import Answer, FakeOpenAI, Refuse, Say
from tests.every_row import every_row

READY = Say(["ready"])
CITING = Say(["It costs €3.90 ", "a month [2]."], usage=(1_900, 12))
CARELESS = Say(["It costs ", "€3.90 a month."], usage=(2_000, 10))


def probed(data: Path, *answers: Answer, **environment: str) -> tuple[int, str, FakeOpenAI]:
    with FakeOpenAI().running() as fake:
        fake.plays(*answers)
        told = {"DOCENT_MODEL_URL": fake.url, "DOCENT_MODEL_NAME": "small", **environment}
        return *doctor(data, "--model", "--json", **told), fake


def test_each_form_is_asked_once_with_a_prompt_of_a_visitors_size(tmp_path: Path) -> None:
    code, told, fake = probed(tmp_path, READY, CARELESS, CITING)
    [model] = json.loads(told)["models"]
    assert code == 0
    assert [probe["form"] for probe in model["probes"]] == ["full", "short"]
    assert [probe["prompt_tokens"] for probe in model["probes"]] == [2_000, 1_900]
    assert [probe["cites"] for probe in model["probes"]] == [False, True]
    assert model["recommended"] == "short"
    _, full, short = (asked.body["messages"] for asked in fake.asked)
    assert all(len(json.dumps(each)) > 5_000 for each in (full, short))
    assert all("3.90" in each[-1]["content"] for each in (full, short))
    assert [message["role"] for message in full] == ["system", "user"]
    assert [message["role"] for message in short] == ["system", "user", "assistant", "user"]


def test_the_full_form_is_recommended_where_both_do(tmp_path: Path) -> None:
    with FakeOpenAI().running() as fake:
        fake.plays(READY, CITING, CITING)
        fake.refused_fields = frozenset({"stream_options"})
        code, told = doctor(tmp_path, "--model", DOCENT_MODEL_URL=fake.url, DOCENT_MODEL_NAME="small")
    assert code == 0
    assert "model small, full prompt of " in told
    assert "first word after 0." in told
    assert "model small: does not take stream_options; answers are asked for without" in told
    assert "model small: the full prompt is recommended; the full one is set" in told


def test_a_model_that_says_nothing_in_time_is_a_finding_with_what_visitors_get(tmp_path: Path) -> None:
    slow = Say(["It costs €3.90 [2]."], pace_seconds=0.3)
    code, told, _ = probed(tmp_path, READY, slow, slow, DOCENT_MODEL_SILENCE_SECONDS="0.2")
    [model] = json.loads(told)["models"]
    assert code == 1
    assert (
        "DOCENT_MODEL_SILENCE_SECONDS ends an answer after 0.2 s without a word, so visitors get quotations"
        in model["problem"]
    )


def test_a_model_that_does_not_answer_is_a_finding(tmp_path: Path) -> None:
    code, told, _ = probed(tmp_path, Refuse(401))
    assert code == 1
    assert "refused the API key" in json.loads(told)["models"][0]["problem"]


def test_without_a_model_it_says_what_to_set(tmp_path: Path) -> None:
    assert doctor(tmp_path, "--model")[0] == 1


@every_row(
    ("full", "short", "better"),
    [
        pytest.param((2.0, True), (1.0, True), "full", id="fast enough"),
        pytest.param((9.0, True), (6.0, True), "short", id="slow, and a third faster"),
        pytest.param((9.0, True), (8.5, True), "full", id="hardly faster"),
        pytest.param((9.0, True), (6.0, False), "full", id="faster, and does not cite"),
        pytest.param((1.0, False), (1.0, True), "short", id="only the short form cites"),
    ],
)
def test_the_short_form_is_recommended_where_it_helps(
    full: tuple[float, bool], short: tuple[float, bool], better: str
) -> None:
    def probe(form: str, seconds: float, cites: bool) -> Probe:
        return Probe(form, 2_000, seconds, seconds + 1, 20, cites)

    probes = probe("full", *full), probe("short", *short)
    assert better_form(*probes).form == better
    assert "20 tokens a second" in next(ModelProbe("model", "m", "full", probes).in_words())
