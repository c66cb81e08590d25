"""SQLite behind one executor: schema, migrations, repositories."""
