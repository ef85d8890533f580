"""Marks up code in API references by Doxygen, javadoc and TypeDoc, which lay it out without <pre> and <code>."""

from textwrap import dedent

from selectolax.lexbor import LexborHTMLParser, LexborNode

from crawler.extract.html_tree import side_by_side

_SIGNATURES = "div.memproto,div.member-signature,div.type-signature,div.tsd-signature"


def write_api_code(tree: LexborHTMLParser) -> None:
    """Put listings and signatures into <pre>, lines of lists of members into <code>, and summaries with columns into
    <table>, in place."""
    if tree.body is None:
        return
    for listing in side_by_side(tree.body, "div.fragment"):
        for number in listing.css("span.lineno"):
            number.decompose()
        if lines := [line.text().replace("\u00a0", " ") for line in side_by_side(listing, "div.line")]:
            listing.replace_with(_pre(tree, dedent("\n".join(lines))))
    for signature in side_by_side(tree.body, _SIGNATURES):
        for labels in signature.css("td.mlabels-right"):
            labels.decompose()
        signature.replace_with(_pre(tree, _on_one_line([signature])))
    for name in side_by_side(tree.body, "td.memItemRight"):
        kind = name.prev
        if kind is not None and kind.tag == "td" and (member := _on_one_line([kind, name])):
            kind.decompose()
            cell = tree.create_node("td")
            cell.insert_child(_code(tree, member))
            name.replace_with(cell)
    for summary in side_by_side(tree.body, "div.summary-table"):
        if rows := _rows(summary):
            table = tree.create_node("table")
            for cells in rows:
                row = tree.create_node("tr")
                for cell in cells:
                    column = tree.create_node("th" if cells is rows[0] else "td")
                    column.insert_child(cell)
                    row.insert_child(column)
                table.insert_child(row)
            summary.replace_with(table)


def _rows(summary: LexborNode) -> list[list[LexborNode]]:
    """The cells of each row, beginning with the row of column names; [] if there is none."""
    cells = list(summary.iter())
    columns = sum("table-header" in (cell.attributes.get("class") or "").split() for cell in cells)
    return [cells[at : at + columns] for at in range(0, len(cells), columns)] if columns else []


def _pre(tree: LexborHTMLParser, text: str) -> LexborNode:
    pre = tree.create_node("pre")
    pre.insert_child(_code(tree, text))
    return pre


def _code(tree: LexborHTMLParser, text: str) -> LexborNode:
    code = tree.create_node("code")
    code.insert_child(text)
    return code


def _on_one_line(cells: list[LexborNode]) -> str:
    text = " ".join(" ".join(cell.text(separator=" ") for cell in cells).split())
    return text.replace("( ", "(").replace(" )", ")").replace(" ,", ",").replace("< ", "<").replace(" >", ">")
