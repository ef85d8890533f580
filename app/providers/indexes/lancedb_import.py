"""LanceDB without the client for its REST catalogues.

`import lancedb` loads that client, 163 modules that take as long as all the rest of it, and Docent names its tables by
folder or object store. While LanceDB is imported, placeholders stand in for the client's modules. The few of its
classes that LanceDB uses elsewhere are plain answers, such as a page of table names: theirs hold what they are given.
"""

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType, SimpleNamespace
from typing import Final

_CLIENT: Final = "lance_namespace_urllib3_client"


@contextmanager
def without_catalogue_client() -> Iterator[None]:
    """For the block that imports LanceDB. Changes nothing where the client was imported before."""
    finder = _Placeholders()
    sys.meta_path.insert(0, finder)
    try:
        yield
    finally:
        sys.meta_path.remove(finder)


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
        """It is whole as it is."""


class _Placeholder(ModuleType):
    def __getattr__(self, name: str) -> type:
        if name.startswith("__"):
            raise AttributeError(name)
        return type(name, (SimpleNamespace,), {})
