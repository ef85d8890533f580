"""YAML with JSON's scalars."""

import re
from typing import Any, Final

import yaml

MAX_DIGITS: Final = 20
_TAG: Final = "tag:yaml.org,2002:"
_BOOL, _INT, _FLOAT, _TIME = (f"{_TAG}{name}" for name in ("bool", "int", "float", "timestamp"))
_TRUE_OR_FALSE: Final = re.compile(r"(?:true|True|TRUE|false|False|FALSE)\Z")
_INTEGER: Final = re.compile(rf"-?(?:0|[1-9][0-9]{{0,{MAX_DIGITS - 1}}})\Z", re.ASCII)
_NUMBER: Final = re.compile(
    rf"-?(?:0|[1-9][0-9]{{0,{MAX_DIGITS - 1}}})(?:\.[0-9]{{1,{MAX_DIGITS}}})?(?:[eE][-+]?[0-9]{{1,3}})?\Z", re.ASCII
)
_Base: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # the C one where the package has it


class YamlLoader(_Base):  # type: ignore[misc]  # the package has no types
    """Safe, and reads plain scalars as JSON does; the rest are strings. YAML 1.1 reads `off` as false, 9:30 as 570, 010
    as 8, and takes minutes for one long number in base 60."""

    def construct_number(self, node: yaml.ScalarNode) -> int | float:
        value = str(self.construct_scalar(node))
        if _INTEGER.match(value):
            return int(value)
        if _NUMBER.match(value):
            return float(value)
        raise yaml.constructor.ConstructorError(None, None, "this is no number of JSON", node.start_mark)


YamlLoader.yaml_implicit_resolvers = {
    sign: [(tag, pattern) for tag, pattern in found if tag not in (_BOOL, _INT, _FLOAT, _TIME)]
    for sign, found in yaml.SafeLoader.yaml_implicit_resolvers.items()
}
YamlLoader.add_constructor(_INT, YamlLoader.construct_number)
YamlLoader.add_constructor(_FLOAT, YamlLoader.construct_number)


def resolve_as_json(kind: Any) -> None:
    """Make a loader read plain scalars as JSON does, and a dumper quote strings that would be read as others."""
    kind.add_implicit_resolver(_BOOL, _TRUE_OR_FALSE, list("tTfF"))
    kind.add_implicit_resolver(_INT, _INTEGER, list("-0123456789"))
    kind.add_implicit_resolver(_FLOAT, _NUMBER, list("-0123456789"))


resolve_as_json(YamlLoader)
