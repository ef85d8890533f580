"""The demo website keeps its promises: links, heads, oddities, facts, and the golden questions over it."""

import json
import re
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote, urljoin, urlsplit

import pytest
from selectolax.lexbor import LexborHTMLParser

from app.cli.demo.script import nimbrel_plan
from tests.every_row import every_row

ROOT = Path(__file__).resolve().parents[2]
SITE = ROOT / "app" / "demo_site"
GOLDEN = ROOT / "tests" / "data" / "demo_golden_questions.jsonl"

BASE = "{{base}}"
WIDGET = "<!-- docent-widget -->"
KNOWN_404 = "/blog/winter-dashboard/"
NO_INDEX = "/thank-you/"
FORBIDDEN = "/internal/margins.html"
MARKER = "pelican-teacup-4471"


@dataclass(frozen=True, slots=True)
class Page:
    """One HTML file, `path` as a visitor types it."""

    path: str
    source: str
    tree: LexborHTMLParser

    @property
    def main_text(self) -> str:
        main = self.tree.css_first("main")
        return squeeze(main.text(separator="")) if main else ""

    @property
    def title(self) -> str:
        node = self.tree.css_first("head title")
        return node.text() if node else ""

    @property
    def is_indexable(self) -> bool:
        robots = attribute(self.tree, 'meta[name="robots"]', "content")
        return "noindex" not in robots and not self.path.startswith("/internal/")

    @property
    def anchors(self) -> set[str]:
        return {node.attributes["id"] or "" for node in self.tree.css("[id]")}


def squeeze(text: str) -> str:
    return re.sub(r"\s+", " ", text).strip()


def attribute(tree: LexborHTMLParser, selector: str, name: str) -> str:
    node = tree.css_first(selector)
    return (node.attributes.get(name) or "") if node else ""


def load_page(file: Path) -> Page:
    path = "/" + file.relative_to(SITE).as_posix().removesuffix("index.html")
    source = file.read_text(encoding="utf-8")
    return Page(path, source, LexborHTMLParser(source))


def load_json_object(text: str) -> dict[str, object]:
    value = json.loads(text)
    assert isinstance(value, dict)
    return value


PAGES = {page.path: page for page in map(load_page, sorted(SITE.rglob("*.html")))}
MANIFEST = load_json_object((SITE / "site.json").read_text(encoding="utf-8"))
QUESTIONS = [load_json_object(line) for line in GOLDEN.read_text(encoding="utf-8").splitlines()]


def redirects() -> dict[str, str]:
    value = MANIFEST["redirects"]
    assert isinstance(value, dict)
    return {str(old): str(new) for old, new in value.items()}


def strings(question: dict[str, object], key: str) -> list[str]:
    value = question[key]
    assert isinstance(value, list)
    return [str(item) for item in value]


def internal_links(page: Page) -> list[str]:
    links = [node.attributes.get("href") or "" for node in page.tree.css("a[href]")]
    return [urljoin(page.path, link) for link in links if not urlsplit(link).scheme]


def resolve(link: str) -> Page | None:
    """The page that a link leads to, redirects followed; None is a 404."""
    path = unquote(urlsplit(link).path)
    return PAGES.get(redirects().get(path, path))


# the shape of every page


def test_a_page_has_language_title_description_main_and_one_h1() -> None:
    for page in PAGES.values():
        assert attribute(page.tree, "html", "lang") == "en", page.path
        assert page.title.endswith(" | Nimbrel"), page.path
        assert 40 <= len(attribute(page.tree, 'meta[name="description"]', "content")) <= 170, page.path
        assert len(page.tree.css("main")) == 1, page.path
        assert len(page.tree.css("h1")) == 1, page.path
        for landmark in ("header nav", "footer nav", "aside.cookies"):
            assert page.tree.css_first(landmark) is not None, page.path


def test_a_page_names_its_own_address_with_the_base_placeholder() -> None:
    for page in PAGES.values():
        assert attribute(page.tree, 'link[rel="canonical"]', "href") == BASE + page.path, page.path
        assert attribute(page.tree, 'meta[property="og:url"]', "content") == BASE + page.path, page.path


def test_the_widget_placeholder_stands_once_just_before_the_end_of_the_body() -> None:
    for page in PAGES.values():
        assert page.source.count(WIDGET) == 1, page.path
        assert re.search(re.escape(WIDGET) + r"\s*</body>\s*</html>\s*$", page.source), page.path


def test_a_page_works_under_a_strict_content_security_policy() -> None:
    for page in PAGES.values():
        assert not page.tree.css("style, [style], iframe, object, embed"), page.path
        for script in page.tree.css("script"):
            assert script.attributes.get("type") == "application/ld+json", page.path
            json.loads(script.text())
        handlers = [name for node in page.tree.css("body *") for name in node.attributes if name.startswith("on")]
        assert handlers == [], page.path


def test_headings_under_the_title_can_be_linked_and_ids_are_unique() -> None:
    for page in PAGES.values():
        ids = [node.attributes["id"] for node in page.tree.css("[id]")]
        assert len(ids) == len(set(ids)), page.path
        assert all(node.attributes.get("id") for node in page.tree.css("main h2, main h3")), page.path


def test_titles_and_descriptions_are_unique() -> None:
    titles = [page.title for page in PAGES.values()]
    descriptions = [attribute(page.tree, 'meta[name="description"]', "content") for page in PAGES.values()]
    assert len(set(titles)) == len(titles)
    assert len(set(descriptions)) == len(descriptions)


def test_at_least_thirty_pages_may_be_indexed() -> None:
    assert sum(page.is_indexable for page in PAGES.values()) >= 30


# links


def test_every_internal_link_leads_to_a_page_or_is_the_known_404() -> None:
    for page in PAGES.values():
        for link in internal_links(page):
            target = resolve(link)
            if target is None:
                assert urlsplit(link).path == KNOWN_404, f"{page.path} links to missing {link}"
                continue
            fragment = urlsplit(link).fragment
            assert not fragment or fragment in target.anchors, f"{page.path} links to missing {link}"


def test_style_sheet_icon_and_pictures_exist() -> None:
    for page in PAGES.values():
        assets = [node.attributes.get("src") or "" for node in page.tree.css("img")]
        assets += [
            node.attributes.get("href") or "" for node in page.tree.css('link[rel="icon"], link[rel="stylesheet"]')
        ]
        for asset in assets:
            assert (SITE / asset.lstrip("/")).is_file(), asset


def test_every_page_is_reached_from_the_home_page() -> None:
    seen, waiting = {"/"}, ["/"]
    while waiting:
        for link in internal_links(PAGES[waiting.pop()]):
            target = resolve(link)
            if target is not None and target.path not in seen:
                seen.add(target.path)
                waiting.append(target.path)
    assert seen == set(PAGES)


# the oddities, on purpose


def test_the_known_404_is_linked_from_exactly_one_page() -> None:
    sources = [page.path for page in PAGES.values() if KNOWN_404 in internal_links(page)]
    assert sources == ["/blog/solar-in-winter/"]


def test_the_redirect_is_linked_and_leads_from_a_missing_path_to_a_page() -> None:
    linked = {urlsplit(link).path for page in PAGES.values() for link in internal_links(page)}
    assert redirects() == {"/plans/": "/pricing/"}
    for old, new in redirects().items():
        assert old in linked
        assert old not in PAGES
        assert new in PAGES


def test_only_the_thank_you_page_is_noindex() -> None:
    pages = [page.path for page in PAGES.values() if page.tree.css_first('meta[name="robots"]') is not None]
    assert pages == [NO_INDEX]
    assert not PAGES[NO_INDEX].is_indexable


def test_a_tracking_address_is_linked_and_is_the_same_page() -> None:
    tracked = [link for page in PAGES.values() for link in internal_links(page) if "utm_" in link]
    assert len(tracked) == 1
    assert resolve(tracked[0]) is PAGES["/pricing/"]


def test_the_marker_stands_only_on_the_forbidden_page() -> None:
    assert [page.path for page in PAGES.values() if MARKER in page.source] == [FORBIDDEN]
    assert MARKER not in GOLDEN.read_text(encoding="utf-8")


# robots.txt, sitemap.xml, site.json


def test_robots_allows_all_but_internal_and_names_the_sitemap() -> None:
    lines = (SITE / "robots.txt").read_text(encoding="utf-8").splitlines()
    assert [line for line in lines if line] == [
        "User-agent: *",
        "Allow: /",
        "Disallow: /internal/",
        f"Sitemap: {BASE}/sitemap.xml",
    ]


def test_the_sitemap_lists_exactly_the_indexable_pages() -> None:
    sitemap = (SITE / "sitemap.xml").read_text(encoding="utf-8")
    addresses = re.findall(r"<loc>([^<]+)</loc>", sitemap)
    expected = {BASE + page.path for page in PAGES.values() if page.is_indexable}
    assert len(addresses) == len(set(addresses)) == len(re.findall(r"<lastmod>\d{4}-\d\d-\d\d</lastmod>", sitemap))
    assert set(addresses) == expected


def test_the_manifest_names_the_site() -> None:
    assert set(MANIFEST) == {"name", "description", "redirects"}
    assert MANIFEST["name"] == "Nimbrel"
    assert isinstance(MANIFEST["description"], str)


def test_the_folder_holds_data_only() -> None:
    kinds = {file.suffix for file in SITE.rglob("*") if file.is_file()}
    assert kinds == {".html", ".css", ".svg", ".txt", ".xml", ".json", ".md"}


# one fact, one value

PLAN_COLUMNS = ["Basic", "Plus", "Pro", "Network"]


def plan_rows(page: Page) -> dict[str, list[str]]:
    """Rows of all tables whose columns are the four plans: label to the four cells."""
    rows: dict[str, list[str]] = {}
    for table in page.tree.css("main table"):
        if [squeeze(cell.text()) for cell in table.css("thead th")][-4:] != PLAN_COLUMNS:
            continue
        for row in table.css("tbody tr"):
            label, *cells = [squeeze(cell.text()) for cell in row.css("th, td")]
            rows[label] = cells
    return rows


@pytest.mark.parametrize("label", ["Per month", "Per year", "Alert rules"])
def test_pricing_and_compare_plans_agree(label: str) -> None:
    assert plan_rows(PAGES["/pricing/"])[label] == plan_rows(PAGES["/pricing/compare/"])[label]


@pytest.mark.parametrize("label", ["Alert rules", "SMS per month"])
def test_alerts_and_compare_plans_agree(label: str) -> None:
    assert plan_rows(PAGES["/features/alerts/"])[label] == plan_rows(PAGES["/pricing/compare/"])[label]


def test_part_numbers_have_one_price() -> None:
    table = {}
    for row in PAGES["/products/"].tree.css("#price-list ~ .table tbody tr"):
        number, _, price = [squeeze(cell.text()) for cell in row.css("th, td")]
        table[number] = price
    assert len(table) == 11
    stated = re.compile(r"(NB-[A-Z]?\d+), (€\d+)|\((NB-[A-Z]?\d+)\) costs (€\d+)|\((NB-[A-Z]?\d+), (€\d+)\)")
    mentions = 0
    for page in PAGES.values():
        for groups in stated.findall(page.main_text):
            number, price = (part for part in groups if part)
            assert price == table[number], f"{page.path}: {number} {price}"
            mentions += 1
    assert mentions >= 15


@pytest.mark.parametrize("path", ["/products/one/", "/products/one-wind/"])
def test_product_data_states_the_price_of_the_page(path: str) -> None:
    page = PAGES[path]
    blocks = [load_json_object(node.text()) for node in page.tree.css('script[type="application/ld+json"]')]
    product = next(block for block in blocks if block["@type"] == "Product")
    offer = product["offers"]
    assert isinstance(offer, dict)
    assert f"costs €{float(str(offer['price'])):.0f} including VAT" in page.main_text


@every_row(
    ("fact", "paths"),
    [
        ("€3.90", ["/pricing/", "/pricing/compare/", "/changelog/", "/blog/basic-history-30-days/"]),
        ("€14.50 a month", ["/pricing/", "/blog/64-schools/"]),
        ("30 days of history", ["/", "/pricing/", "/faq/", "/help/cancel/", "/blog/basic-history-30-days/"]),
        ("60 days", ["/products/one/", "/help/battery/", "/help/winter/", "/faq/", "/features/wind/"]),
        ("40 days", ["/products/one-wind/", "/help/battery/", "/help/winter/", "/faq/", "/features/wind/"]),
        ("300 m in the open", ["/products/one/", "/products/one-wind/", "/help/choose-a-spot/", "/faq/"]),
        ("72 hours", ["/developers/local-api/", "/features/history/", "/help/connect-wifi/", "/faq/"]),
        ("within 5 working days after the parcel", ["/help/refunds/", "/faq/"]),
        ("Within 5 working days after the parcel", ["/returns/"]),
        ("+353 20 915 0123", ["/contact/", "/accessibility/"]),
        ("3.4.2", ["/help/firmware/", "/changelog/"]),
        ("457 tips", ["/help/rain-gauge/", "/blog/500-millilitres/"]),
        ("flat €45", ["/warranty/", "/about/"]),
        ("38 people", ["/", "/careers/", "/press/"]),
        ("blurred to 500 m", ["/privacy/", "/features/rain/", "/help/sharing/", "/faq/"]),
    ],
)
def test_a_fact_is_stated_alike_wherever_it_is_stated(fact: str, paths: list[str]) -> None:
    assert [path for path in paths if fact not in PAGES[path].main_text] == []


# golden questions


def test_there_are_sixty_golden_questions_with_unique_ids_and_words() -> None:
    assert len(QUESTIONS) == 60
    assert len({question["id"] for question in QUESTIONS}) == 60
    assert len({question["question"] for question in QUESTIONS}) == 60
    assert sum(question["answerable"] is True for question in QUESTIONS) == 46


def test_unanswerable_questions_are_off_topic_or_near_misses_without_pages() -> None:
    kinds = [question["kind"] for question in QUESTIONS if not question["answerable"]]
    assert (kinds.count("off_topic"), kinds.count("near_miss")) == (4, 10)
    assert all(not strings(question, "relevant") for question in QUESTIONS if not question["answerable"])


def test_a_golden_answer_stands_on_its_relevant_pages() -> None:
    for question in QUESTIONS:
        assert set(question) == {"id", "question", "relevant", "answer_contains", "answerable", "kind"}
        if not question["answerable"]:
            continue
        assert question["kind"] in {"direct", "paraphrase", "two_pages", "short", "typo"}
        pages = [PAGES[path] for path in strings(question, "relevant")]
        assert pages
        assert all(page.is_indexable for page in pages)
        for fact in strings(question, "answer_contains"):
            assert any(fact in page.main_text for page in pages), fact


def test_no_single_page_answers_a_two_page_question() -> None:
    for question in QUESTIONS:
        if question["kind"] != "two_pages":
            continue
        facts = strings(question, "answer_contains")
        found = {
            path: [fact for fact in facts if fact in PAGES[path].main_text] for path in strings(question, "relevant")
        }
        assert all(0 < len(of_page) < len(facts) for of_page in found.values()), found


def test_the_widget_wears_the_sites_colour() -> None:
    color = nimbrel_plan(BASE, ()).color
    assert f'<meta name="theme-color" content="{color}">' in (SITE / "index.html").read_text("utf-8")
    assert f"--accent: {color};" in (SITE / "style.css").read_text("utf-8")
