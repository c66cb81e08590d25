"""The parameters of a tool as an API takes them, converted once and remembered.

Always: the same schema gives the same text, byte for byte, so that vendors find their cached prompts again. The given schema is never
changed.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from runtime.core.json import JsonObject, dumps, loads_object, whole_characters
from runtime.providers.wire.schema_fit import Api, fitted_root
from runtime.providers.wire.schema_nodes import UnfitSchema
from runtime.providers.wire.schema_references import References
from runtime.providers.wire.schema_renames import Renames

_REMEMBERED: Final = 512  # conversions: some forty tools for three APIs, and those of servers


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversion:
    """Parameters as an API takes them.

    Attributes:
        text: the schema as JSON.
        renames: what became of the properties' names.
    """

    text: str
    renames: Renames

    def parameters(self) -> JsonObject:
        """The schema, made anew for each caller."""
        return loads_object(self.text)


def converted(parameters: JsonObject, api: Api) -> Conversion:
    """The parameters of a tool for an API.

    Raises:
        UnfitSchema: they cannot be said to the API without losing meaning.
    """
    try:
        text = whole_characters(json.dumps(parameters, ensure_ascii=False))
    except (TypeError, ValueError) as problem:
        raise UnfitSchema(f"it is no JSON: {problem}") from problem
    except RecursionError as problem:
        raise UnfitSchema("it is nested too deeply") from problem
    return _converted(text, api)


@lru_cache(maxsize=_REMEMBERED)
def _converted(text: str, api: Api) -> Conversion:
    """The conversion of a schema that is given as JSON: a text can be remembered and cannot be changed."""
    try:
        plain = References(json.loads(text), only_optional=api == "gemini").resolved()
        fit = fitted_root(plain, api)
        renames = Renames.of(fit) if api == "anthropic" else Renames(schema=fit)
        return Conversion(text=dumps(renames.renamed_schema()), renames=renames)
    except RecursionError as problem:
        raise UnfitSchema("it is nested too deeply") from problem
