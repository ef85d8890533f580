"""Ceilings for the shape of the source tree: what it measures today, which a change may lower and none may raise.

Whoever lowers a figure lowers its ceiling in the same commit. `docs/architecture.md` ("Ceilings") says how to read the
figures, and where each is meant to go.
"""

import ast
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import Final

import pytest

from app.sources.kinds import KINDS

_ROOT: Final = Path(__file__).resolve().parent.parent

_MOST_MODULES: Final = 25
_LONGEST_FILE: Final = 400
_LONE_PROTOCOLS: Final = 0
# Private names of libraries, and why nothing public does. `_replace`, `_asdict` and `_mapping` are documented.
_PRIVATE_NAMES: Final = {
    "_cells": "openpyxl: a walk over all that there could be takes minutes where the last cell was formatted",
    "_charts": "openpyxl: the charts of a sheet that was read",
    "_Decompress": "typeshed's name for the type of what zlib.decompressobj returns",
    "_send_with_timeout": "sse-starlette's seam for a send, which opens a cancel scope for each frame",
}
_DOCUMENTED_NAMES: Final = frozenset({"_replace", "_asdict", "_mapping", "_exit"})
_MOST_COLLABORATORS: Final = 8
# What answers and what learns are put together by the composition root alone; tests hand it doubles.
_COMPOSITION_ROOT: Final = ("app.bootstrap.", "app.main")
_COMPOSED: Final = frozenset(
    {
        "AnswerPipeline",
        "ChunkContexts",
        "ChunkIndexer",
        "FinishDeletions",
        "GivenPages",
        "Ingest",
        "KnowledgeJobs",
        "Playground",
        "Reconcile",
        "Reindex",
        "Retire",
        "SearchParts",
        "TurnTools",
        "Turns",
    }
)
_MOST_USE_CASES_BY_HAND: Final = 7  # in one file, of those that begin with the record
_SHORT_NAMES: Final = frozenset({"of", "get", "of_agent", "all", "one"})
_MOST_SHORT_NAMES: Final = 12
_MOST_CASES: Final = 8_600


@dataclass(frozen=True)
class _Class:
    """`members` are the names of its own methods, properties and attributes; `shown` are the types of those
    that others may read. A use case is made with the record."""

    name: str
    bases: tuple[str, ...]
    members: frozenset[str]
    shown: tuple[str, ...]
    is_value: bool
    is_use_case: bool


@dataclass(frozen=True)
class _Module:
    name: str
    path: Path
    lines: int
    imports: frozenset[str]
    calls: frozenset[str]
    private_names: frozenset[str]
    classes: tuple[_Class, ...] = field(default=())


@pytest.fixture(scope="module")
def ours() -> dict[str, _Module]:
    """The modules of `app` and `crawler` by name."""
    return _modules("app", "crawler")


@pytest.fixture(scope="module")
def theirs() -> dict[str, _Module]:
    """Those of `tests`, `bench` and `training`."""
    return _modules("tests", "bench", "training")


def test_no_folder_holds_more_modules_than_one_reads_at_a_glance(ours: dict[str, _Module]) -> None:
    count = Counter(
        module.path.parent.relative_to(_ROOT).as_posix()
        for module in ours.values()
        if module.path.stem != "__init__" and module.path.parent.name != "versions"
    )
    assert {folder: modules for folder, modules in count.items() if modules > _MOST_MODULES} == {}


def test_files_do_not_outgrow_one_idea(ours: dict[str, _Module], theirs: dict[str, _Module]) -> None:
    assert [name for name, module in (ours | theirs).items() if module.lines > _LONGEST_FILE] == []
    scripts = (_ROOT / "widget" / "src").rglob("*.ts")
    assert [path.name for path in scripts if path.read_text("utf-8").count("\n") > _LONGEST_FILE] == []


def test_a_protocol_has_two_implementations_or_a_double(ours: dict[str, _Module], theirs: dict[str, _Module]) -> None:
    tests = {name: module for name, module in theirs.items() if name.startswith("tests")}
    lone = sorted(_lone_protocols(ours, tests))
    assert len(lone) <= _LONE_PROTOCOLS, "\n".join(lone)


def test_repositories_share_no_code_by_inheritance(ours: dict[str, _Module]) -> None:
    repositories = [each for module in ours.values() for each in module.classes if each.name.endswith("Records")]
    names = {each.name for each in repositories}
    assert len(names) > 20
    assert [each.name for each in repositories if names & set(each.bases)] == []


def test_private_names_of_libraries_are_used_only_for_a_reason(ours: dict[str, _Module]) -> None:
    own = {name for module in ours.values() for each in module.classes for name in each.members}
    used = {name for module in ours.values() for name in module.private_names}
    assert used - own - _DOCUMENTED_NAMES == set(_PRIVATE_NAMES) - own
    assert set(_PRIVATE_NAMES) <= used, "what they are listed for has gone"


def test_no_object_hands_on_more_collaborators_than_the_largest_did(ours: dict[str, _Module]) -> None:
    behaving = _behaving(ours)
    shown = {
        f"{name}.{each.name}": len([kind for kind in each.shown if kind in behaving])
        for name, module in ours.items()
        for each in module.classes
    }
    largest = max(shown, key=lambda name: shown[name])
    assert shown[largest] <= _MOST_COLLABORATORS, largest


def test_one_place_puts_together_what_answers_and_what_learns(
    ours: dict[str, _Module], theirs: dict[str, _Module]
) -> None:
    defined = {each.name for module in ours.values() for each in module.classes}
    assert defined >= _COMPOSED, "what has gone need not be listed"
    made = {
        name: module.calls & _COMPOSED
        for name, module in (ours | theirs).items()
        if not name.startswith(_COMPOSITION_ROOT)
    }
    assert {name: called for name, called in made.items() if called} == {}


def test_no_file_puts_together_more_use_cases_than_it_is_about(
    ours: dict[str, _Module], theirs: dict[str, _Module]
) -> None:
    """More are asked for by their types: `Wiring` makes them, as for the application."""
    use_cases = {each.name for module in ours.values() for each in module.classes if each.is_use_case}
    assert len(use_cases) > 100
    made = {
        name: len(module.calls & use_cases)
        for name, module in (ours | theirs).items()
        if not name.startswith(_COMPOSITION_ROOT)
    }
    most = max(made, key=lambda name: made[name])
    assert made[most] <= _MOST_USE_CASES_BY_HAND, most


def test_methods_have_names_that_a_search_finds(ours: dict[str, _Module]) -> None:
    public = [each for module in ours.values() for each in module.classes if not each.name.startswith("_")]
    named = [f"{each.name}.{name}" for each in public for name in each.members & _SHORT_NAMES]
    assert len(named) <= _MOST_SHORT_NAMES, sorted(named)


def test_what_trains_the_models_is_imported_by_its_tests_alone(
    ours: dict[str, _Module], theirs: dict[str, _Module]
) -> None:
    assert "training.rails" in theirs["tests.training.test_rails"].imports
    users = {
        name for name, module in (ours | theirs).items() if any(each.startswith("training.") for each in module.imports)
    }
    assert {name for name in users if not name.startswith(("training.", "tests.training."))} == set()


def test_tables_do_not_multiply_the_cases(request: pytest.FixtureRequest) -> None:
    """Of the tests that this run has collected: all of them in `make test`, without the slow ones in any other."""
    slow = re.search(r"^SLOW := (.+)$", (_ROOT / "Makefile").read_text("utf-8"), re.MULTILINE)
    assert slow is not None
    apart = tuple(f"{folder}/" for folder in slow[1].split())
    cases = Counter(item.nodeid.partition("[")[0] for item in request.session.items)
    cases = Counter({test: count for test, count in cases.items() if not test.startswith(apart)})
    assert cases.total() <= _MOST_CASES, f"tests.every_row walks a table in one case: {cases.most_common(5)}"


def test_nobody_asks_which_kind_a_source_a_help_desk_or_a_channel_is(ours: dict[str, _Module]) -> None:
    """But for the kinds of sources themselves: others ask for what a kind has or does. Templates count; to name a kind
    in order to make a source does not."""
    kinds = {kind.value for kind in KINDS}
    elsewhere = [module for name, module in ours.items() if not name.startswith("app.sources.kinds")]
    asked = [f"{module.name}:{line}" for module in elsewhere for line in _asks_for(kinds, module.path)]
    comparison = re.compile(rf'\bkind(\.value)? (==|!=|in|not in) [(\[]?"({"|".join(kinds)})"')
    templates = (_ROOT / "app").rglob("*.html")
    asked += [str(path) for path in templates if comparison.search(path.read_text("utf-8"))]
    assert asked == []


def test_the_measure_finds_a_kind_that_is_asked_for(tmp_path: Path) -> None:
    asking = [
        "from app.sources.kinds import TEXT",
        "kind is TEXT",
        'kind.value in ("git", "url")',
        "kind not in {TEXT}",
    ]
    others = [
        "match kind:\n    case kinds.GIT: ...",
        "kind is DeskKind.MAIL",
        "SourceConfig(TEXT)",
        '"text" in kind.fields',
    ]
    path = tmp_path / "asking.py"
    path.write_text("\n".join([*asking, *others]), "utf-8")
    assert sorted(_asks_for({"text", "git", "url"}, path)) == [2, 3, 4, 6, 7]


def test_imports_run_in_no_circle(ours: dict[str, _Module]) -> None:
    try:
        TopologicalSorter({name: module.imports - {name} for name, module in ours.items()}).prepare()
    except CycleError as error:
        pytest.fail(" -> ".join(error.args[1]))


def _modules(*rooms: str) -> dict[str, _Module]:
    paths = {
        ".".join(path.relative_to(_ROOT).with_suffix("").parts).removesuffix(".__init__"): path
        for room in rooms
        for path in sorted((_ROOT / room).rglob("*.py"))
    }
    return {name: _read(name, path, paths) for name, path in paths.items()}


def _read(name: str, path: Path, known: dict[str, Path]) -> _Module:
    text = path.read_text("utf-8")
    nodes = list(ast.walk(ast.parse(text)))
    imports = [node for node in nodes if isinstance(node, ast.Import | ast.ImportFrom)]
    return _Module(
        name,
        path,
        lines=text.count("\n"),
        imports=frozenset(imported for node in imports for imported in _imported(node) if imported in known),
        calls=frozenset(
            node.func.id for node in nodes if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
        ),
        private_names=frozenset(_private_names(nodes)),
        classes=tuple(_class(node) for node in nodes if isinstance(node, ast.ClassDef)),
    )


def _imported(node: ast.Import | ast.ImportFrom) -> Iterator[str]:
    """`from app.x import y` is an import of the module y where there is one, else of x."""
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
        return
    module = node.module or ""
    for alias in node.names:
        inner = f"{module}.{alias.name}"
        path = _ROOT.joinpath(*inner.split("."))
        yield inner if path.with_suffix(".py").exists() or path.is_dir() else module


def _asks_for(kinds: set[str], path: Path) -> Iterator[int]:
    """The lines that compare something with one of these kinds, or a kind with their names."""
    tree = ast.parse(path.read_text("utf-8"))
    imports = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    imported = {alias.name for node in imports if node.module == "app.sources.kinds" for alias in node.names}
    for node in ast.walk(tree):
        if isinstance(node, ast.Compare | ast.MatchValue):
            sides = [node.value] if isinstance(node, ast.MatchValue) else [node.left, *node.comparators]
            inner = [each for side in sides for each in ast.walk(side)]
            names = {ast.unparse(each) for each in inner if isinstance(each, ast.Name | ast.Attribute)}
            texts = {each.value for each in inner if isinstance(each, ast.Constant)}
            is_kind = any(re.search(r"\bkind(\.value)?$", ast.unparse(side)) for side in sides)
            constants = {name for name in names if re.match(r"(Desk|Channel)Kind\.", name)}
            constants |= {f"kinds.{kind.upper()}" for kind in kinds} & names
            if constants or names & imported or (is_kind and texts & kinds):
                yield node.lineno


def _class(node: ast.ClassDef) -> _Class:
    methods = [item for item in node.body if isinstance(item, ast.FunctionDef | ast.AsyncFunctionDef)]
    fields = [item for item in node.body if isinstance(item, ast.AnnAssign) and isinstance(item.target, ast.Name)]
    typed = [(item.target.id, item.annotation) for item in fields if isinstance(item.target, ast.Name)]
    typed += [(item.name, item.returns) for item in methods if item.returns and _decorators(item) & {"property"}]
    constants = {
        target.id
        for item in node.body
        if isinstance(item, ast.Assign)
        for target in item.targets
        if isinstance(target, ast.Name)
    }
    set_by_init = {
        each.attr
        for item in methods
        if item.name == "__init__"
        for each in ast.walk(item)
        if isinstance(each, ast.Attribute) and isinstance(each.ctx, ast.Store)
    }
    return _Class(
        node.name,
        tuple(_last_name(base) for base in node.bases if ast.unparse(base) != "asyncio.Protocol"),
        frozenset(item.name for item in methods) | {name for name, _ in typed} | constants | set_by_init,
        tuple(_last_name(annotation) for name, annotation in typed if not name.startswith("_")),
        is_use_case=any(item.name == "__init__" and _takes(item, "SystemOfRecord") for item in methods)
        or any(name.startswith("_") and _last_name(annotation) == "SystemOfRecord" for name, annotation in typed),
        is_value="dataclass" in _decorators(node) or any("Enum" in _last_name(base) for base in node.bases),
    )


def _takes(method: ast.FunctionDef | ast.AsyncFunctionDef, kind: str) -> bool:
    return any(each.annotation is not None and _last_name(each.annotation) == kind for each in method.args.args)


def _decorators(node: ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) -> set[str]:
    return {_last_name(each.func if isinstance(each, ast.Call) else each) for each in node.decorator_list}


def _last_name(node: ast.expr) -> str:
    """Of `a.B`, `B[C]`, `B | None` and `"B"`: B."""
    if isinstance(node, ast.Subscript):
        return _last_name(node.value)
    if isinstance(node, ast.BinOp):
        return _last_name(node.left)
    if isinstance(node, ast.Constant):
        return str(node.value)
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def _private_names(nodes: Sequence[ast.AST]) -> Iterator[str]:
    """Attributes with one leading underscore of anything but `self` and `cls`."""
    for each in nodes:
        if isinstance(each, ast.Attribute) and each.attr.startswith("_") and not each.attr.startswith("__"):
            is_ours = isinstance(each.value, ast.Name) and each.value.id in ("self", "cls")
            if not is_ours:
                yield each.attr


def _lone_protocols(ours: dict[str, _Module], tests: dict[str, _Module]) -> Iterator[str]:
    """A class implements a Protocol when it has all its members, its own or inherited."""
    makers = _with_inherited(ours)
    doubles = _with_inherited(tests, makers)
    for name, module in ours.items():
        for protocol in module.classes:
            wanted = makers[f"{name}.{protocol.name}"] if "Protocol" in protocol.bases else frozenset()
            if not wanted or wanted == {"__call__"}:  # any function is a `__call__`
                continue
            found = [each for each, members in makers.items() if wanted <= members and not _is_protocol(each, ours)]
            if len(found) < 2 and not any(wanted <= members for members in doubles.values()):
                yield f"{name}.{protocol.name}"


def _is_protocol(name: str, modules: dict[str, _Module]) -> bool:
    module, _, class_name = name.rpartition(".")
    return any(each.name == class_name and "Protocol" in each.bases for each in modules[module].classes)


def _with_inherited(
    modules: dict[str, _Module], others: dict[str, frozenset[str]] | None = None
) -> dict[str, frozenset[str]]:
    """The members of each class. Bases are found by their bare names."""
    classes = {f"{name}.{each.name}": each for name, module in modules.items() for each in module.classes}
    by_name: dict[str, list[_Class]] = defaultdict(list)
    for each in classes.values():
        by_name[each.name].append(each)
    elsewhere: dict[str, frozenset[str]] = {
        name.rpartition(".")[2]: members for name, members in (others or {}).items()
    }

    def members(each: _Class, seen: frozenset[str]) -> frozenset[str]:
        found = each.members
        for base in each.bases:
            if base in seen:
                continue
            found |= elsewhere.get(base, frozenset())
            for parent in by_name[base]:
                found |= members(parent, seen | {base})
        return found

    return {name: members(each, frozenset({each.name})) for name, each in classes.items()}


def _behaving(modules: dict[str, _Module]) -> frozenset[str]:
    """Names of the classes that do something: neither values nor errors."""
    return frozenset(
        each.name
        for module in modules.values()
        for each in module.classes
        if not each.is_value and any(not member.startswith("_") for member in each.members)
    )
