"""The models in `desk.toml`: `[[models]]` and `default_model`. The person edits this file too: comments and unknown entries stay.

What a line says wrongly is a problem to be shown, not a reason to lose the other models. Never a key.
"""

from __future__ import annotations

from collections.abc import Mapping, MutableMapping
from typing import cast

import tomlkit
from tomlkit.items import AoT

from runtime.errors import UserError
from runtime.providers.model_config import OWN_NAMES, ModelConfig, config_from_table, config_table
from runtime.settings import SettingsFile


class ModelFile:
    """Reads and writes the models of a home.

    Args:
        settings_file: `desk.toml`.
    """

    def __init__(self, settings_file: SettingsFile) -> None:
        self._file = settings_file

    def read(self) -> tuple[tuple[ModelConfig, ...], tuple[UserError, ...]]:
        """The models in their order, and what is wrong with entries that were left out.

        Raises:
            UserError: the file is no TOML.
        """
        models: dict[str, ModelConfig] = {}
        problems: list[UserError] = []
        for table in _tables(self._file.read()):
            try:
                config = config_from_table(table)
            except UserError as problem:
                problems.append(problem)
                continue
            if config.id in models:
                problems.append(UserError("providers.duplicate_model", id=config.id))
            else:
                models[config.id] = config
        return tuple(models.values()), tuple(problems)

    def default(self) -> str | None:
        """The id under `default_model`."""
        chosen = self._file.read().get("default_model")
        return str(chosen) if isinstance(chosen, str) else None

    def set_default(self, model_id: str) -> None:
        """Write `default_model`."""

        def change(document: tomlkit.TOMLDocument) -> None:
            document["default_model"] = model_id

        self._file.update(change)

    def fallbacks(self) -> tuple[str, ...]:
        """The ids under `fallback_models`, in order."""
        chosen = self._file.read().get("fallback_models")
        return tuple(str(name) for name in chosen if isinstance(name, str)) if isinstance(chosen, list) else ()

    def set_fallbacks(self, model_ids: tuple[str, ...]) -> None:
        """Write `fallback_models`; none removes the entry."""

        def change(document: tomlkit.TOMLDocument) -> None:
            if model_ids:
                document["fallback_models"] = list(model_ids)
            else:
                document.pop("fallback_models", None)

        self._file.update(change)

    def add(self, config: ModelConfig) -> None:
        """Append a model.

        Raises:
            UserError: the id is taken.
        """

        def change(document: tomlkit.TOMLDocument) -> None:
            if any(_id(table) == config.id for table in _tables(document)):
                raise UserError("providers.duplicate_model", id=config.id)
            table = tomlkit.table()
            table.update(config_table(config))
            if not isinstance(document.get("models"), AoT):
                document["models"] = tomlkit.aot()
            cast("AoT", document["models"]).append(table)

        self._file.update(change)

    def replace(self, config: ModelConfig) -> None:
        """Change a model in its place."""

        def change(document: tomlkit.TOMLDocument) -> None:
            values = config_table(config)
            for table in _tables(document):
                if _id(table) == config.id:
                    for name in OWN_NAMES & set(table) - set(values):
                        del table[name]
                    table.update({name: value for name, value in values.items() if table.get(name) != value})

        self._file.update(change)

    def remove(self, model_id: str) -> None:
        """Take a model out, and its choice as the default."""

        def change(document: tomlkit.TOMLDocument) -> None:
            at = [index for index, table in enumerate(_tables(document)) if _id(table) == model_id]
            models = document.get("models")
            if isinstance(models, AoT):
                for index in reversed(at):
                    del models[index]
                if not models:
                    del document["models"]
            if document.get("default_model") == model_id:
                del document["default_model"]
            others = document.get("fallback_models")
            if isinstance(others, list) and model_id in others:
                others.remove(model_id)

        self._file.update(change)


def _id(table: Mapping[str, object]) -> str:
    return str(table.get("id", "")).strip()


def _tables(document: Mapping[str, object]) -> list[MutableMapping[str, object]]:
    """The tables of the models; whatever else stands under that name is none."""
    models = document.get("models")
    return [table for table in models if isinstance(table, MutableMapping)] if isinstance(models, list) else []
