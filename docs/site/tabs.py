"""One task done in several places: neighbouring headings of `WAYS` become tabs on the website. On GitHub, they stay
headings. The choice of a tab is a radio button's, so it needs no script; `static/tabs.js` remembers it."""

from html import escape
from typing import Any

from docutils import nodes
from sphinx.transforms import SphinxTransform

WAYS = ("In the console", "On the command line", "With the API")


class tabs(nodes.General, nodes.Element):  # noqa: N801 - docutils names a node's visitor after its class
    """Its children are `tab`s, at least two."""


class tab(nodes.General, nodes.Element):  # noqa: N801
    """`ids`, as those of the heading that it was; `name`, its words."""


class TabsOfHeadings(SphinxTransform):
    """Before the page's table of contents is made, and after links to headings are known."""

    default_priority = 879

    def apply(self, **kwargs: Any) -> None:
        for parent in [self.document, *self.document.findall(nodes.section)]:
            run: list[nodes.Node] = []
            for child in [*parent.children, None]:
                if isinstance(child, nodes.section) and child[0].astext() in WAYS:
                    run.append(child)
                    continue
                if len(run) > 1:
                    first = parent.index(run[0])
                    parent[first : first + len(run)] = [tabs("", *map(_tab_of, run))]
                run = []


def _tab_of(section: nodes.Element) -> tab:
    return tab("", *section.children[1:], ids=section["ids"], name=section[0].astext())


def _open_tab(writer: Any, node: tab) -> None:
    """Its button stands right before it, for whoever reads the page without its styles."""
    first, *others = node["ids"]
    group, checked = node.parent[0]["ids"][0], "" if node.parent.index(node) else " checked"
    writer.body.append(f'<input type="radio" name="tabs-{group}" id="tab-{first}"{checked}>')
    writer.body.append(f'<label for="tab-{first}">{escape(node["name"])}</label><section id="{first}">')
    writer.body += [f'<span id="{name}"></span>' for name in others]


def setup(app: Any) -> dict[str, bool]:
    app.add_node(
        tabs,
        html=(
            lambda writer, _: writer.body.append('<div class="tabs">'),
            lambda writer, _: writer.body.append("</div>"),
        ),
    )
    app.add_node(tab, html=(_open_tab, lambda writer, _: writer.body.append("</section>")))
    app.add_transform(TabsOfHeadings)
    app.add_css_file("tabs.css")
    app.add_js_file("tabs.js", loading_method="defer")
    return {"parallel_read_safe": True, "parallel_write_safe": True}
