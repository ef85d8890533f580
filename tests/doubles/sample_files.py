"""Small files as word processors write them, made here so that a test can say what is in them."""

import io
import zipfile
from collections.abc import Mapping, Sequence
from typing import Any
from xml.sax.saxutils import escape

from openpyxl import Workbook
from PIL import Image
from pptx import Presentation
from pypdf import PdfReader, PdfWriter

_TYPES = (
    '<?xml version="1.0"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
    '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
    '<Override PartName="/word/document.xml" ContentType='
    '"application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>'
)
_RELATIONS = (
    '<?xml version="1.0"?><Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
    '<Relationship Id="rId1" Target="word/document.xml" Type='
    '"http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument"/></Relationships>'
)
W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"


def _cache(kind: str, *values: object) -> str:
    points = "".join(f'<c:pt idx="{at}"><c:v>{value}</c:v></c:pt>' for at, value in enumerate(values))
    return f"<c:{kind}Ref><c:f>Prices!A1</c:f><c:{kind}Cache>{points}</c:{kind}Cache></c:{kind}Ref>"


# Of two years, as Excel keeps it in a file.
CHART = (
    '<c:chartSpace xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart"'
    ' xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"><c:chart><c:title><c:tx><c:rich><a:bodyPr/><a:p>'
    "<a:r><a:t>Wild </a:t></a:r><a:r><a:t>ducks</a:t></a:r></a:p></c:rich></c:tx></c:title><c:plotArea><c:barChart>"
    '<c:barDir val="col"/><c:ser><c:idx val="0"/><c:order val="0"/>'
    f"<c:tx>{_cache('str', 'Ducks')}</c:tx><c:cat>{_cache('str', 2024, 2025)}</c:cat>"
    f"<c:val>{_cache('num', 120, 3.3000000000000003)}</c:val></c:ser>"
    '<c:axId val="1"/><c:axId val="2"/></c:barChart>'
    '<c:catAx><c:axId val="1"/><c:scaling/><c:axPos val="b"/><c:crossAx val="2"/></c:catAx>'
    '<c:valAx><c:axId val="2"/><c:scaling/><c:axPos val="l"/><c:crossAx val="1"/></c:valAx>'
    "</c:plotArea></c:chart></c:chartSpace>"
)


def a_docx(body: str, title: str = "", more: Mapping[str, str] | None = None, head: str = "") -> bytes:
    """`body` is what stands in w:body; `head` before the document's root; `more` are other parts by name."""
    parts = {
        "[Content_Types].xml": _TYPES,
        "_rels/.rels": _RELATIONS,
        "word/document.xml": f'{head}<w:document xmlns:w="{W}"><w:body>{body}</w:body></w:document>',
        "docProps/core.xml": '<cp:coreProperties xmlns:cp="urn:cp" xmlns:dc="http://purl.org/dc/elements/1.1/">'
        f"<dc:title>{escape(title)}</dc:title></cp:coreProperties>",
        **(more or {}),
    }
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as file:
        for name, part in parts.items():
            file.writestr(name, part)
    return packed.getvalue()


def an_xlsx(sheets: Mapping[str, Sequence[Sequence[object]]], title: str = "") -> bytes:
    """Rows by sheet."""
    workbook = Workbook()
    workbook.remove(workbook.worksheets[0])
    workbook.properties.title = title or None
    for name, rows in sheets.items():
        sheet = workbook.create_sheet(name)
        for row in rows:
            sheet.append(list(row))
    return saved(workbook)


def a_pptx(slides: Sequence[tuple[str, Sequence[str]]], title: str = "") -> bytes:
    """Each slide a title and the points below it."""
    presentation = Presentation()
    presentation.core_properties.title = title
    for heading, points in slides:
        slide = presentation.slides.add_slide(presentation.slide_layouts[1])
        slide.shapes.title.text = heading
        slide.placeholders[1].text = "\n".join(points)
    return saved(presentation)


def saved(file: Any) -> bytes:
    """What `file.save` writes."""
    written = io.BytesIO()
    file.save(written)
    return written.getvalue()


def repacked(body: bytes, more: Mapping[str, str]) -> bytes:
    """A ZIP file with parts added, or put in the place of those of their names."""
    with zipfile.ZipFile(io.BytesIO(body)) as file:
        parts = {name: file.read(name) for name in file.namelist()} | {
            name: part.encode() for name, part in more.items()
        }
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as file:
        for name, part in parts.items():
            file.writestr(name, part)
    return packed.getvalue()


def paragraph(text: str, style: str = "", run: str = "") -> str:
    """One w:p. `run` is what stands in its w:rPr."""
    styled = f'<w:pPr><w:pStyle w:val="{style}"/></w:pPr>' if style else ""
    return f"<w:p>{styled}<w:r><w:rPr>{run}</w:rPr><w:t>{escape(text)}</w:t></w:r></w:p>"


def a_pdf(
    pages: Sequence[Sequence[str]],
    title: str = "",
    outline: Sequence[tuple[str, int]] = (),
    password: str | None = None,
) -> bytes:
    """Each page a list of lines, "\\t" between the cells of a row; `outline` names pages from 0. With
    `password` ("" too) it is encrypted."""
    writer = PdfWriter(PdfReader(io.BytesIO(_bare_pdf(pages))))
    if title:
        writer.add_metadata({"/Title": title})
    for name, page in outline:
        writer.add_outline_item(title=name, page_number=page)
    if password is not None:
        writer.encrypt(user_password=password, owner_password="owner", algorithm="AES-256")
    written = io.BytesIO()
    writer.write(written)
    return written.getvalue()


def _bare_pdf(pages: Sequence[Sequence[str]]) -> bytes:
    kids = " ".join(f"{4 + 2 * number} 0 R" for number in range(len(pages)))
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>".encode(),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
    ]
    for number, lines in enumerate(pages):
        shown = " ".join(
            f"BT /F1 12 Tf 14 TL {72 + 120 * column} {720 - 14 * row} Td ({_pdf_text(cell)}) Tj T* ET"
            for row, line in enumerate(lines)
            for column, cell in enumerate(line.split("\t"))
        )
        stream = shown.encode("cp1252")
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents {5 + 2 * number} 0 R "
            "/Resources << /Font << /F1 3 0 R >> >> >>".encode()
        )
        objects.append(b"<< /Length %d >>\nstream\n%b\nendstream" % (len(stream), stream))
    file, offsets = bytearray(b"%PDF-1.4\n"), []
    for number, body in enumerate(objects, start=1):
        offsets.append(len(file))
        file += b"%d 0 obj\n%b\nendobj\n" % (number, body)
    start = len(file)
    file += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    file += b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    file += b"trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, start)
    return bytes(file)


def _pdf_text(line: str) -> str:
    return line.replace("\\", "\\\\").replace("(", "\\(").replace(")", "\\)")


def picture_file(form: str = "PNG", size: tuple[int, int] = (300, 200), color: str = "#0a8060", **more: Any) -> bytes:
    """A picture of one colour, in Pillow's name of a format."""
    body = io.BytesIO()
    Image.new("RGB", size, color).save(body, form, **more)
    return body.getvalue()
