"""Opening a database: created, migrated with a copy made before, refused untouched when it is newer or no database at all."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory

import runtime.storage
from runtime.errors import UserError
from runtime.paths import Home
from runtime.storage import migrate
from runtime.storage.migrate import open_database
from runtime.storage.schema import HEAD, metadata

MIGRATIONS = Path(runtime.storage.__file__).parent / "migrations"


def scripts() -> ScriptDirectory:
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    return ScriptDirectory.from_config(config)


def at_revision(home: Home, revision: str) -> None:
    """Make the file say that it is at a revision."""
    with closing(sqlite3.connect(home.database)) as connection, connection:
        connection.execute("UPDATE alembic_version SET version_num = ?", (revision,))


def test_the_schema_is_what_the_migrations_make(home: Home) -> None:
    database = open_database(home)
    with database.engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        differences = compare_metadata(context, metadata)
    database.close()
    assert differences == []


def test_head_is_the_newest_script_and_there_is_one_line_of_them() -> None:
    assert scripts().get_heads() == [HEAD]


def test_a_new_home_gets_a_database_that_others_cannot_read(home: Home) -> None:
    open_database(home).close()
    assert home.database.is_file()
    assert home.root.stat().st_mode & 0o077 == 0
    assert not home.backups.exists()


def test_opening_again_changes_nothing(home: Home) -> None:
    open_database(home).close()
    before = home.database.read_bytes()
    open_database(home).close()
    assert home.database.read_bytes() == before


def test_an_older_database_is_copied_before_it_is_migrated(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    open_database(home).close()
    with closing(sqlite3.connect(home.database)) as connection, connection:
        connection.execute("CREATE TABLE marker (x)")
        connection.execute("INSERT INTO marker VALUES (42)")
    monkeypatch.setattr(migrate, "HEAD", "9998")  # a program whose newest migration this file has not seen
    open_database(home).close()
    copies = list(home.backups.iterdir())
    assert [path.name for path in copies] == [f"desk-before-9998-from-{HEAD}.db"]
    with closing(sqlite3.connect(copies[0])) as connection:
        assert connection.execute("SELECT x FROM marker").fetchall() == [(42,)]
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)


def test_a_newer_database_is_refused_and_left_alone(home: Home) -> None:
    open_database(home).close()
    at_revision(home, "9999")
    before = home.database.read_bytes()
    with pytest.raises(UserError) as refused:
        open_database(home)
    assert refused.value.key == "storage.newer_database"
    assert home.database.read_bytes() == before
    assert not home.backups.exists()


@pytest.mark.parametrize("content", [b"this is no database at all" * 100, b"SQLite format 3\x00" + b"\xff" * 5000])
def test_a_file_that_is_no_database_is_refused_in_words_and_left_alone(home: Home, content: bytes) -> None:
    home.ensure()
    home.database.write_bytes(content)
    with pytest.raises(UserError) as refused:
        open_database(home)
    assert refused.value.key == "storage.damaged_database"
    assert home.database.read_bytes() == content


def test_a_migration_that_breaks_leaves_the_database_as_it_was(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    open_database(home).close()
    with closing(sqlite3.connect(home.database)) as connection, connection:
        connection.execute("DELETE FROM alembic_version")
    before = sqlite3.connect(home.database)
    with closing(before):
        tables = before.execute("SELECT name FROM sqlite_master ORDER BY name").fetchall()
    with pytest.raises(Exception, match="already exists"):  # the first migration cannot run twice
        open_database(home)
    with closing(sqlite3.connect(home.database)) as after:
        assert after.execute("SELECT name FROM sqlite_master ORDER BY name").fetchall() == tables
