"""Bring `desk.db` to the schema of this program, with a copy made before.

A new file is created; an older one is copied to `backups/` and migrated in one transaction; a file of a newer program is refused.
"""

from __future__ import annotations

import logging
import sqlite3
from contextlib import closing
from pathlib import Path

from filelock import FileLock
from sqlalchemy import Connection, inspect, text

from runtime.errors import UserError
from runtime.paths import Home
from runtime.storage.engine import Database
from runtime.storage.schema import HEAD

logger = logging.getLogger(__name__)


def open_database(home: Home) -> Database:
    """Open the person's database, migrated.

    Raises:
        UserError: the file was written by a newer version of the program, or is damaged.
    """
    _usable(home)
    with FileLock(home.root / "desk.db.lock"):
        database = Database(home.database)
        try:
            current = _revision(database)
            if current != HEAD:
                _migrate(database, home, current)
        except BaseException:
            database.close()
            raise
    return database


def _usable(home: Home) -> None:
    """Create the folder of the home.

    Raises:
        UserError: there is something else in its place, or it may not be created.
    """
    try:
        home.ensure()
    except OSError as problem:
        raise UserError("storage.home_unusable", path=str(home.root), detail=problem.strerror or "") from None


def _revision(database: Database) -> str | None:
    """The migration that the file is at; None for a new file."""

    def work(connection: Connection) -> str | None:
        if not inspect(connection).has_table("alembic_version"):
            return None
        row: str | None = connection.execute(text("SELECT version_num FROM alembic_version")).scalar()
        return row

    return database.reading(work)


def _migrate(database: Database, home: Home, current: str | None) -> None:
    # Alembic takes a while to import and is needed only when there is something to migrate.
    from alembic import command
    from alembic.config import Config
    from alembic.script import ScriptDirectory

    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations"))
    known = {script.revision for script in ScriptDirectory.from_config(config).walk_revisions()}
    if current is not None and current not in known:
        raise UserError("storage.newer_database", path=str(home.database))
    if current is not None:
        backup(home, f"before-{HEAD}-from-{current}")
    with database.engine.begin() as connection:
        config.attributes["connection"] = connection
        command.upgrade(config, "head")
    logger.info("database migrated from %s to %s", current, HEAD)


def backup(home: Home, label: str) -> Path:
    """A consistent copy of the database in `backups/`; returns its path."""
    home.backups.mkdir(mode=0o700, exist_ok=True)
    target = home.backups / f"desk-{label}.db"
    with closing(sqlite3.connect(home.database)) as source, closing(sqlite3.connect(target)) as copy:
        source.backup(copy)
    return target
