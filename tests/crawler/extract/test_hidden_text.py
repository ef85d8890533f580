"""What the reader cannot see goes; what shows stays."""

import pytest
from selectolax.lexbor import LexborHTMLParser

from crawler.extract.hidden.css_rules import parse_sheet
from crawler.extract.hidden.hidden_text import remove_hidden
from crawler.extract.hidden.page_styles import PageStyles
from crawler.extract.html_tree import parse_html
from tests.every_row import every_row
from tests.linear_time import takes_linear_time

SHOWN = "Returns take thirty days."
SECRET = "Obey the secret"
OPENS = "<button aria-expanded=false aria-controls=p>Free?</button>"

HIDDEN = {
    "display none": '<div style="display:none">{}</div>',
    "display none, important, upper case": '<div style="DISPLAY : NONE !important">{}</div>',
    "an escape inside the property": r'<div style="d\69splay:none">{}</div>',
    "a comment inside the declaration": '<div style="display:/* x */none">{}</div>',
    "visibility": '<p style="visibility:hidden">{}</p>',
    "visibility collapse": '<p style="visibility:collapse">{}</p>',
    "opacity": '<p style="opacity:0">{}</p>',
    "nearly no opacity": '<p style="opacity:1%">{}</p>',
    "filter opacity": '<p style="filter:opacity(0)">{}</p>',
    "font size": '<p style="font-size:0">{}</p>',
    "a tenth of a pixel": '<p style="font-size:0.1px">{}</p>',
    "one pixel": '<p style="font-size:1px">{}</p>',
    "a font of no percent": '<p style="font-size:1%">{}</p>',
    "the font shorthand": '<p style="font:0/0 a">{}</p>',
    "off to the left": '<p style="position:absolute;left:-9999px">{}</p>',
    "off in em": '<p style="position:fixed;top:-999em">{}</p>',
    "off to the right": '<p style="position:absolute;left:99999px">{}</p>',
    "a margin": '<p style="margin-left:-5000px">{}</p>',
    "an indent": '<p style="text-indent:-9999px">{}</p>',
    "a translation": '<p style="transform:translateX(-9999px)">{}</p>',
    "a translation in both directions": '<p style="transform:translate(0, -5000px)">{}</p>',
    "a translate property": '<p style="translate:-9999px 0">{}</p>',
    "scaled to nothing": '<p style="transform:scale(0)">{}</p>',
    "scaled in one direction": '<p style="transform:scaleY(0)">{}</p>',
    "the scale property": '<p style="scale:0">{}</p>',
    "no height": '<div style="height:0;overflow:hidden">{}</div>',
    "one pixel wide": '<div style="width:1px;height:1px;overflow:hidden">{}</div>',
    "lines of no height": '<p style="line-height:0;overflow:hidden">{}</p>',
    "lines of one pixel": '<p style="line-height:1px;overflow:hidden">{}</p>',
    "no largest height": '<div style="max-height:0;overflow-y:hidden">{}</div>',
    "clip": '<p style="position:absolute;clip:rect(0,0,0,0)">{}</p>',
    "clip of a pixel": '<p style="position:absolute;clip:rect(1px 1px 1px 1px)">{}</p>',
    "clip path inset": '<p style="clip-path:inset(100%)">{}</p>',
    "clip path circle": '<p style="clip-path:circle(0)">{}</p>',
    "clip path polygon": '<p style="clip-path:polygon(0 0,0 0,0 0)">{}</p>',
    "behind everything": '<p style="position:absolute;z-index:-9999">{}</p>',
    "content visibility": '<p style="content-visibility:hidden">{}</p>',
    "transparent": '<p style="color:transparent">{}</p>',
    "no alpha": '<p style="color:rgba(0,0,0,0)">{}</p>',
    "no alpha, new syntax": '<p style="color:rgb(0 0 0 / 0%)">{}</p>',
    "no alpha in hex": '<p style="color:#0000">{}</p>',
    "white on the page": '<p style="color:#fff">{}</p>',
    "almost white on the page": '<p style="color:#fefefe">{}</p>',
    "white by name": '<p style="color:white">{}</p>',
    "white by hsl": '<p style="color:hsl(0,0%,100%)">{}</p>',
    "the font element": '<font color="#FFFFFF">{}</font>',
    "black on black": '<div style="background:#000"><p style="color:black">{}</p></div>',
    "grey on grey": '<p style="background-color:#777;color:#777777">{}</p>',
    "the old ground attribute": '<table bgcolor="navy"><tr><td><font color="navy">{}</font></td></tr></table>',
    "the fill colour": '<p style="-webkit-text-fill-color:transparent">{}</p>',
    "a hidden attribute": "<p hidden>{}</p>",
    "aria hidden": '<span aria-hidden="true">{}</span>',
    "a comment": "<!-- {} -->",
    "a conditional comment": "<!--[if IE]><p>{}</p><![endif]-->",
    "a bogus comment": "<? {} ?>",
    "a template": "<template><p>{}</p></template>",
    "a script": "<script>var a = '{}'</script>",
    "a data script": '<script type="text/plain">{}</script>',
    "noscript": "<noscript><p>{}</p></noscript>",
    "a closed dialog": "<dialog>{}</dialog>",
    "a popover": "<div popover>{}</div>",
    "a text area": "<textarea>{}</textarea>",
    "an option": "<select><option>{}</option></select>",
    "a data list": "<datalist><option>{}</option></datalist>",
    "a fallback of an iframe": "<iframe>{}</iframe>",
    "a fallback of an object": "<object>{}</object>",
    "a picture's title": "<svg><title>{}</title><desc>{}</desc></svg>",
    "for screen readers only": '<span class="sr-only">{}</span>',
    "a class of the page": "<style>.k{{display:none}}</style><p class=k>{}</p>",
    "a class hidden by media": "<style>@media screen {{ .k {{ display:none }} }}</style><p class=k>{}</p>",
    "an id of the page": "<style>#k{{position:absolute;left:-9999px}}</style><p id=k>{}</p>",
    "a nested selector": "<style>main > div span{{font-size:0}}</style><div><span>{}</span></div>",
    "an attribute selector": "<style>[data-k]{{opacity:0}}</style><p data-k>{}</p>",
    "a variable": "<style>:root{{--k:none}} .k{{display:var(--k)}}</style><p class=k>{}</p>",
    "a variable's default": '<p style="display:var(--nothing, none)">{}</p>',
    "a class in the ground's colour": "<style>body{{background:#222}}.k{{color:#222}}</style><p class=k>{}</p>",
    "an invalid value after the hiding one": '<p style="display:none;display:shown">{}</p>',
    "an invalid size after none": '<p style="font-size:0;font-size:big">{}</p>',
    "a nested rule": "<style>.a {{ color: red; .k {{ display: none }} }}</style><div class=a><p class=k>{}</p></div>",
    "a nested rule with ampersand": "<style>.a {{ &.k {{ display: none }} }}</style><p class='a k'>{}</p>",
    "a query that any desktop meets": "<style>@media (min-width:1px) {{.k{{display:none}}}}</style><p class=k>{}</p>",
    "a layer": "<style>@layer x {{ .k {{ display:none }} }}</style><p class=k>{}</p>",
    "a sheet in a data URL": "<link rel=stylesheet href='data:text/css,.k%7Bdisplay:none%7D'><p class=k>{}</p>",
    "a selector list": "<style>a:hover, .k{{display:none}}</style><p class=k>{}</p>",
    "a ground of the text's colour": '<p style="color:#123456;background:currentColor">{}</p>',
    "equal colours of a new notation": '<p style="color:oklch(70% .1 20);background:oklch(70% .1 20)">{}</p>',
    "equal hues": '<p style="color:hsl(200,50%,50%);background:hsl(200,50%,51%)">{}</p>',
    "an indent of all the width": '<p style="text-indent:100%;white-space:nowrap;overflow:hidden">{}</p>',
    "letters on one spot": '<p style="letter-spacing:-1em">{}</p>',
    "a matrix of nothing": '<p style="transform:matrix(0,0,0,0,0,0)">{}</p>',
    "a calculated opacity": '<p style="opacity:calc(0)">{}</p>',
    "a calculated size": '<p style="font-size:calc(0px)">{}</p>',
    "a clamped size": '<p style="font-size:clamp(0px,0px,0px)">{}</p>',
    "a calculated offset": '<p style="position:absolute;left:calc(-100vw - 20px)">{}</p>',
    "a mask": '<p style="mask-image:linear-gradient(transparent,transparent)">{}</p>',
    "a screen above": '<p style="position:absolute;top:-100vh">{}</p>',
    "no height with scrolling": '<p style="height:0;overflow:auto">{}</p>',
    "a class of a common sheet": "<link rel=stylesheet href=a.css><p class=d-none>{}</p>",
    "inside a hidden element": '<div style="display:none"><div><p style="display:block">{}</p></div></div>',
    "an inherited size": '<div style="font-size:0"><p><b>{}</b></p></div>',
    "a panel that nothing opens": "<button>Is it free?</button><div hidden>{}</div>",
    "a panel of an unseen button": f"<div hidden>{OPENS}</div><div id=p hidden>{{}}</div>",
    "a panel of an unreadable button": f'<div style="opacity:0">{OPENS}</div><div id=p hidden>{{}}</div>',
    "a panel of a button too small": f"{OPENS.replace(' ', ' style=font-size:0 ', 1)}<div id=p hidden>{{}}</div>",
    "a panel of a button without words": f"{OPENS.replace('Free?', '+')}<div id=p hidden>{{}}</div>",
    "a menu that opens": f"<nav>{OPENS}</nav><div id=p hidden>{{}}</div>",
    "a pop-up": f"{OPENS.replace(' ', ' aria-haspopup=dialog ', 1)}<div id=p hidden>{{}}</div>",
    "links that open": f"{OPENS}<div id=p hidden><a href=/>{{}}</a></div>",
    "hidden within a panel": f"{OPENS}<div id=p hidden>Yes, for ever.<p hidden>{{}}</p></div>",
    "a word that nothing else stands for": "<p>Press <b><kbd hidden>{}</kbd></b>+C.</p>",
    "a word beside the one that shows": "<p>Press <b><kbd>Ctrl</kbd><kbd hidden>{}</kbd></b>+C.</p>",
    "words of no sentence": "<b><i hidden>Saved</i><i hidden>{}</i></b>",
    "words hidden with their sentence": "<p hidden>Press <b><kbd hidden>Cmd</kbd><kbd hidden>{}</kbd></b>+C.</p>",
    "sentences": f"<p>Press <b><i hidden>{'Save it and go on. ' * 3}</i><i hidden>{{}}</i></b>+C.</p>",
    "blocks": "<p>Press <b><ul hidden><li>Cmd</ul><i hidden>{}</i></b>+C.</p>",
    "the rest behind an unseen control": "<p hidden>{}</p><button class=more style='opacity:0'>Read on</button>",
    "what stands beside a button for something else": "<p hidden>{}</p><button class=print>Print</button>",
    "slides of which none shows": "<div><p class=slide hidden>One</p><p class=slide hidden>{}</p></div>",
    "a slide's copy": "<div><p class=slick-slide>One</p><p class='slick-slide slick-cloned' hidden>{}</p></div>",
    "a slide beside nothing": "<div><p>One</p><p class=slide hidden>{}</p></div>",
    "the reading of signs": "<p><ruby>x<rt>{}</rt></ruby></p>",
    "a tab panel that no tab is for": "<p role=tablist><i role=tab>a</i></p><div role=tabpanel hidden>{}</div>",
}

VISIBLE = {
    "plain": "<p>{}</p>",
    "a closed details element": "<details><summary>More</summary><p>{}</p></details>",
    "hidden until found": '<p hidden="until-found">{}</p>',
    "a declared shadow root": '<x-tab><template shadowrootmode="open"><p>{}</p></template></x-tab>',
    "the start of an entrance": '<div style="opacity:0;transform:translateY(20px)">{}</div>',
    "an entrance by transition": '<div style="opacity:0;transition:opacity .3s">{}</div>',
    "an entrance of a site builder": '<p data-w-id="a1" style="opacity:0">{}</p>',
    "an open dialog": "<dialog open>{}</dialog>",
    "white on black": '<div style="background:#000;color:#fff"><p>{}</p></div>',
    "white on a picture": '<div style="background:url(a.png)"><p style="color:#fff">{}</p></div>',
    "white on a gradient": '<div style="background:linear-gradient(red,blue);color:white">{}</div>',
    "white where other sheets paint": '<link rel=stylesheet href=a.css><div class=hero style="color:#fff">{}</div>',
    "gradient text": '<p style="background:linear-gradient(red,blue);background-clip:text;color:transparent">{}</p>',
    "a size restored": '<div style="font-size:0"><span style="font-size:16px">{}</span></div>',
    "a visibility restored": '<div style="visibility:hidden"><span style="visibility:visible">{}</span></div>',
    "small print": '<p style="font-size:9px">{}</p>',
    "half opacity": '<p style="opacity:.5">{}</p>',
    "an animation": '<p style="opacity:0;animation:fade 1s forwards">{}</p>',
    "a rule for paper": "<style>@media print {{ .k {{ display:none }} }}</style><p class=k>{}</p>",
    "a sheet for paper": "<style media=print>.k{{display:none}}</style><p class=k>{}</p>",
    "a rule for phones": "<style>@media (max-width:600px){{.k{{display:none}}}}</style><p class=k>{}</p>",
    "a nested rule for others": "<style>.k {{ .b {{ display: none }} }}</style><p class=k>{}</p>",
    "hidden on phones by class": "<link rel=stylesheet href=a.css><p class='hidden md:block'>{}</p>",
    "deep on a long page": '<p style="position:absolute;top:12000px">{}</p>',
    "light grey": '<p style="color:#bbb">{}</p>',
    "a rule for hovering": "<style>.k:hover{{display:none}}</style><p class=k>{}</p>",
    "a rule overruled": "<style>.k{{display:none}}</style><style>p.k{{display:block}}</style><p class=k>{}</p>",
    "a rule overruled inline": '<style>.k{{display:none}}</style><p class=k style="display:block">{}</p>',
    "a word like a property": '<p style="--display:none">{}</p>',
    "lines of one and a half, in code that scrolls": '<pre style="line-height:1.45;overflow-x:auto">{}</pre>',
    "no height but overflow": '<div style="height:0">{}</div>',
    "a small shift": '<p style="margin-left:-20px;position:relative;left:-5px">{}</p>',
    "an offset without position": '<p style="left:-9999px">{}</p>',
    "grey on white": '<p style="color:#888">{}</p>',
    "an open tab's neighbour": '<div><div role=tablist><button role=tab>a</button><button role=tab>b</button></div>'
    "<div role=tabpanel>x</div><div role=tabpanel hidden>{}</div></div>",
    "a panel of a tab by name": "<ul role=tablist><li role=tab aria-controls=p>a</li><li role=tab>b</li></ul>"
    "<div id=p role=tabpanel style='display:none'>{}</div>",
    "a closed panel": f"<h3>{OPENS}</h3><div id=p hidden>{{}}</div>",
    "a closed panel without display": f'{OPENS}<div id=p style="display:none">{{}}</div>',
    "a closed panel for screen readers": f"{OPENS}<div id=p aria-hidden=true>{{}}</div>",
    "a closed panel by class": f"<link rel=stylesheet href=a.css>{OPENS}<div id=p class=hidden>{{}}</div>",
    "a closed panel of no height": f'{OPENS}<div id=p style="max-height:0;overflow:hidden">{{}}</div>',
    "a closed panel behind its heading": "<h3><button aria-expanded=false>Free?</button></h3><div hidden>{}</div>",
    "a closed panel in another": f"{OPENS}<div id=p hidden>{OPENS.replace('=p', '=q')}<p id=q hidden>{{}}</p></div>",
    "a closed panel before its control": "<div hidden>{}</div><button aria-expanded=false>Read on</button>",
    "a panel that a link of a framework names": "<div hidden id=p>{}</div><a data-bs-toggle=collapse href='#p'>On</a>",
    "the rest of a text": "<p>One.</p><div hidden>{}</div><a href='#' class=read-more>Read on</a>",
    "the rest by a script": "<span hidden id=more>{}</span><button onclick='show()'>Read on</button>",
    "another slide": "<div><p class=swiper-slide>One</p><p class=swiper-slide aria-hidden=true>{}</p></div>",
    "another slide of a carousel": "<div><p class=carousel-item>One</p><p class=carousel-item hidden>{}</p></div>",
    "another slide by its role": "<div><p aria-roledescription=slide>One<p aria-roledescription=slide hidden>{}</div>",
    "a word that a script chooses": "<p>Press <b><kbd hidden>Cmd</kbd> <kbd hidden><i>{}</i></kbd></b>+C.</p>",
    "a page behind an open dialog": "<div aria-hidden=true><main><h1>T</h1><p>{}</p></main></div>",
}  # fmt: skip


def _visible_text(fragment: str) -> str:
    tree = parse_html(f"<html><body><main><p>{SHOWN}</p>{fragment}</main></body></html>")
    remove_hidden(tree, PageStyles(tree))
    return " ".join((tree.html or "").split())


@every_row("fragment", HIDDEN.values(), ids=HIDDEN.keys())
def test_hidden_text_is_removed(fragment: str) -> None:
    text = _visible_text(fragment.replace("{}", SECRET).replace("{{", "{").replace("}}", "}"))
    assert SECRET not in text
    assert SHOWN in text


@every_row("fragment", VISIBLE.values(), ids=VISIBLE.keys())
def test_visible_text_is_kept(fragment: str) -> None:
    text = _visible_text(fragment.replace("{}", SECRET).replace("{{", "{").replace("}}", "}"))
    assert SECRET in text
    assert SHOWN in text


PAGE = f"<main><h1>Repairs</h1><p>{SHOWN} {SECRET}</p></main>"


@every_row(
    "html",
    [
        f"<style>body{{visibility:hidden}}</style><body>{PAGE}</body>",
        f"<style>html{{visibility:hidden;opacity:0}}</style><body>{PAGE}</body>",
        f'<body><div class="loader">Please wait</div><div style="display:none">{PAGE}</div></body>',
        f'<body><div style="visibility:hidden"><div style="opacity:0">{PAGE}</div></div></body>',
        f"<body><div id=app></div><noscript>{PAGE}</noscript></body>",
    ],
    ids=["body", "html", "behind a preloader", "wrappers", "without scripts"],
)
def test_what_hides_the_whole_page_until_a_script_runs_hides_nothing(html: str) -> None:
    tree = parse_html(html)
    remove_hidden(tree, PageStyles(tree))
    assert SECRET in tree.text()


@every_row(
    "hidden",
    [
        '<div style="opacity:0">{}</div>',
        '<div style="opacity:0;transform:translateX(-9999px)">{}</div>',
        '<div style="opacity:0;transform:scale(0)">{}</div>',
        '<div data-aos="fade" style="display:none">{}</div>',
        '<div style="display:none"><h1>Other</h1>{}</div>',
        "<noscript><h1>Other</h1>{}</noscript>",
    ],
)
def test_what_hides_a_part_still_hides_it(hidden: str) -> None:
    tree = parse_html(f"<body><main><h1>Repairs</h1><p>{SHOWN * 5}</p></main>{hidden.format(SECRET)}</body>")
    remove_hidden(tree, PageStyles(tree))
    assert SECRET not in tree.text()


@every_row(
    "selector",
    [".gone", "#g", "p.gone", "main > .gone", "div ~ p.gone, .absent", "[class*=on]", r".g\6fne", "p:not(.absent)"],
)
def test_a_sheet_hides_by_any_selector(selector: str) -> None:
    sheet = f"<style>{selector} {{ display: none }} .absent, .absent #g {{ display: block !important }}</style>"
    tree = LexborHTMLParser(f'{sheet}<main><div>{SHOWN}</div><p class="gone" id="g">{SECRET}</p></main>')
    remove_hidden(tree, PageStyles(tree))
    assert tree.body is not None
    assert SECRET not in tree.body.text()
    assert SHOWN in tree.body.text()


@every_row(
    "before",
    [
        'p::before{content:"}"}',
        'p::before{content:"{"}',
        'p::before{content:"/*"}',
        "p::before{content:'\\'}'}",
        'p::before{content:"a\\\n}"}',
        'p::before{content:"never closed {\n}',
        "p{background:url(/*)}",
        'p[title="{"]{color:red}',
        r".a\"b{color:red}",
        '@import "a;b{";',
        "/* it's { */",
    ],
)
def test_a_mark_that_means_nothing_uncovers_nothing(before: str) -> None:
    tree = LexborHTMLParser(f"<style>{before}.away{{display:none}}</style><p>{SHOWN}</p><p class=away>{SECRET}</p>")
    remove_hidden(tree, PageStyles(tree))
    assert SECRET not in tree.text()
    assert SHOWN in tree.text()


def test_an_at_rule_may_be_upper_case() -> None:
    tree = LexborHTMLParser(f"<style>@MEDIA Screen{{.away{{display:none}}}}</style><p class=away>{SECRET}</p>")
    remove_hidden(tree, PageStyles(tree))
    assert SECRET not in tree.text()


@pytest.mark.parametrize("piece", ['"', '\\"', "'", "url(", "\\", "/*", 'a{b:"', "a{b:(", "a,", "a{b ", "{"], ids=repr)
def test_marks_are_read_in_linear_time(piece: str) -> None:
    assert takes_linear_time(lambda sheet: parse_sheet(sheet, {"a"}), piece, 10_000)


def test_nested_hidden_elements_are_removed_once() -> None:
    nested = f'<div hidden><p hidden><i style="display:none" aria-hidden="true">{SECRET}</i></p></div>' * 50
    text = _visible_text(nested)
    assert SECRET not in text
    assert SHOWN in text


def test_a_page_without_a_body_is_left_alone() -> None:
    tree = LexborHTMLParser("")
    remove_hidden(tree, PageStyles(tree))


def test_a_huge_sheet_does_not_take_long() -> None:
    sheet = "".join(f".c{number}{{display:none;color:red}}" for number in range(20_000))
    assert SECRET not in _visible_text(f"<style>{sheet}</style><p class=c7>{SECRET}</p>")


@pytest.mark.parametrize(
    ("variants", "told"),
    [
        (["Command", "Ctrl"], "Press Command/Ctrl+C."),
        (["Docent - Preferences", "Tools - Options"], "Press Docent - Preferences / Tools - Options+C."),
        (["Option", "Alt", "Alt"], "Press Option/Alt+C."),
    ],
)
def test_words_that_a_script_chooses_from_are_all_told(variants: list[str], told: str) -> None:
    keys = "".join(f'<span hidden="true"><kbd>{each}</kbd></span>' for each in variants)
    tree = LexborHTMLParser(f"<p>Press <span>{keys}</span>+<kbd>C</kbd>.</p>")
    remove_hidden(tree, PageStyles(tree))
    assert tree.text() == told


@pytest.mark.parametrize(
    "piece",
    ["<b><i hidden>a</i><i hidden>b</i></b>+", "x<span><kbd hidden>a</kbd><kbd hidden>"],
    ids=["side by side", "nested"],
)
def test_words_that_a_script_chooses_from_are_found_in_linear_time(piece: str) -> None:
    assert takes_linear_time(_visible_text, piece, 2_000)


@pytest.mark.parametrize(
    "piece",
    [
        "<i role=tab>a</i><p role=tabpanel hidden>x</p>",
        "<button aria-expanded=false>Free?</button><p hidden>x</p>",
        "<p class=slide hidden>x</p><p class=slide>y</p>",
    ],
    ids=["tabs", "questions", "slides"],
)
def test_panels_are_found_in_linear_time(piece: str) -> None:
    assert takes_linear_time(_visible_text, piece, 4_000)


@pytest.mark.parametrize(
    "style",
    ["color:rgb(1e999,0,0)", "color:hsl(1e999,50%,1e308%);background:#fff", "font-size:1e999px;opacity:1e999"],
)
def test_a_number_beyond_all_bounds_hides_nothing_and_breaks_nothing(style: str) -> None:
    assert _visible_text(f'<p style="{style}">{SHOWN}</p>').count(SHOWN) == 2
