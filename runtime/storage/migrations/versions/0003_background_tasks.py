"""Background tasks: long work beside the conversation, and how it ended."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create the table."""
    op.create_table(
        "background_task",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("title", sa.Text, nullable=False),
        sa.Column("args", sa.Text, nullable=False),
        sa.Column("conversation_id", sa.Text, sa.ForeignKey("conversation.id", ondelete="SET NULL")),
        sa.Column("state", sa.Text, nullable=False),
        sa.Column("owner", sa.Text, nullable=False),
        sa.Column("created_at", sa.Text, nullable=False),
        sa.Column("started_at", sa.Text),
        sa.Column("ended_at", sa.Text),
        sa.Column("summary", sa.Text, nullable=False),
        sa.Column("result", sa.Text),
        sa.Column("told", sa.Boolean, nullable=False),
        sa.Column("dismissed", sa.Boolean, nullable=False, server_default="0"),
    )
    op.create_index("ix_background_task_conversation", "background_task", ["conversation_id"])
