"""Settings: defaults, then `desk.toml`, then the environment (`WYCKOFF_<SETTING>`).

An invalid value is reported and its default stands: settings never keep the program from starting. `desk.toml` is the person's own file:
writing keeps comments and order, happens under a lock and replaces the file as a whole. It never holds a secret.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from typing import Final
from urllib.parse import urlsplit

import tomlkit
from filelock import FileLock
from tomlkit.exceptions import ParseError

from runtime.errors import UserError
from runtime.paths import Home
from runtime.private_files import write_private


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """All settings with their defaults. Times in seconds unless the name says otherwise."""

    language: str = "zh_CN"
    market: str = "auto"  # auto: local bars, the sample only for `.SIM`; sample: nothing but the sample market
    max_tool_rounds: int = 15  # seed 000; the call after them has no tools
    turn_timeout_s: float = 600.0  # design 2; waiting for the person does not count
    final_reserve_s: float = 30.0  # kept for the answer without tools when time runs short
    stream_idle_timeout_s: float = 60.0  # seed 000
    reasoning_idle_timeout_s: float = 180.0  # design 2: while a model reasons without output
    connect_timeout_s: float = 10.0  # design 2
    model_retries: int = 2  # of a failed call by the same model, before another takes over
    retry_wait_s: float = 1.0  # before the first of them; later ones wait longer
    longest_retry_wait_s: float = 20.0  # a vendor that asks for more is not waited for
    daily_spending_limit: float = 0.0  # in the currency of the prices; 0 = none
    proxy: str = "system"  # system: as the system says; none; or an address such as http://127.0.0.1:7890
    ollama_url: str = "http://127.0.0.1:11434"  # where a server on this machine is looked for
    lmstudio_url: str = "http://127.0.0.1:1234"
    readable_folders: str = ""  # more folders that a model may read, separated by commas; the work folder always
    max_concurrent_tools: int = 5  # seed 000
    checkpoint_s: float = 1.0  # a half answer is written at least this often
    offline_pause_s: float = 0.01  # between two pieces of the offline analyst's text, so that it reads as it comes
    commission_rate: str = "0.00025"  # of the traded amount; the broker's contract decides
    commission_min: str = "5"  # yuan


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadedSettings:
    """Settings and what was wrong with their sources (name of the setting, value, where)."""

    settings: Settings
    problems: tuple[UserError, ...] = field(default_factory=tuple)


_CHOICES: Final = {"language": ("zh_CN", "en"), "market": ("auto", "sample")}
_MAY_BE_ZERO: Final = ("model_retries", "daily_spending_limit")
_ADDRESSES: Final = ("ollama_url", "lmstudio_url")
_RATES: Final = ("commission_rate", "commission_min")
MOST_COMMISSION: Final = 1000.0  # yuan, or a ratio: anything above is a typing mistake


def load_settings(file: SettingsFile, environment: Mapping[str, str]) -> LoadedSettings:
    """Read the settings of a home.

    Raises:
        UserError: `desk.toml` is no TOML; nothing is overwritten.
    """
    problems: list[UserError] = []
    chosen: dict[str, object] = {}
    found = file.read().get("settings", {})
    table = found if isinstance(found, Mapping) else {}
    for item in fields(Settings):
        default = item.default
        variable = f"WYCKOFF_{item.name.upper()}"
        for source, raw in (("desk.toml", table.get(item.name)), (variable, environment.get(variable))):
            if raw is None or raw == "":
                continue
            value = _converted(item.name, raw, default)
            if value is None:
                problems.append(
                    UserError(
                        "settings.invalid",
                        name=item.name,
                        value=str(raw),
                        source=source,
                        default=str(default),
                    )
                )
            else:
                chosen[item.name] = value
    return LoadedSettings(settings=Settings(**chosen), problems=tuple(problems))  # type: ignore[arg-type]


def _converted(name: str, raw: object, default: object) -> object | None:
    """The value in the type of its default; None when it is not valid."""
    value: object = None
    text = raw.strip() if isinstance(raw, str) else raw
    try:
        match default:
            case int():
                value = int(text) if isinstance(text, str | int) and not isinstance(text, bool) else None
            case float():
                value = float(text) if isinstance(text, str | int | float) and not isinstance(text, bool) else None
            case _:
                value = str(text)
    except ValueError:
        return None
    return value if _valid(name, value) else None


def _valid(name: str, value: object) -> bool:
    """Whether a value may stand for a setting: among the choices, positive, finite."""
    if name in _CHOICES:
        return value in _CHOICES[name]
    if name in _RATES:
        try:
            return 0 <= float(str(value)) < MOST_COMMISSION
        except ValueError:
            return False
    if name == "proxy":
        return value in ("system", "none") or is_address(str(value))
    if name == "readable_folders":
        return isinstance(value, str)
    if name in _ADDRESSES:
        return is_address(str(value))
    if not isinstance(value, int | float):
        return False
    return 0 < value < float("inf") or (value == 0 and name in _MAY_BE_ZERO)


def is_address(text: str) -> bool:
    """Whether a text is the address of a server or proxy, without a user or password, where a secret could hide."""
    try:
        parts = urlsplit(text)
        usable = bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False
    return usable and parts.scheme in ("http", "https", "socks5", "socks5h") and not (parts.username or parts.password)


class SettingsFile:
    """`desk.toml` of a home.

    Args:
        home: where it lives.
    """

    def __init__(self, home: Home) -> None:
        self._path = home.settings_file
        self._lock = FileLock(home.root / "desk.toml.lock")

    def read(self) -> tomlkit.TOMLDocument:
        """The document; empty when there is no file.

        Raises:
            UserError: the file is no TOML.
        """
        if not self._path.exists():
            return tomlkit.document()
        try:
            return tomlkit.parse(self._path.read_text("utf-8"))
        except (ParseError, UnicodeDecodeError) as problem:
            raise UserError("settings.broken_file", path=str(self._path), detail=str(problem)) from None

    def update(self, change: Callable[[tomlkit.TOMLDocument], None]) -> None:
        """Read, change and replace the file under its lock.

        Raises:
            UserError: the file is no TOML; it stays as it is.
        """
        self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with self._lock:
            document = self.read()
            change(document)
            write_private(self._path, tomlkit.dumps(document))


class LiveSettings:
    """The settings as they stand now, for what a running program lets a person change.

    Args:
        file: `desk.toml`.
        environment: the process environment; what it sets cannot be changed from inside.
    """

    def __init__(self, file: SettingsFile, environment: Mapping[str, str]) -> None:
        self._file = file
        self._environment = environment

    def now(self) -> Settings:
        """The settings.

        Raises:
            UserError: `desk.toml` is no TOML.
        """
        return load_settings(self._file, self._environment).settings

    def change(self, name: str, value: float | str) -> None:
        """Write a setting.

        Raises:
            UserError: the value is not valid; nothing is written.
        """
        default = next(item.default for item in fields(Settings) if item.name == name)
        converted = _converted(name, value, default)
        if converted is None:
            raise UserError("settings.invalid_value", name=name, value=str(value))

        def change(document: tomlkit.TOMLDocument) -> None:
            table = document.setdefault("settings", tomlkit.table())
            table[name] = converted

        self._file.update(change)
