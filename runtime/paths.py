"""Where files live: the user's home of the program, and the resources that ship with it.

Only names are decided here; nothing is created except by `Home.ensure`. Files of other programs in the same folder are never touched:
ours are the ones named below.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True, kw_only=True)
class Home:
    """The folder that holds everything a person owns (`~/.wyckoff`, moved by `WYCKOFF_HOME` or `--home`)."""

    root: Path

    @property
    def database(self) -> Path:
        """Conversations, portfolio ledger, approvals, verdicts."""
        return self.root / "desk.db"

    @property
    def market_database(self) -> Path:
        """Daily bars; can be built again from their sources."""
        return self.root / "market.db"

    @property
    def settings_file(self) -> Path:
        """Settings and models, editable by hand; never a secret."""
        return self.root / "desk.toml"

    @property
    def scratchpad(self) -> Path:
        """One JSON Lines file for each turn."""
        return self.root / "scratchpad"

    @property
    def files(self) -> Path:
        """The work folder: what a person puts here, a model may read."""
        return self.root / "files"

    @property
    def skills(self) -> Path:
        """The person's own skills, one Markdown file each."""
        return self.root / "skills"

    @property
    def tool_results(self) -> Path:
        """Results that were too long for a model, one folder for each conversation."""
        return self.root / "tool-results"

    @property
    def context_archive(self) -> Path:
        """Messages that compaction took out of a model's sight, one folder for each conversation."""
        return self.root / "context_archive"

    @property
    def backups(self) -> Path:
        """Copies of the database made before a migration."""
        return self.root / "backups"

    @property
    def log_file(self) -> Path:
        """The program's log, redacted."""
        return self.root / "logs" / "desk.log"

    def ensure(self) -> None:
        """Create the folder, readable by its owner only."""
        self.root.mkdir(mode=0o700, parents=True, exist_ok=True)


def home_from_environment(environment: Mapping[str, str], override: Path | None = None) -> Home:
    """The home given on the command line, else by `WYCKOFF_HOME`, else `~/.wyckoff`."""
    chosen = override or Path(environment.get("WYCKOFF_HOME") or Path.home() / ".wyckoff")
    return Home(root=chosen.expanduser().absolute())


def resource(*parts: str) -> Path:
    """A file or folder of `resources/`, in a checkout or in an installed package."""
    installed = Path(__file__).parent / "_resources"
    base = installed if installed.is_dir() else Path(__file__).parent.parent / "resources"
    return base.joinpath(*parts)
