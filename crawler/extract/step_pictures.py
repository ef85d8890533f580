"""Pictures within numbered steps, with their captions ("Figure 3: the empty dialog"), which without the picture only
separate the steps."""

from typing import Final

from selectolax.lexbor import LexborNode

_PICTURES: Final = ", ".join(f"ol > li {each}" for each in ("figure", ".figure", ".informalfigure", ".mediaobject"))
_SHOWN: Final = "img,picture,video,svg"
_TEXT: Final = "pre,code,table,ol,ul,dl"  # content of a figure besides pictures


def remove_step_pictures(main: LexborNode) -> None:
    """Remove, in place, pictures and their captions from steps that have text of their own."""
    pictures = {
        node.mem_id: node
        for node in main.css(_PICTURES)
        if node.css_first(_SHOWN) is not None and node.css_first(_TEXT) is None
    }
    steps: dict[int, bool] = {}
    removed = []
    for picture in pictures.values():
        step = _step(picture, pictures)
        if step is None:
            continue
        if step.mem_id not in steps:
            steps[step.mem_id] = _says_something(step, pictures)
        if steps[step.mem_id]:
            removed.append(picture)
    for picture in removed:
        picture.decompose()


def _step(picture: LexborNode, pictures: dict[int, LexborNode]) -> LexborNode | None:
    """The step that the picture belongs to; None for a picture within another one, which is removed with that."""
    above = picture.parent
    while above is not None and above.tag != "li":
        if above.mem_id in pictures:
            return None
        above = above.parent
    return above


def _says_something(step: LexborNode, pictures: dict[int, LexborNode]) -> bool:
    return any(
        child.text().strip()
        for child in step.iter(include_text=True)
        if child.is_text_node or (child.mem_id not in pictures and child.css_first(_SHOWN) is None)
    )
