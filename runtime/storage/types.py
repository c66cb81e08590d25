"""Column types: exact money, aware times, JSON as readable text."""

from __future__ import annotations

from datetime import datetime
from decimal import Decimal
from typing import TypeVar

from sqlalchemy import Dialect, Text
from sqlalchemy.types import TypeDecorator

from runtime.clock import SHANGHAI
from runtime.core.json import JsonValue, dumps, loads

T = TypeVar("T")


class Exact(TypeDecorator[Decimal]):
    """A Decimal kept as its text: SQLite has no exact fractional number."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: Decimal | None, dialect: Dialect) -> str | None:  # noqa: ARG002
        """To the database."""
        return None if value is None else str(value)

    def process_result_value(self, value: str | None, dialect: Dialect) -> Decimal | None:  # noqa: ARG002
        """From the database."""
        return None if value is None else Decimal(value)


class Moment(TypeDecorator[datetime]):
    """An aware time, kept as ISO text in Asia/Shanghai."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> str | None:  # noqa: ARG002
        """To the database; naive times are a bug."""
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError("a naive time cannot be stored")
        return value.astimezone(SHANGHAI).isoformat()

    def process_result_value(self, value: str | None, dialect: Dialect) -> datetime | None:  # noqa: ARG002
        """From the database."""
        return None if value is None else datetime.fromisoformat(value)


class Json(TypeDecorator[JsonValue]):
    """A JSON value, kept as text with Chinese as it is."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: JsonValue | None, dialect: Dialect) -> str | None:  # noqa: ARG002
        """To the database."""
        return None if value is None else dumps(value)

    def process_result_value(self, value: str | None, dialect: Dialect) -> JsonValue:  # noqa: ARG002
        """From the database."""
        return None if value is None else loads(value)
