"""Imports LanceDB without the client for its REST catalogues, and without its checks of itself.

`import lancedb` loads that client, 163 modules that take as long as all the rest, but Docent opens tables by folder or
object store. During the import, placeholders replace the client's modules. The few of its classes that LanceDB uses
elsewhere are plain responses, such as a page of table names: their placeholders hold what they are given.

From `overrides` it uses a decorator that compares each of its hundred methods with the one it overrides, which takes as
long as its other modules together and does not concern Docent: during the import the decorator returns methods as they
are.
"""

import sys
from abc import ABC
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType, SimpleNamespace
from typing import Any, Final, cast

_CLIENT: Final = "lance_namespace_urllib3_client"
_CHECKS: Final = "overrides"


@contextmanager
def only_what_is_used() -> Iterator[None]:
    """For the block that imports LanceDB. Leaves modules that were imported before unchanged."""
    finder = _Placeholders()
    sys.meta_path.insert(0, finder)
    has_checks = _CHECKS in sys.modules
    if not has_checks:
        sys.modules[_CHECKS] = _unchecked_overrides()
    try:
        yield
    finally:
        sys.meta_path.remove(finder)
        if not has_checks:
            del sys.modules[_CHECKS]  # other importers get the real one


def _unchecked_overrides() -> ModuleType:
    module: Any = ModuleType(_CHECKS)
    module.override = lambda method: method
    module.EnforceOverrides = ABC
    return cast(ModuleType, module)


class _Placeholders(MetaPathFinder, Loader):
    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname.partition(".")[0] != _CLIENT:
            return None
        return ModuleSpec(fullname, self, is_package=True)

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        return _Placeholder(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        """Nothing to execute: the module is complete."""


class _Placeholder(ModuleType):
    def __getattr__(self, name: str) -> type:
        if name.startswith("__"):
            raise AttributeError(name)
        return type(name, (SimpleNamespace,), {})
