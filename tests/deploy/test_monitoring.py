"""The dashboard and the rules ask for nothing that a server does not say."""

import asyncio
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import promql_parser as promql
import pytest
import yaml
from prometheus_client import CollectorRegistry
from prometheus_client.parser import text_string_to_metric_families

from app.main import open_app
from app.settings import read_settings
from tests.doubles.fake_openai import FakeOpenAI
from tests.doubles.metrics_reader import METRICS_TOKEN, read_metrics
from tests.every_row import every_row
from tests.system.conftest import Running, learnt_agent
from tests.web.live_server import serving

ROOT = Path(__file__).resolve().parents[2]
DASHBOARD: dict[str, Any] = json.loads((ROOT / "deploy/grafana/docent.json").read_text("utf-8"))
RULES: dict[str, Any] = yaml.safe_load((ROOT / "deploy/prometheus/docent.rules.yml").read_text("utf-8"))
OPERATIONS = (ROOT / "docs/operations.md").read_text("utf-8")

EVERY_RULE = [rule for group in RULES["groups"] for rule in group["rules"]]
ALERTS = [rule for rule in EVERY_RULE if "alert" in rule]
RECORDED = {rule["record"] for rule in EVERY_RULE if "record" in rule}
OF_THE_SCRAPE = {"job", "instance"}
MACROS = {"$__rate_interval": "5m", "$__range": "6h", "$job": "docent"}


@dataclass(frozen=True)
class Asked:
    """A series and the labels that an expression matches or groups it by."""

    name: str
    labels: frozenset[str]
    values: frozenset[tuple[str, str]]


def of_dashboard() -> Iterator[tuple[str, str]]:
    for panel in DASHBOARD["panels"]:
        for target in panel["targets"]:
            expression = target["expr"]
            for macro, value in MACROS.items():
                expression = expression.replace(macro, value)
            yield panel["title"], expression


def of_rules() -> Iterator[tuple[str, str]]:
    for rule in EVERY_RULE:
        yield rule.get("alert") or rule["record"], rule["expr"]


def asked(expression: Any, grouped: frozenset[str] = frozenset()) -> Iterator[Asked]:
    """Of a parsed expression; labels of a grouping are asked of all series below it."""
    match expression:
        case promql.VectorSelector():
            matchers = expression.matchers.matchers
            exact = {(each.name, each.value) for each in matchers if each.op == promql.MatchOp.Equal}
            labels = grouped | {each.name for each in matchers}
            yield Asked(expression.name or "", labels, frozenset(exact))
        case promql.MatrixSelector():
            yield from asked(expression.vector_selector, grouped)
        case promql.AggregateExpr():
            own = frozenset(expression.modifier.labels if expression.modifier else ())
            yield from asked(expression.expr, grouped | own)
        case promql.Call():
            for argument in expression.args:
                yield from asked(argument, grouped)
        case promql.BinaryExpr():
            yield from asked(expression.lhs, grouped)
            yield from asked(expression.rhs, grouped)
        case promql.ParenExpr() | promql.UnaryExpr() | promql.SubqueryExpr():
            yield from asked(expression.expr, grouped)
        case promql.NumberLiteral() | promql.StringLiteral():
            return
        case other:
            raise AssertionError(f"an expression of unknown kind: {type(other)}")


@dataclass(frozen=True)
class Said:
    """What /metrics says: the labels of each series that it holds or may come to hold, and the values seen."""

    labels: dict[str, frozenset[str]]
    values: dict[str, set[tuple[str, str]]]
    routes: frozenset[str]


@pytest.fixture(scope="module")
def said(tmp_path_factory: pytest.TempPathFactory) -> Said:
    with FakeOpenAI().running() as provider:
        return asyncio.run(_after_a_question(tmp_path_factory.mktemp("monitored"), provider.url))


async def _after_a_question(folder: Path, provider_url: str) -> Said:
    named = {"model_name": "fake", "metrics_token": METRICS_TOKEN}
    settings = read_settings(data=folder, model_url=provider_url, **named, shutdown_seconds=1)
    agent_id = await learnt_agent(settings)
    async with open_app(settings) as web, serving(web.app) as (_, http):
        await (await Running(http, agent_id, folder).visitor()).ask("How long is the warranty of a lamp?")
        routes = frozenset(str(getattr(route, "path", "")) for route in web.app.routes)
        return _said(await read_metrics(http), web.base.metrics, routes)


def _said(text: str, registry: CollectorRegistry, routes: frozenset[str]) -> Said:
    labels: dict[str, frozenset[str]] = {}
    values: dict[str, set[tuple[str, str]]] = {}
    for family in text_string_to_metric_families(text):
        for sample in family.samples:
            labels[sample.name] = frozenset(sample.labels)
            values.setdefault(sample.name, set()).update(sample.labels.items())
    for collector, names in registry._collector_to_names.items():
        for name in names:  # a counter with labels says nothing until it has counted
            labels.setdefault(name, frozenset(getattr(collector, "_labelnames", ())))
    return Said(labels, values, routes)


@every_row(("where", "expression"), [*of_dashboard(), *of_rules()], ids=lambda value: value[:60])
def test_each_metric_and_label_that_is_asked_for_is_said(said: Said, where: str, expression: str) -> None:
    for one in asked(promql.parse(expression)):
        if one.name in RECORDED:
            continue
        own = one.labels - OF_THE_SCRAPE
        if one.name == "up":
            assert own == frozenset()
            continue
        assert one.name in said.labels, f"{where}: /metrics has no {one.name}"
        assert own <= said.labels[one.name], f"{where}: {one.name} has no {own - said.labels[one.name]}"


@every_row(("where", "expression"), [*of_dashboard(), *of_rules()], ids=lambda value: value[:60])
def test_each_route_and_bucket_that_is_asked_for_exists(said: Said, where: str, expression: str) -> None:
    for one in asked(promql.parse(expression)):
        for label, value in one.values:
            if label == "route":
                assert value in said.routes, where
            if label == "le":
                assert (label, value) in said.values[one.name], where


def test_every_metric_of_ours_is_shown_or_watched(said: Said) -> None:
    """One that nobody looks at is forgotten here, or not worth counting."""
    looked_at = {one.name for _, text in [*of_dashboard(), *of_rules()] for one in asked(promql.parse(text))}
    ours = {name for name in said.labels if name.startswith("docent_") and not name.endswith("_created")}
    families = {name.removesuffix("_bucket").removesuffix("_count").removesuffix("_sum") for name in ours}
    shown = {name.removesuffix("_bucket").removesuffix("_count").removesuffix("_sum") for name in looked_at}
    counters = {name for name in families if f"{name}_total" in families}  # the family of a counter, beside its series
    assert families - shown - counters == set()


@every_row("alert", ALERTS, ids=lambda alert: alert["alert"])
def test_an_alert_says_what_is_wrong_and_what_to_do(alert: dict[str, Any]) -> None:
    assert alert["labels"]["severity"] in {"page", "ticket"}
    assert set(alert["annotations"]) == {"summary", "description"}
    assert f"`{alert['alert']}`" in OPERATIONS, "docs/operations.md lists the alerts"


def test_the_dashboard_lays_no_panel_over_another_and_gives_each_a_number_of_its_own() -> None:
    taken: set[tuple[int, int]] = set()
    for panel in DASHBOARD["panels"]:
        place = panel["gridPos"]
        cells = {(place["x"] + x, place["y"] + y) for x in range(place["w"]) for y in range(place["h"])}
        assert not cells & taken, panel["title"]
        assert max(x for x, _ in cells) < 24
        taken |= cells
    numbers = [panel["id"] for panel in DASHBOARD["panels"]]
    assert len(set(numbers)) == len(numbers)
