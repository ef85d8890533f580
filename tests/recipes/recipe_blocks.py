"""The snippets of docs/how-to/recipes.md, as a website takes them."""

from tests.docs.fenced_blocks import ROOT, Block, blocks
from tests.e2e.real_docent import RealDocent

PAGE = "docs/how-to/recipes.md"


def snippet(docent: RealDocent, heading: str, number: int = 0) -> str:
    """The block of that number below a heading that begins so, with the address and the agent of this Docent."""
    code = _below(heading)[number].code
    return code.replace("https://chat.example.com", docent.base).replace("AGENT_ID", docent.agent_id)


def _below(heading: str) -> list[Block]:
    lines = (ROOT / PAGE).read_text("utf-8").splitlines()
    headings = [at for at, line in enumerate(lines, 1) if line.startswith("#") and not line.startswith("#!")]
    start = next(at for at in headings if lines[at - 1].lstrip("# ").startswith(heading))
    end = next((at for at in headings if at > start), len(lines) + 1)
    return [block for block in blocks() if block.page == PAGE and start < block.line < end]
