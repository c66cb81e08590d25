"""What a tool's parameters mean is the same for every API, and names and arguments find their way back."""

from __future__ import annotations

import copy
import warnings
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runtime.core.json import dumps
from runtime.errors import UserError
from runtime.providers.wire.wire_tools import Api, WireTools
from tests.support.json_schema import fits
from tests.support.told_schemas import APIS, NESTED, a_tool, told, told_of


def refused(parameters: object, api: Api = "openai") -> str:
    with pytest.raises(UserError) as caught:
        WireTools((a_tool(parameters),), api)
    assert caught.value.key == "providers.bad_tool_schema"
    assert caught.value.fields["tool"] == "tool"
    return str(caught.value.fields["reason"])


# --- names ---


@pytest.mark.parametrize("api", APIS)
@pytest.mark.parametrize(
    "root", [{}, {"type": "object"}, {"properties": {}}, {"type": "dict"}, {"type": ["object", "null"]}]
)
def test_a_root_without_properties_is_an_empty_object(root: object, api: Api) -> None:
    assert told(root, api) == {"type": "object", "properties": {}}


@pytest.mark.parametrize("root", [{"type": "string"}, {"type": "array", "items": {}}, {"enum": ["a"]}])
def test_a_root_that_is_no_object_is_refused(root: object) -> None:
    assert "no object" in refused(root)


def test_a_choice_at_the_root_becomes_one_object_where_that_means_the_same() -> None:
    kinds = [{"type": "object", "properties": {"k": {"const": k}}, "required": ["k"]} for k in ("a", "b")]
    assert told({"oneOf": kinds}, "openai") == {
        "type": "object",
        "properties": {"k": {"type": "string", "enum": ["a", "b"]}},
        "required": ["k"],
    }
    assert told({"allOf": [{"required": ["a"]}, {"properties": {"a": {"type": "string"}}}]}, "openai")["required"] == [
        "a"
    ]
    assert "choice" in refused({"properties": {"a": {}, "b": {}}, "anyOf": [{"required": ["a"]}, {"required": ["b"]}]})


# --- references ---


@pytest.mark.parametrize("api", APIS)
@pytest.mark.parametrize("place", ["$defs", "definitions"])
def test_local_references_are_replaced(place: str, api: Api) -> None:
    whole = {
        "properties": {"x": {"$ref": f"#/{place}/d", "description": "here"}},
        place: {"d": {"type": "string", "enum": ["a"]}},
    }
    assert told(whole, api)["properties"]["x"] == {"type": "string", "description": "here", "enum": ["a"]}


@pytest.mark.parametrize("api", APIS)
def test_recursion_keeps_bare_references(api: Api) -> None:
    node = {
        "type": "object",
        "properties": {"v": {"type": "number"}, "next": {"$ref": "#/$defs/n", "title": "Next"}},
        "required": ["v"],
    }
    whole = told({"properties": {"n": {"$ref": "#/$defs/n"}}, "required": ["n"], "$defs": {"n": node}}, api)
    assert '"$ref":"#/$defs/n"}' in dumps(whole)
    assert fits({"n": {"v": 1, "next": {"v": 2, "next": {"v": 3}}}}, whole)
    assert not fits({"n": {"v": 1, "next": {"v": 2, "next": {}}}}, whole)
    if api == "gemini":
        assert "$ref" not in whole["properties"]["n"]  # a reference may stand in an optional property only


def test_gemini_takes_no_recursion_through_required_properties() -> None:
    node = {
        "type": "object",
        "properties": {"next": {"anyOf": [{"$ref": "#/$defs/n"}, {"type": "null"}]}},
        "required": ["next"],
    }
    whole = {"properties": {"n": {"$ref": "#/$defs/n"}}, "$defs": {"n": node}}
    assert "required" in refused(whole, "gemini")
    assert fits({"n": {"next": {"next": None}}}, told(whole, "openai"))


@pytest.mark.parametrize("reference", ["#/$defs/none", "https://example.com/s.json", "other.json#/a", "#anchor"])
def test_references_that_lead_nowhere_are_refused(reference: str) -> None:
    assert "reference" in refused({"properties": {"x": {"$ref": reference}}})


def test_definitions_that_multiply_without_end_are_refused() -> None:
    defs: dict[str, object] = {
        f"d{n}": {"type": "array", "prefixItems": [{"$ref": f"#/$defs/d{n + 1}"}] * 2} for n in range(40)
    }
    assert "large" in refused({"properties": {"x": {"$ref": "#/$defs/d0"}}, "$defs": {**defs, "d40": {}}})
    loop = {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}}
    assert "itself" in refused({"properties": {"x": {"$ref": "#/$defs/a"}}, "$defs": loop})


# --- types and values ---


@pytest.mark.parametrize(
    ("foreign", "own"),
    [
        ("dict", "object"),
        ("float", "number"),
        ("tuple", "array"),
        ("int", "integer"),
        ("String", "string"),
        ("bool", "boolean"),
    ],
)
def test_type_names_of_languages_are_translated(foreign: str, own: str) -> None:
    assert told_of({"type": foreign}, "gemini")["type"] == own


def test_any_is_no_restriction_and_unknown_types_are_refused_with_their_place() -> None:
    assert told_of({"type": "any"}, "openai") == {}
    assert refused({"properties": {"a": {"items": {"type": "banana"}}}}) == "a/items: unknown type 'banana'"


@pytest.mark.parametrize("api", APIS)
@pytest.mark.parametrize(
    "schema",
    [
        {"type": ["string", "null"], "enum": ["a", None]},
        {"type": "string", "enum": ["a"], "nullable": True},
        {"enum": ["a", None]},
    ],
)
def test_values_go_to_the_branch_of_their_type(schema: object, api: Api) -> None:
    assert told_of(schema, api) == {"anyOf": [{"type": "string", "enum": ["a"]}, {"type": "null"}]}


def test_constants_and_untyped_enums_get_their_type() -> None:
    assert told_of({"const": 3}, "gemini") == {"type": "integer", "enum": [3]}
    assert told_of({"enum": ["", "尾盘"]}, "gemini") == {"type": "string", "enum": ["", "尾盘"]}
    assert told_of({"enum": [True, 1]}, "openai")["anyOf"] == [
        {"type": "boolean", "enum": [True]},
        {"type": "integer", "enum": [1]},
    ]


def test_an_enum_of_another_type_than_declared_is_believed() -> None:
    assert told_of({"type": "string", "enum": [1, 2]}, "openai") == {"type": "integer", "enum": [1, 2]}
    assert told_of({"type": "string", "enum": ["a", 1]}, "openai") == {"type": "string", "enum": ["a"]}
    array = told_of({"type": "array", "items": {"type": "string"}, "enum": ["a", "b"]}, "openai")
    assert array == {"type": "array", "items": {"type": "string", "enum": ["a", "b"]}}


# --- combinations ---


def test_exactly_one_is_said_only_where_branches_could_overlap() -> None:
    apart = {"oneOf": [{"type": "string"}, {"type": "integer"}]}
    overlapping = {
        "oneOf": [{"type": "string", "maxLength": 5}, {"type": "string", "pattern": "x"}],
        "description": "One",
    }
    assert told_of(apart, "openai") == {"anyOf": apart["oneOf"]}
    assert told_of(overlapping, "openai")["description"] == "One (exactly one of these applies)"


def test_contradictions_are_refused() -> None:
    assert "both" in refused({"properties": {"x": {"allOf": [{"type": "string"}, {"type": "integer"}]}}})
    assert "forbidden" in refused({"properties": {"a": {}}, "required": ["b"], "additionalProperties": False})


_PROPERTY_A = {"type": "object", "properties": {"a": {"minimum": 1}}}
_CLOSED = {"type": "object", "additionalProperties": False}
JUDGED: list[tuple[object, list[object], list[object]]] = [  # a schema, what fits it, what does not
    (
        {"allOf": [_PROPERTY_A, {"properties": {"a": {"maximum": 2}}, "required": ["a"]}]},
        [{"a": 1}],
        [{}, {"a": 0}, {"a": 3}],
    ),
    ({"type": "object", "oneOf": [{"required": ["a"]}, {"required": ["b"]}]}, [{"a": 1}, {"b": 1}], [{}, "a"]),
    ({**_CLOSED, "properties": {"a": {}}, "minProperties": 1}, [{"a": 1}], [{}, {"b": 1}]),
    ({"type": ["integer", "string"], "minimum": 2, "minLength": 2}, [2, "ab"], [1, "a", None]),
    ({"type": "number", "exclusiveMinimum": True, "minimum": 0}, [1], [0, -1]),
    (
        {"type": "array", "items": [{"type": "string"}], "additionalItems": {"type": "integer"}},
        [["a", 1]],
        [["a", "b"], [1]],
    ),
    ({"type": "array", "prefixItems": [{}], "items": False}, [[], [1]], [[1, 2]]),
    ({"not": {"type": "string"}}, [1], ["a"]),
    ({"if": {"type": "string"}, "then": {"minLength": 2}, "else": {"minimum": 3}}, ["ab", 3], ["a", 2]),
    ({"allOf": [{"pattern": "a"}, {"pattern": "b"}], "type": "string"}, ["ab"], ["a", "b"]),
    ({"allOf": [{"multipleOf": 0.2}, {"multipleOf": 0.3}], "type": "number"}, [0.6], [0.2, 0.3]),
    ({**_CLOSED, "patternProperties": {"^x": {"type": "integer"}}}, [{"x1": 1}], [{"x1": "a"}, {"y": 1}]),
]


@pytest.mark.parametrize("api", ["openai", "anthropic"])
@pytest.mark.parametrize(("schema", "fitting", "unfitting"), JUDGED)
def test_what_fits_still_fits_and_nothing_else(
    schema: object, fitting: list[Any], unfitting: list[Any], api: Api
) -> None:
    whole = told({"type": "object", "properties": {"x": schema}}, api)
    assert all(fits({"x": value}, whole) for value in fitting)
    assert not any(fits({"x": value}, whole) for value in unfitting)


@pytest.mark.parametrize(("schema", "fitting", "unfitting"), JUDGED)
def test_gemini_takes_all_that_fits_and_hears_of_the_rest(
    schema: object, fitting: list[Any], unfitting: list[Any]
) -> None:
    whole = told({"type": "object", "properties": {"x": schema}}, "gemini")
    assert all(fits({"x": value}, whole) for value in fitting)
    assert '"description":' in dumps(whole) or not any(fits({"x": value}, whole) for value in unfitting)


# --- keywords ---


def test_gemini_is_told_in_words_what_it_takes_no_keyword_for() -> None:
    schema = {
        "type": "string", "description": "代码", "pattern": r"^\d{6}$", "minLength": 6, "default": "300750",
        "examples": ["000001"], "deprecated": True, "format": "uri", "not": {"const": "000000"}, "readOnly": False,
    }  # fmt: skip
    said = told_of(schema, "gemini")
    assert said.keys() == {"type", "description"}
    for words in (
        "代码 (",
        r"pattern: ^\d{6}$",
        "at least 6 characters",
        'default: "300750"',
        'examples: "000001"',
        "deprecated",
    ):
        assert words in said["description"]
    assert 'not: {"type":"string","enum":["000000"]}' in said["description"]
    assert "read-only" not in said["description"]
    number = told_of({"type": "number", "exclusiveMinimum": 0, "multipleOf": 100, "maximum": 9}, "gemini")
    assert (number["maximum"], number["description"]) == (9, "> 0; multiple of 100")


def test_other_apis_keep_standard_keywords_and_lose_the_rest() -> None:
    kept = {"type": "string", "pattern": "x", "default": "x", "minLength": 1}
    foreign = {"$schema": "s", "$id": "i", "$comment": "c", "optional": "True", "x-order": 1}
    assert told_of({**kept, **foreign}, "openai") == kept
    assert told_of({**kept, **foreign}, "anthropic") == kept


def test_defaults_that_json_cannot_say_are_said_in_words() -> None:
    assert told_of({"type": "number", "default": float("nan")}, "openai") == {
        "type": "number",
        "description": "default: NaN",
    }
    assert told_of({"type": "number", "minimum": float("-inf"), "maximum": 1}, "openai") == {
        "type": "number",
        "maximum": 1,
    }
    assert "finite" in refused({"properties": {"x": {"minimum": float("nan")}}})


@pytest.mark.parametrize("api", APIS)
def test_arrays_say_their_items_and_required_properties_exist(api: Api) -> None:
    assert told_of({"type": "array"}, api) == {"type": "array", "items": {}}
    assert told({"required": ["a", "a"]}, api) == {"type": "object", "properties": {"a": {}}, "required": ["a"]}
    typed = told({"required": ["a"], "additionalProperties": {"type": "string"}}, api)
    assert typed["properties"] == {"a": {"type": "string"}}


# --- always ---

_LEAVES = st.sampled_from([
    {}, {"type": "string"}, {"type": ["integer", "null"], "minimum": 1}, {"const": 1}, {"enum": ["x", 1, None]},
    {"type": "string", "pattern": "^x", "default": "x"}, {"$ref": "#/$defs/d"},
])  # fmt: skip
_NAMES = st.sampled_from(["a", "b", "价", "type"])
SCHEMAS = st.recursive(
    _LEAVES,
    lambda inner: st.one_of(
        st.builds(
            lambda properties, required: {"type": "object", "properties": properties, "required": required},
            st.dictionaries(_NAMES, inner, max_size=3),
            st.lists(_NAMES, max_size=2),
        ),
        st.builds(lambda items: {"type": "array", "items": items}, inner),
        st.builds(
            lambda keyword, members: {keyword: members},
            st.sampled_from(["anyOf", "allOf"]),
            st.lists(inner, min_size=1, max_size=3),
        ),
    ),
    max_leaves=8,
)
VALUES = st.recursive(
    st.sampled_from(["x", "y", 0, 1, 2, None, True]),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(_NAMES, inner, max_size=3),
    max_leaves=5,
)


@given(schema=SCHEMAS, values=st.lists(VALUES, max_size=8), api=st.sampled_from(APIS))
def test_meaning_input_and_bytes_hold_for_any_schema(schema: object, values: list[Any], api: Api) -> None:
    definition = {"type": "object", "properties": {"a": {"$ref": "#/$defs/d"}, "b": {"type": "string"}}}
    whole: dict[str, Any] = {"type": "object", "properties": {"x": schema}, "$defs": {"d": definition}}
    before = copy.deepcopy(whole)
    try:
        tools = WireTools((a_tool(whole),), api)
    except UserError:
        return
    finally:
        assert whole == before
    schema_told = tools.tools[0].parameters
    assert dumps(WireTools((a_tool(before),), api).tools[0].parameters) == dumps(schema_told)
    if api != "anthropic" and "allOf" not in dumps(schema_told):
        assert dumps(told(schema_told, api)) == dumps(schema_told)
    for value in values:
        sent = tools.wire_args("tool", {"x": value})
        assert tools.own_args("tool", sent) == {"x": value}
        fitting = fits({"x": value}, whole)
        assert fits(sent, schema_told) == fitting or (api == "gemini" and not fitting)


def test_the_client_of_google_takes_a_recursive_choice_without_a_warning() -> None:
    from google.genai import types

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        types.FunctionDeclaration(name="t", description="d", parameters_json_schema=told(NESTED, "gemini"))
