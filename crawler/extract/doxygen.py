"""Code as Doxygen lays it out: lines and tables of its own where other tools write <pre> and <code>."""

from textwrap import dedent

from selectolax.lexbor import LexborHTMLParser, LexborNode


def write_doxygen_code(tree: LexborHTMLParser) -> None:
    """Put listings and prototypes into <pre>, and each line of a list of members into one <code>, in place."""
    if tree.body is None:
        return
    for listing in tree.body.css("div.fragment"):
        for number in listing.css("span.lineno"):
            number.decompose()
        if lines := [line.text().replace("\u00a0", " ") for line in listing.css("div.line")]:
            listing.replace_with(_code(tree, dedent("\n".join(lines)), "pre"))
    for prototype in tree.body.css("div.memproto"):
        for labels in prototype.css("td.mlabels-right"):
            labels.decompose()
        prototype.replace_with(_code(tree, _on_one_line([prototype]), "pre"))
    for name in tree.body.css("td.memItemRight"):
        kind = name.prev
        if kind is not None and kind.tag == "td" and (member := _on_one_line([kind, name])):
            kind.decompose()
            cell = tree.create_node("td")
            cell.insert_child(_code(tree, member, "p"))
            name.replace_with(cell)


def _code(tree: LexborHTMLParser, text: str, frame: str) -> LexborNode:
    around, code = tree.create_node(frame), tree.create_node("code")
    code.insert_child(text)
    around.insert_child(code)
    return around


def _on_one_line(cells: list[LexborNode]) -> str:
    text = " ".join(" ".join(cell.text(separator=" ") for cell in cells).split())
    return text.replace("( ", "(").replace(" )", ")").replace(" ,", ",").replace("< ", "<").replace(" >", ">")
