"""How an agent searches, set and tried at the console."""

import re
from dataclasses import replace
from datetime import date, timedelta
from uuid import UUID, uuid4

from app.agents.agent import AgentConfig
from app.agents.agents import Agents
from app.agents.retrieval_settings import ConfidenceScale, FusionMethod, RerankMode, RetrievalSettings
from app.agents.widget_settings import Fallback, Theme
from app.core.list_page import PageRequest
from app.core.search_filter import AttributeFilter, SearchFilter
from app.core.setting import settings_of
from app.quality.golden_question import GoldenMark, GoldenSide
from app.quality.records.golden_questions import GoldenRunRecords
from app.web.console.forms import blocks
from tests.every_row import every_row
from tests.web.console.browser import ConsoleBrowser, text_of
from tests.web.console.page_examples import FORMS, OpenConsole
from tests.web.house import House

SETTINGS = {name: str(value) for name, value in FORMS["save_search_settings"].items()}


def page_of(house: House) -> str:
    return f"/console/agents/{house.agent.id}/settings/search"


@every_row("kind", [AgentConfig("Ada"), Theme(), Fallback(), RetrievalSettings()], ids=lambda kind: type(kind).__name__)
def test_each_setting_says_what_it_does(kind: object) -> None:
    groups = {setting.group for setting in settings_of(type(kind)).values()}
    views = [view for group in groups for block in blocks(kind, group) for view in block]
    says = {view.name: [view.label, view.hint, *(words for _, words in view.options)] for view in views}
    assert [name for name, texts in says.items() if max(len(text.split()) for text in texts) < 3] == []


async def draft_of(house: House) -> RetrievalSettings:
    return (await house.parts.get(Agents).agent(house.actor, house.agent.id)).draft.retrieval


async def test_a_preset_sets_what_it_names_and_leaves_the_rest(house: House, browser: ConsoleBrowser) -> None:
    await browser.post(page_of(house), {**SETTINGS, "recall_per_list": "80", "filter_languages": "en"})
    assert "Draft set to the preset" in await browser.flash(
        await browser.post(f"{page_of(house)}/preset", {"preset": "reference"})
    )
    draft = (await house.parts.get(Agents).agent(house.actor, house.agent.id)).draft
    search = draft.retrieval
    assert (search.fusion, search.rrf_k, search.rerank) == (FusionMethod.RRF, 60, RerankMode.JUDGE)
    assert search.confidence_from is ConfidenceScale.RERANKER
    # As .4 in sigmoid(.4 x).
    assert (1 / search.confidence_steepness, draft.confidence_threshold) == (0.4, 0.501)
    assert (search.recall_per_list, search.filter.languages) == (80, ("en",))
    assert 'Reference</strong> <span class="badge good">set</span>' in await browser.page(page_of(house))

    api = f"/v1/agents/{house.agent.id}/retrieval-preset"
    back = (await house.api("POST", api, {"preset": "measured"})).json()["draft"]
    assert (back["confidence_threshold"], back["retrieval"]["fusion"]) == (0.25, "score")
    assert back["retrieval"]["recall_per_list"] == 80


async def test_a_saved_form_is_how_the_draft_searches(house: House, browser: ConsoleBrowser) -> None:
    fields = {
        **SETTINGS,
        "fusion": "rrf",
        "rerank": "off",
        "recall_per_list": "80",
        "follow_ups": "",  # a box that is not ticked
        "filter_languages": "en\r\nde",
        "filter_dated_from": "2026-01-02",
    }
    assert "Draft saved" in await browser.flash(await browser.post(page_of(house), fields))
    saved = await draft_of(house)
    assert saved == replace(
        RetrievalSettings(),
        fusion=FusionMethod.RRF,
        rerank=RerankMode.OFF,
        recall_per_list=80,
        vector_weight=2.0,
        follow_ups=False,
        filter=SearchFilter(
            path_prefixes=("/docs/",),
            languages=("en", "de"),
            dated_from=date(2026, 1, 2),
            attributes=(AttributeFilter("plan", ("pro", "basic")),),
        ),
    )


async def test_the_page_holds_what_it_saves(house: House, browser: ConsoleBrowser) -> None:
    """What a browser would send back of the page as it is changes nothing."""
    await browser.post(page_of(house), SETTINGS)
    page, saved = await browser.page(page_of(house)), await draft_of(house)
    form = page[page.index('class="whole settings"') :]
    sent = dict(re.findall(r'<input id="[^"]*" name="(\w+)" type="(?:number|date)" value="([^"]*)"', form))
    sent |= dict.fromkeys(re.findall(r'name="(\w+)" type="checkbox" value="true" checked', form), "true")
    chosen = re.findall(r'<select id="[^"]*" name="(\w+)".*?<option value="(\w+)" selected', form, re.S)
    areas = re.findall(r'<textarea id="[^"]*" name="(\w+)"[^>]*>\n(.*?)</textarea>', form, re.S)
    await browser.post(page_of(house), {**sent, **dict(chosen), **dict(areas)})
    assert await draft_of(house) == saved


async def test_a_wrong_setting_is_named_beside_its_field_and_nothing_is_saved(
    house: House, browser: ConsoleBrowser
) -> None:
    before = await draft_of(house)
    for name, value in {
        "recall_per_list": "0",
        "engagement_weight": "1.5",
        "sources": "many",
        "fusion": "magic",
        "filter_languages": "english",
        "filter_path_prefixes": "docs",
        "filter_attributes": "plan",
    }.items():
        refused = await browser.post(page_of(house), {**SETTINGS, "rrf_k": "77", name: value})
        assert refused.status_code == 422, name
        assert re.search(rf'id="save_search_settings-{name}-wrong">[^<]', refused.text), name
        assert 'value="77"' in refused.text
    assert await draft_of(house) == before


async def test_a_question_is_searched_for_by_draft_and_live_side_by_side(house: House, browser: ConsoleBrowser) -> None:
    page = text_of(await browser.page(f"{page_of(house)}?question=What+does+it+cost%3F"))
    assert page.index("Draft confidence") < page.index("Published confidence")
    assert "Stages of the" not in text_of(await browser.page(page_of(house)))


async def test_a_number_that_is_not_the_default_says_what_that_was(house: House, browser: ConsoleBrowser) -> None:
    await browser.post(page_of(house), {**SETTINGS, "sources": "9"})
    page = text_of(await browser.page(page_of(house)))
    assert "With a chat model, more of them cost more tokens; 1 to 20. Default: 6." in page
    assert "Default: 18." not in page


async def test_experimental_settings_are_folded_until_one_is_in_use(house: House, browser: ConsoleBrowser) -> None:
    fold = '<details class="fold quiet"{}><summary class="button quiet">Show</summary>'
    assert fold.format("") in await browser.page(page_of(house))
    refused = await browser.post(page_of(house), {**SETTINGS, "engagement_weight": "1.5"})
    assert fold.format(" open") in refused.text
    await browser.post(page_of(house), {**SETTINGS, "engagement_weight": "0.1"})
    assert fold.format(" open") in await browser.page(page_of(house))


async def test_a_change_is_tried_on_the_golden_questions(console: OpenConsole) -> None:
    """Of two questions one is found by the live version alone, and one by the draft alone."""
    house, page = console.house, page_of(console.house)
    await console.editor.post(page, SETTINGS)
    shown = text_of(await console.viewer.page(page))
    assert "Run golden questions" not in shown  # a viewer only reads
    assert "have changed since the last run. Run 1 golden question" in shown
    house.clock.advance(1)  # after the run that the house has
    asked = await console.editor.post(f"{page}/golden")
    assert asked.headers["location"].endswith("/settings/search#golden")
    assert "Asked 1 of 1 golden questions." in await console.editor.flash(asked)
    assert "get the same questions right." in text_of(await console.viewer.page(page))

    def mark(golden: int, is_right: bool) -> GoldenMark:
        return GoldenMark(UUID(int=golden), f"Question {golden}?", None, 0.5, True, is_right)

    later = house.clock.now() + timedelta(seconds=1)
    with house.record.writing() as tx:
        [run] = GoldenRunRecords(tx).page(house.agent.id, PageRequest(1)).items
        live, draft = (
            GoldenSide({}, 0, marks) for marks in ((mark(1, True), mark(2, False)), (mark(1, False), mark(2, True)))
        )
        GoldenRunRecords(tx).add(
            replace(run, id=uuid4(), asked_at=later, asked=2, questions=2, live=live, draft=draft), 50
        )
    shown = text_of(await console.viewer.page(page))
    assert "Lost: wrong only in the draft 1 Question 1?" in shown
    assert "Gained: right only in the draft 1 Question 2?" in shown
    assert "Draft right 1 of 2" in shown
    await console.editor.post(page, SETTINGS | {"vector_weight": "3"})
    assert "have changed since" in text_of(await console.viewer.page(page))
