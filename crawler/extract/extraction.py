"""Turns one page into a `Page`: decodes it, drops hidden text, finds the content, writes it as Markdown."""

from crawler.decoding import decode_html
from crawler.extract.api_references import write_api_code
from crawler.extract.boilerplate import remove_boilerplate, remove_contents_list
from crawler.extract.formulas import write_formulas
from crawler.extract.hidden.hidden_text import remove_hidden
from crawler.extract.hidden.page_styles import PageStyles
from crawler.extract.html_tree import parse_html
from crawler.extract.labels import place_labels
from crawler.extract.links import normaliser_for, read_links, show_addresses, write_button_links
from crawler.extract.main_content import find_main_content
from crawler.extract.markdown.headings import HeadingAnchors
from crawler.extract.markdown.inline import plain_text
from crawler.extract.markdown.text_links import frame_links, mark_links, without_targets
from crawler.extract.markdown.writer import Rendered, write_markdown
from crawler.extract.markdown_html import MARKDOWN_TYPES, markdown_html
from crawler.extract.metadata.linked_data import linked_data, linked_things
from crawler.extract.metadata.page_metadata import (
    declared_language,
    detected_language,
    page_dates,
    page_description,
    page_title,
)
from crawler.extract.page import Page
from crawler.extract.page_frame import site_heading
from crawler.extract.page_signs import read_signs
from crawler.extract.pictures import remove_step_pictures, write_icons
from crawler.extract.product_choices import write_choices
from crawler.extract.rails.rails import remove_rails
from crawler.extract.unmarked_headings import name_cards, write_headings
from crawler.extract.withdrawn_text import mark_withdrawn


def extract_page(body: bytes, url: str, charset: str | None, media_type: str = "text/html") -> Page:
    """Extract the page at `url` (absolute, normalised). Pure and synchronous: milliseconds of CPU time, no I/O.

    `charset` and `media_type` come from the HTTP header; Markdown is converted to HTML first. The page's `markdown` is
    empty if it has no main text; `headings` are its heading lines outside of fenced code, in order, without the targets
    of links. Raises ExtractionFailed if the page cannot be parsed in reasonable time.
    """
    html = decode_html(body, charset)
    if media_type in MARKDOWN_TYPES:
        html = markdown_html(html)
    normalise = normaliser_for(url)
    tree = parse_html(html)
    show_addresses(tree)
    write_button_links(tree)
    links = read_links(tree, url, normalise)  # before hidden parts are removed: menus that open at a click have links
    signs = read_signs(tree)
    things = linked_things(tree)
    linked = linked_data(tree, things)
    published, modified = page_dates(tree, things)
    description = page_description(tree) or linked.description
    language = declared_language(tree)
    write_icons(tree)
    if linked.product is not None:
        write_choices(tree)
    styles = PageStyles(tree)
    hidden_text = remove_hidden(tree, styles)
    mark_withdrawn(tree, styles)
    write_formulas(tree)
    write_api_code(tree)
    write_headings(tree)
    place_labels(tree)
    anchors = HeadingAnchors(tree)
    frame = frame_links(tree)
    site = ""
    if tree.body is not None:
        site = plain_text(heading) if (heading := site_heading(tree.body)) else ""
        remove_boilerplate(tree.body)
    main = find_main_content(tree)
    title = page_title(tree, main, url, site)
    rendered = Rendered("", ())
    if main is not None:
        remove_rails(main)
        remove_contents_list(main)
        remove_step_pictures(main)
        name_cards(tree, main)
        text_links = mark_links(main, tree, url, normalise, frame)
        rendered = text_links.written(write_markdown(main, anchors, linked.questions))
    return Page(
        url=url,
        canonical_url=links.canonical_url,
        title=title,
        markdown=rendered.markdown,
        headings=rendered.headings,
        description=description,
        language=language or detected_language(without_targets(rendered.markdown) or title),
        published=published,
        modified=modified,
        links=links.links,
        is_noindex=links.is_noindex,
        linked=linked,
        signs=signs,
        hidden_text=hidden_text,
    )
