"""Writes tables as Markdown, and recognises tables that are only layout, a term, or a list of definitions."""

from dataclasses import dataclass

from selectolax.lexbor import LexborNode

from crawler.extract.markdown.inline import inline_markdown, inline_text
from crawler.extract.pictures import is_grid_row

_MAX_SPAN = 40
_MAX_COLUMNS = 60
_COPIES, _COPIED_CHARS = 4, 2_000  # copies of spanning cells: at most so many times the table's text, and characters
_LONGEST_DETAIL = 80  # characters
_MORE_THAN_A_LINE = "a,p,div,ul,ol,dl,pre,img,form,input,button,blockquote"
_SECTIONS = {"thead", "tbody", "tfoot"}
_MORE_THAN_A_CELL = "h1,h2,h3,h4,h5,h6,ul,ol,dl,pre,table,form,article,p + p"
_FEWEST_GRID_ROWS = 3
_FEWEST_DEFINED = 2
_LONGEST_GRID_CELL = 100  # characters


@dataclass(frozen=True, slots=True)
class TableRow:
    cells: tuple[LexborNode, ...]
    is_header: bool


def table_rows(table: LexborNode) -> list[TableRow]:
    """The rows of this table, not of tables inside it."""
    rows = []
    for part in table.iter():
        if part.tag == "tr":
            rows.append(_row(part, False))
        elif part.tag in _SECTIONS:
            rows.extend(_row(row, part.tag == "thead") for row in part.iter() if row.tag == "tr")
    rows = [row for row in rows if row.cells]
    is_headed = len(rows) > 1 and not any(row.is_header for row in rows) and _is_bold(rows[0])
    return [TableRow(rows[0].cells, is_header=True), *rows[1:]] if is_headed and not _is_bold(rows[1]) else rows


def grid_rows(node: LexborNode) -> list[TableRow]:
    """The rows of a table made of other elements, which are marked as rows, have equally many short cells, and begin
    with different names. [] for anything else."""
    rows: list[TableRow] = []
    for part in _grid_parts(node):
        cells = tuple(part.iter()) if is_grid_row(part) else ()
        if len(cells) < 2 or (rows and len(cells) != len(rows[0].cells)) or not all(map(_is_grid_cell, cells)):
            return []
        is_first = not rows and not _cell_text(cells[0])
        rows.append(TableRow(cells, is_first or all(cell.attributes.get("role") == "columnheader" for cell in cells)))
    names = [_cell_text(row.cells[0]) for row in rows if not row.is_header]
    return rows if len(rows) >= _FEWEST_GRID_ROWS and all(names) and len(set(names)) == len(names) else []


def is_layout(table: LexborNode, rows: list[TableRow]) -> bool:
    """Whether a table has blocks that do not fit into Markdown cells (headings, tables, code), or only one row."""
    if table.attributes.get("role") in {"presentation", "none"}:
        return True
    if table.css_first("h1,h2,h3,h4,h5,h6") is not None or any(
        cell.css_first("table") for row in rows for cell in row.cells
    ):
        return True
    if any("\n" in pre.text().strip() for pre in table.css("pre")):
        return True
    return len(rows) == 1 and not rows[0].is_header and not any(cell.tag == "th" for cell in rows[0].cells)


def term_line(rows: list[TableRow]) -> str:
    """A table of one row as a term in bold with its details, as manuals write `name | type | default` above the
    description of an option. "" for any other table, and for links side by side."""
    if len(rows) != 1 or rows[0].is_header or len(rows[0].cells) < 2:
        return ""
    if any(cell.css_first(_MORE_THAN_A_LINE) for cell in rows[0].cells):
        return ""
    term, *details = map(_cell_text, rows[0].cells)
    if not term or not all(details) or max(map(len, (term, *details))) > _LONGEST_DETAIL:
        return ""
    return " · ".join([term if "*" in term or "`" in term else f"**{term}**", *details])


def defined_rows(rows: list[TableRow]) -> list[tuple[str, LexborNode]]:
    """(name, description cell) of each row in a table with a header and two columns that defines short names; [] for
    any other table."""
    head, *body = rows
    if not head.is_header or len(body) < _FEWEST_DEFINED or any(len(row.cells) != 2 for row in rows):
        return []
    found = [(_cell_text(row.cells[0]), row.cells[1]) for row in body]
    is_named = all(0 < len(name) <= _LONGEST_DETAIL for name, _ in found)
    return found if is_named and not any(row.cells[0].css_first(_MORE_THAN_A_CELL) for row in body) else []


def hanging_rows(rows: list[TableRow]) -> list[tuple[LexborNode, LexborNode]]:
    """(name or bullet, text) of each row in a table whose first cells are empty and serve as indentation, as groff lays
    out manual pages. [] for any other table."""
    telling = [[cell for cell in row.cells if _cell_text(cell)] for row in rows if not row.is_header]
    blank = [row for row in rows if not row.cells[0].text().strip() and next(row.cells[0].iter(), None) is None]
    if not len(telling) == len(rows) == len(blank) or any(
        len(cells) != 2 or len(_cell_text(cells[0])) > _LONGEST_DETAIL for cells in telling
    ):
        return []
    return [(name, description) for name, description in telling]


def synopsis_line(table: LexborNode, rows: list[TableRow]) -> str:
    """The synopsis of a program, which mandoc writes as a row of name and options. "" for any other table."""
    if len(rows) != 1 or len(rows[0].cells) != 2 or "Nm" not in (table.attributes.get("class") or "").split():
        return ""
    return " ".join(inline_markdown(cell.iter(include_text=True)) for cell in rows[0].cells)


def is_single_column(rows: list[TableRow]) -> bool:
    return all(len(row.cells) == 1 for row in rows)


def only_cells(rows: list[TableRow]) -> list[LexborNode]:
    """The cells with text, if no row has more than one, as in a note beside a picture; else []."""
    telling = [[cell for cell in row.cells if _cell_text(cell)] for row in rows]
    return [cell for cells in telling for cell in cells] if all(len(cells) <= 1 for cells in telling) else []


def markdown_table(rows: list[TableRow]) -> str:
    """A pipe table, with an empty header if the page's table has none. Cells that span rows are repeated, so that
    each row can be read alone, unless that makes a table many times longer."""
    grid = _grid(rows)
    width = min(_MAX_COLUMNS, max((len(line) for line in grid), default=0))
    lines = [line[:width] + [""] * (width - len(line)) for line in grid]
    if not any(cell for line in lines for cell in line):
        return ""
    if not rows[0].is_header:
        lines.insert(0, [""] * width)
    rule = ["---"] * width
    return "\n".join(f"| {' | '.join(line)} |" for line in [lines[0], rule, *filter(any, lines[1:])])


def _grid_parts(node: LexborNode) -> list[LexborNode]:
    """The children of `node` that may be rows; [] if there is text between them."""
    if any(child.is_text_node and (child.text_content or "").strip() for child in node.iter(include_text=True)):
        return []
    groups = [list(part.iter()) if part.attributes.get("role") == "rowgroup" else [part] for part in node.iter()]
    return [part for group in groups for part in group]


def _is_grid_cell(cell: LexborNode) -> bool:
    return len(cell.text().strip()) <= _LONGEST_GRID_CELL and cell.css_first(_MORE_THAN_A_CELL) is None


def _row(node: LexborNode, in_head: bool) -> TableRow:
    cells = tuple(cell for cell in node.iter() if cell.tag in {"td", "th"})
    return TableRow(cells, in_head or (bool(cells) and all(cell.tag == "th" for cell in cells)))


def _is_bold(row: TableRow) -> bool:
    """Whether a row has several cells, all of them bold, like a header without <th>."""
    cells = [(cell.text().strip(), cell.css_first("b,strong")) for cell in row.cells]
    return len(cells) > 1 and all(text and bold is not None and bold.text().strip() == text for text, bold in cells)


def _grid(rows: list[TableRow]) -> list[list[str]]:
    carried: dict[int, tuple[int, str]] = {}  # column -> (rows still to fill, text)
    grid = []
    texts = [[_cell_text(cell) for cell in row.cells] for row in rows]
    left = _COPIES * sum(len(text) for line in texts for text in line) + _COPIED_CHARS
    for row, row_texts in zip(rows, texts, strict=True):
        line: list[str] = []
        for cell, text in zip(row.cells, row_texts, strict=True):
            _fill_carried(line, carried)
            down, across = _span(cell, "rowspan"), _span(cell, "colspan")
            left -= (down - 1) * len(text)
            for step in range(across):
                if down > 1:
                    carried[len(line)] = (down - 1, text if step == 0 and left >= 0 else "")
                line.append(text if step == 0 else "")
            if len(line) > _MAX_COLUMNS:
                break
        _fill_carried(line, carried)
        grid.append(line)
    return grid


def _fill_carried(line: list[str], carried: dict[int, tuple[int, str]]) -> None:
    while len(line) in carried:
        left, text = carried.pop(len(line))
        if left > 1:
            carried[len(line)] = (left - 1, text)
        line.append(text)


def _span(cell: LexborNode, name: str) -> int:
    value = cell.attributes.get(name) or "1"
    return max(1, min(_MAX_SPAN, int(value))) if value.isascii() and value.isdigit() else 1


def _cell_text(cell: LexborNode) -> str:
    return inline_text(cell.iter(include_text=True)).replace("\n", " ").replace("|", "\\|")
