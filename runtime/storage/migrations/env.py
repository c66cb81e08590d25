"""Alembic's entry: run the migrations on the connection that `runtime.storage.migrate` hands over."""

from alembic import context

from runtime.storage.schema import metadata

context.configure(connection=context.config.attributes["connection"], target_metadata=metadata, render_as_batch=True)
context.run_migrations()
