"""What a website's analytics is told of an answer, by the recipes and the libraries of the services themselves."""

import json
from typing import Any

import pytest
from playwright.sync_api import Page, Request, Route

from tests.docs.fenced_blocks import ROOT
from tests.e2e.chat import Chat
from tests.e2e.real_docent import WARRANTY, RealDocent
from tests.recipes.recipe_blocks import snippet
from tests.recipes.tools import npm_project, run
from tests.recipes.website import Website

ESBUILD = ROOT / "widget/node_modules/.bin/esbuild"
Json = dict[str, Any]

SEGMENT = """
import { AnalyticsBrowser } from "@segment/analytics-next";
window.analytics = AnalyticsBrowser.load({ writeKey: "k", cdnURL: "https://cdn.segment.test" });
"""
POSTHOG = """
import posthog from "posthog-js";
window.posthog = posthog;
posthog.init("phc_k", {
  api_host: "https://posthog.test",
  disable_compression: true,
  request_batching: false,
  autocapture: false,
  capture_pageview: false,
  disable_session_recording: true,
  advanced_disable_flags: true,
  opt_out_useragent_filter: true, // a driven browser is left out else
});
"""
GTAG = """
window.dataLayer = window.dataLayer || [];
function gtag() { dataLayer.push(arguments); }
gtag("js", new Date());
gtag("config", "G-1");
"""


@pytest.fixture
def sent(page: Page, docent: RealDocent, site: Website) -> list[Request]:
    """What goes to anybody but Docent and the website, each answered as the service does where all is well."""
    site.policy = ""
    gone: list[Request] = []

    def answer(route: Route, request: Request) -> None:
        gone.append(request)
        route.fulfill(
            json={"integrations": {"Segment.io": {"apiKey": "k"}}}, headers={"Access-Control-Allow-Origin": "*"}
        )

    known = (docent.base, site.origin)
    page.route(lambda address: address.startswith("http") and not address.startswith(known), answer)
    return gone


def ask(page: Page, site: Website, script: str, recipe: str, docent: RealDocent) -> None:
    tag = f'<script async src="{docent.base}/widget/widget.js" data-agent="{docent.agent_id}"></script>'
    scripts = f"<script>{script}</script><script>{recipe}</script>{tag}"
    site.write(f"<!doctype html><html lang=en><meta charset=utf-8><title>Lamps</title><body>{scripts}")
    chat = Chat.opened(page, f"{site.origin}/")
    chat.ask(WARRANTY)
    chat.finish()


def bundled(script: str, *packages: str) -> str:
    with npm_project(*packages) as project:
        (project / "main.js").write_text(script)
        run([str(ESBUILD), "main.js", "--bundle", "--format=iife", "--minify", "--outfile=out.js"], project)
        return (project / "out.js").read_text("utf-8").replace("</script", "<\\/script")


def posted(sent: list[Request], host: str) -> list[Json]:
    return [json.loads(each.post_data or "null") for each in sent if each.method == "POST" and host in each.url]


def test_google_is_told_by_the_data_layer(page: Page, site: Website, docent: RealDocent, sent: list[Request]) -> None:
    ask(page, site, GTAG, snippet(docent, "Google Analytics 4"), docent)
    layer = page.evaluate("dataLayer.map((each) => [...each])")
    [(_, _, told)] = [each for each in layer if each[:2] == ["event", "docent_answer"]]
    assert set(told) == {"low_confidence", "sources"}
    assert told["low_confidence"] is False
    assert told["sources"] > 0
    assert sent == []


def test_segment_is_told_by_its_own_library(page: Page, site: Website, docent: RealDocent, sent: list[Request]) -> None:
    library = bundled(SEGMENT, "@segment/analytics-next@1.84.3")
    with page.expect_response(lambda response: "segment.io/v1/t" in response.url):
        ask(page, site, library, snippet(docent, "Segment"), docent)
    [event] = [each for each in posted(sent, "segment.io") if each.get("event") == "Docent answer"]
    assert event["properties"]["low_confidence"] is False
    assert event["properties"]["sources"] > 0
    assert WARRANTY not in str(posted(sent, ""))


def test_posthog_is_told_by_its_own_library(page: Page, site: Website, docent: RealDocent, sent: list[Request]) -> None:
    library = bundled(POSTHOG, "posthog-js@1.449.2")
    with page.expect_response(lambda response: "docent_answer" in (response.request.post_data or "")):
        ask(page, site, library, snippet(docent, "PostHog"), docent)
    events = [told for told in posted(sent, "posthog.test") if "docent_answer" in str(told)]
    assert '"low_confidence": false' in json.dumps(events)
    assert WARRANTY not in str(posted(sent, ""))
