"""Removes the frame of a page, the parts around its content: navigation, banners, footers, edit links, buttons.

They are recognised by markup (tags, roles, whole words of class and id) and by a few phrases that only label such
parts. A part with the first heading, or with much of the text, is always content.
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import groupby

from selectolax.lexbor import LexborNode

from crawler.extract.html_tree import (
    HEADING_TAGS,
    ancestors,
    class_names,
    elements_before,
    letters,
    outermost,
    side_by_side,
    text_length,
)
from crawler.extract.page_frame import frame_by_words, site_heading

_BY_MARKUP = (
    "nav,footer,aside,form,button,dialog,menu,header,"
    "[role=navigation],[role=banner],[role=contentinfo],[role=search],[role=complementary],[role=dialog],"
    "[role=alertdialog],[role=menu],[role=menubar],[role=toolbar],[role=tablist],[role=tooltip],"
    "[role=button],[rel~=prev],[rel~=next],[accesskey=n],[accesskey=p]"
)
_NAMES = """
nav navbar navigation navheader navfooter sitenav subnav topnav sidenav breadcrumb breadcrumbs crumbs
breadcrumbs-container sidebar sidebars sphinxsidebar sphinxsidebarwrapper globaltoc on-this-page page-toc
pagination pager paginate prev-next next-prev footer site-footer page-footer sitefooter colophon copyright
cookie cookies cookie-banner cookie-consent cookiebanner cookieconsent consent gdpr onetrust share sharing
share-buttons social social-share social-links addthis newsletter signup subscribe subscription promo advert
advertisement ads ad adsbygoogle sponsor sponsored related related-posts related-articles related-links
recommended recommendations comments comment-form respond disqus edit-this-page editthispage edit-on-github
edit-link feedback was-this-helpful skip-link skiplink skip-to-content skip-nav skipnav back-to-top backtotop
scroll-top totop searchbox search-form search-box searchform language-switcher language-selector lang-switcher
version-switcher version-selector theme-switcher theme-toggle menu mega-menu dropdown-menu mobile-menu
hamburger modal popup popover overlay lightbox tooltip copybtn copy-button copy-btn clipboard print-only
noprint no-print d-print-none masthead topbar top-bar site-header utility-nav announcement announcement-bar
toctree-l1-nav mw-editsection mw-jump-link navbox catlinks printfooter vector-header linenos lineno linenodiv
line-numbers-rows gutter rouge-gutter blob-num crayon-nums headerlinks sphinx-tabs-nav wy-nav-side
wy-side-scroll rst-footer-buttons rst-versions bd-sidebar bd-toc bd-header md-sidebar md-header md-footer
md-source-file article-author article-meta article-votes article-relatives article-return-to-top
article-more-questions entry-meta post-meta posted-on byline related-products product-recommendations upsells
cross-sells jp-relatedposts sharedaddy article-template__back article-template__social-sharing md-tabs
theme-doc-breadcrumbs theme-doc-toc-mobile theme-doc-toc-desktop theme-doc-footer pagination-nav longdesc-link
"""
_BOILERPLATE_NAMES = frozenset(_NAMES.split())
# Content has these names too: an entry with buttons to share it, a hint that is not printed, an offer. A part with no
# other name is frame only if it is mostly links, or has hardly any words.
_AMBIGUOUS_NAMES = frozenset(
    {
        "share",
        "social",
        "promo",
        "announcement",
        "noprint",
        "no-print",
        "print-only",
        "feedback",
    }
)
_LEAST_WORDS = 3  # words
_CONTENTS_NAMES = frozenset(
    {"toc", "localtoc", "tocbox", "table-of-contents", "tableofcontents", "contents", "section-toc", "mini-toc"}
)
_LINE_NUMBERS = frozenset(
    {"linenos", "lineno", "linenodiv", "line-numbers-rows", "gutter", "rouge-gutter", "blob-num", "crayon-nums"}
)
# Only within code, and only numbers: the names mean other things elsewhere.
_NUMBERS_IN_CODE = "pre .ln,pre .lnt,pre .line-number,pre .hljs-ln-numbers,pre .hljs-ln-n,pre .lineNumber,pre .num-line"
_NEVER_CODE = _LINE_NUMBERS | {"dropdown-menu"}
_FRAGMENTS = re.compile(
    r"tableofcontents|breadcrumb|cookie[-_]|onetrust|theme-edit-this-page|skip-link|newsletter-|-newsletter|-recirc"
)
_SIDEBAR = re.compile(r"(?!has-|with-|no-|without-).*sidebar")
_CONTENT_ASIDES = frozenset(
    {
        "note",
        "tip",
        "warning",
        "caution",
        "danger",
        "important",
        "info",
        "hint",
        "admonition",
        "callout",
        "alert",
        "footnote",
        "footnote-list",
        "footnotes",
        "topic",
        "starlight-aside",
        "example",
        "sidenote",
        "marginnote",
    }
)
# Phrases that label a part of the page's frame wherever they are alone ...
_LABELS = re.compile(
    r"edit (?:this page|on github|on gitlab|page|source)(?: on git\w+)?|view (?:page )?source(?: on git\w+)?"
    r"|suggest (?:an )?edits?|improve this (?:page|doc)|show source|report (?:a bug|an issue)(?: with this page)?"
    r"|(?:skip|jump) to (?:main )?(?:content|navigation|search|main)|back to (?:the )?top|go to top|to top"
    r"|on this page|in this article|table of contents|(?:previous|next) (?:page|topic|article)"
    r"|(?:was|is) this (?:page|article|answer|information) helpful\??|copy (?:link|code|to clipboard|page)"
    r"|expand description"
    r"|print this page|share this(?: page| article)?|accept all(?: cookies)?|manage cookies|cookie settings"
    r"|did this answer your question\??|(?:back|return) to (?:the )?(?:blog|shop)"
    r"|war (?:diese[rs]? )(?:artikel|beitrag|seite|antwort) hilfreich\??|zurück (?:nach oben|zum (?:blog|shop))"
    r"|auf dieser seite|seite teilen|alle (?:cookies )?akzeptieren|cookie-einstellungen"
    r"|¿(?:te|le) (?:ha resultado|resultó|fue) útil(?: este artículo)?\?|¿fue útil este artículo\?"
    r"|volver (?:arriba|al blog)"
    r"|en esta página|aceptar (?:todo|todas)(?: las cookies)?|comparte esto:?"
    r"|cet article (?:vous )?a-t-il été utile ?\??|retour (?:en haut|au blog)|sur cette page|tout accepter"
    r"|partager cet article",
    re.IGNORECASE,
)
# ... and words that do so only as a link or a box of their own, never in a sentence, list or heading.
_BUTTON_WORDS = re.compile(r"copy|copied!?|print|share|\W*prev(?:ious)?|next\W*", re.IGNORECASE)
_RUNNING_TEXT = frozenset(
    {"p", "li", "td", "th", "dd", "dt", "pre", "code", "blockquote", "figcaption", "caption", "em", "strong", "b", "i"}
)
_NEVER_FRAME = HEADING_TAGS | {"html", "body", "main", "article", "pre", "code", "dt", "em", "strong"}
_POINTS = frozenset({"a", "span", "p", "li", "tr", "td", "th", "dd"})  # ids of these are usually link targets
_CONTENTS_SELECTOR = ",".join(f"[class~={name}],[id={name}]" for name in sorted(_CONTENTS_NAMES))
_CONTENTS_NAME = re.compile(r"\W*(?:index|(?:table of )?contents)\W*", re.IGNORECASE)
_MORE_THAN_A_FORM = "h1,pre,table,[itemprop=price],[itemprop=offers],[itemprop=name],.price,.product-price"
_LEAST_ENTRIES = 3
_ALL_LINKS = 0.95
_FRAMES = frozenset({"body", "main", "article", "section", "div", "center"})
_THIRD_LINE = " + br + ".join(["a[href^='#']"] * _LEAST_ENTRIES)
_LARGE_SHARE = 0.4
_MAX_LABEL_CHARS = 50
_LONGEST_SIGN = 3
_THIN_CHARS = 300


def remove_boilerplate(root: LexborNode) -> None:
    """Remove navigation and the like from `root`, in place; tables of contents stay."""
    total = len(root.text()) or 1
    if (name := site_heading(root)) is not None:
        name.decompose()
    for node in root.css(_NUMBERS_IN_CODE):
        if node.text().strip().strip("|:.").isdigit():
            node.decompose()
    first_heading = root.css_first("h1") or root.css_first("h2")
    doomed: dict[int, LexborNode] = {}
    for node in root.css(_BY_MARKUP):
        if _is_boilerplate_by_markup(node, total):
            doomed[node.mem_id] = node
    for node in root.css("[class],[id]"):
        if node.mem_id not in doomed and _is_named_boilerplate(node):
            doomed[node.mem_id] = node
    doomed |= {node.mem_id: node for node in _labels(root) if node.mem_id not in doomed}
    doomed |= {node.mem_id: node for node in frame_by_words(root)}
    kept = {above.mem_id for node in (first_heading, root) if node is not None for above in (node, *ancestors(node))}
    removable = []
    for node in doomed.values():
        if node.mem_id in kept or node.tag in {"body", "html", "main"}:
            continue
        if _is_in(node, "pre", "code") and not _names(node) & _NEVER_CODE:
            continue
        if node.tag not in {"footer", "nav"} and len(node.text()) > total * _LARGE_SHARE:
            continue
        removable.append(node)
    for node in outermost(removable):
        node.decompose()


def remove_contents_list(main: LexborNode) -> None:
    """Remove the table of contents from the content, unless the page has nothing else."""
    lists = [
        node
        for node in main.css(_CONTENTS_SELECTOR)
        if _names(node) & _CONTENTS_NAMES and node.tag != "a" and link_share(node) > 0.5 and node.mem_id != main.mem_id
    ]
    for node in filter(_leads_down_the_page, side_by_side(main, "ul,ol,dl")):
        before = next(elements_before(node), None)
        if before is not None and before.text().rstrip().endswith(":"):
            continue  # the list completes a sentence
        is_named = before is not None and before.tag in HEADING_TAGS and _CONTENTS_NAME.fullmatch(before.text())
        lists += [node, before] if before is not None and is_named else [node]
    lists += _links_below_each_other(main)
    lists = outermost(lists)
    rest = len(main.text()) - sum(len(node.text()) for node in lists)
    if rest > _THIN_CHARS:
        for node in lists:
            node.decompose()


def _leads_down_the_page(node: LexborNode) -> bool:
    """Whether the node contains nothing but links within the page."""
    links = node.css("a[href]")
    is_own = len(links) >= _LEAST_ENTRIES and all(map(_leads_to_own_part, links))
    return is_own and link_share(node) > _ALL_LINKS


def _links_below_each_other(main: LexborNode) -> list[LexborNode]:
    """Links within the page that are separated only by line breaks, as in groff's lists of sections."""
    above = (link.parent for link in main.css(_THIRD_LINE))
    parents = {node.mem_id: node for node in above if node is not None and node.tag in _FRAMES}
    found: list[LexborNode] = []
    for parent in parents.values():
        entries = (node for node in parent.iter(include_text=True) if node.tag == "br" or node.text().strip())
        for are_entries, run in groupby(entries, lambda node: node.tag == "br" or _leads_to_own_part(node)):
            links = [node for node in run if node.tag == "a"]
            found += links if are_entries and len(links) >= _LEAST_ENTRIES else []
    return found


def _leads_to_own_part(node: LexborNode) -> bool:
    return node.tag == "a" and (node.attributes.get("href") or "").startswith("#")


def is_permalink(link: LexborNode) -> bool:
    """Whether a link is a sign beside a heading that links to it, such as "¶", "#", an icon or "Permalink". Links
    around the words of a heading or term, as in manual pages, and around code are none."""
    if link.css_first("code,kbd,samp,tt") is not None:
        return False
    href = link.attributes.get("href") or ""
    if "#" not in href and not link.attributes.get("class"):
        return False
    names = set(class_names(link))
    text = link.text().strip()
    if names & _PERMALINK_CLASSES and len(text) <= _LONGEST_PERMALINK:
        return not _has_own_words(link, text)
    return "#" in href and len(text) <= 2 and not any(sign.isalnum() for sign in text)


def _has_own_words(link: LexborNode, text: str) -> bool:
    """Whether the text of a link with a permalink's class is a name: the only text of its block, or marked up."""
    own = letters(text)
    if not own or own in _PERMALINK_WORDS:
        return False
    if any(letters(part.text()) == own for part in link.css(_MARKED_UP)):
        return True
    block = link.parent
    while block is not None and block.tag == "span":
        block = block.parent
    return block is not None and block.tag in _NAMING_TAGS and letters(block.text()) == own


_LONGEST_PERMALINK = 24
_PERMALINK_WORDS = frozenset({"link", "permalink", "anchor", "permanentlink", "directlink", "linktothissection"})
_MARKED_UP = "b,strong,i,em,code,var,tt,samp,kbd"
_NAMING_TAGS = HEADING_TAGS | {"dt", "li", "p"}
_PERMALINK_CLASSES = frozenset(
    {
        "headerlink",
        "header-anchor",
        "heading-anchor",
        "hash-link",
        "anchorjs-link",
        "permalink",
        "anchor-link",
        "direct-link",
        "heading-link",
        "headinglink",
        "toclink-permalink",
        "sl-anchor-link",
    }
)


def link_share(node: LexborNode) -> float:
    """The share of the text of `node` that is link text, 0..1."""
    total = text_length(node)
    return min(1.0, sum(map(text_length, node.css("a"))) / total) if total else 0.0


def _is_boilerplate_by_markup(node: LexborNode, total: int) -> bool:
    if node.tag == "header":
        return node.css_first("h1,h2") is None and _is_page_level(node)
    if node.tag == "aside" or node.attributes.get("role") == "complementary":
        return not (_names(node) & _CONTENT_ASIDES) and (link_share(node) > 0.4 or _is_page_level(node))
    if node.tag == "form":
        return len(node.text()) < total * 0.3 and node.css_first(_MORE_THAN_A_FORM) is None
    if node.tag == "summary":  # even with the role of a button
        return False
    if node.tag == "button" or node.attributes.get("role") == "button":
        return not _leads_elsewhere(node) and not _opens_something(node)
    if node.tag == "footer":
        return not _is_in(node, "blockquote")
    return True


def _leads_elsewhere(button: LexborNode) -> bool:
    """Whether a button is a link to another page, or inside one."""
    link = button if button.tag == "a" else button.parent
    href = (link.attributes.get("href") or "").strip().lower() if link is not None and link.tag == "a" else ""
    return bool(href) and not href.startswith(("#", "javascript:"))


def _opens_something(button: LexborNode) -> bool:
    """Whether a button opens a part of the page, as the question of an accordion does."""
    above = next((above for above in ancestors(button) if above.tag in HEADING_TAGS | {"dt", "summary"}), None)
    if above is not None:
        return len(letters(above.text())) <= len(letters(button.text())) + 3
    opens = "aria-expanded" in button.attributes or "aria-controls" in button.attributes
    return opens and len(button.text().split()) >= 3


def _is_named_boilerplate(node: LexborNode) -> bool:
    if node.tag in _NEVER_FRAME:
        return False
    attributes = node.attributes
    if not _name_frame(attributes.get("class") or "", attributes.get("id") or ""):
        return False
    names = _names(node)
    if names & _CONTENT_ASIDES or names & _CONTENTS_NAMES:
        return False
    if names & _BOILERPLATE_NAMES <= _AMBIGUOUS_NAMES and _says_something(node):
        return False
    return not _is_anchor_of_heading(node)


@lru_cache(4096)  # the pages of a site share their names
def _name_frame(classes: str, own_id: str) -> bool:
    names = f"{classes} {own_id}".lower()
    if not _BOILERPLATE_NAMES.isdisjoint(names.split()) or _FRAGMENTS.search(names):
        return True
    return "sidebar" in names and any(_SIDEBAR.fullmatch(name) for name in classes.lower().split())


def _says_something(node: LexborNode) -> bool:
    controls = sum(text_length(control) for control in node.css("button,label,input"))
    words = node.text().split()
    return len(words) >= _LEAST_WORDS and link_share(node) < 0.3 and controls < 0.3 * text_length(node)


def _is_anchor_of_heading(node: LexborNode) -> bool:
    """Whether the id is only a link target, because it repeats the heading: `<section
    id="cookies"><h2>Cookies</h2>`."""
    anchor = letters(node.attributes.get("id") or "")
    classes = class_names(node)
    if not anchor or not _BOILERPLATE_NAMES.isdisjoint(classes):
        return False
    if node.tag in _POINTS:
        return True
    heading = node.css_first("h1,h2,h3,h4,h5,h6")
    return heading is not None and letters(heading.text()).lstrip("0123456789").startswith(anchor)


def _names(node: LexborNode) -> frozenset[str]:
    attributes = node.attributes
    return frozenset(f"{attributes.get('class') or ''} {attributes.get('id') or ''}".lower().split())


def _labels(root: LexborNode) -> Iterator[LexborNode]:
    around_long_text: set[int] = set()
    for node in reversed(root.css("a,p,li,div,span,h2,h3,h4,h5,label,summary")):  # the innermost first
        if node.mem_id in around_long_text or node.first_child is None:
            continue
        text = node.text().strip(" \t\n\r\u00a0✎✏🖉🔗↑()[]")
        if len(text) < _MAX_LABEL_CHARS:
            if len(text) > _LONGEST_SIGN and _is_label(node, text):
                yield node
            continue
        for above in ancestors(node):
            if above.mem_id in around_long_text:
                break
            around_long_text.add(above.mem_id)


def _is_label(node: LexborNode, text: str) -> bool:
    if _LABELS.fullmatch(text):
        return node.css_first("code,pre") is None and not _is_part_of_a_sentence(node)
    if node.tag not in {"a", "div", "span"} or _BUTTON_WORDS.fullmatch(text) is None:
        return False
    return node.css_first("code,pre") is None and not _is_in(node, *_RUNNING_TEXT, *HEADING_TAGS)


def _is_part_of_a_sentence(node: LexborNode) -> bool:
    """Whether a label is inside code or a term, or a link or span beside other text of its paragraph."""
    if _is_in(node, "pre", "code", "dt"):
        return True
    parent = node.parent
    if node.tag not in {"a", "span", "label"} or parent is None or parent.tag not in _RUNNING_TEXT | HEADING_TAGS:
        return False
    return len(parent.text().strip()) > len(node.text().strip()) + 8


def _is_page_level(node: LexborNode) -> bool:
    return not _is_in(node, "article", "section", "main")


def _is_in(node: LexborNode, *tags: str) -> bool:
    return any(above.tag in tags for above in ancestors(node))
