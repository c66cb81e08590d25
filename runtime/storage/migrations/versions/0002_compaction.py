"""Compactions: up to which message of a conversation a model sees a summary instead of the messages."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create the table."""
    op.create_table(
        "compaction",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("message_id", sa.Text, sa.ForeignKey("message.id", ondelete="CASCADE"), nullable=False),
        sa.Column("conversation_id", sa.Text, sa.ForeignKey("conversation.id", ondelete="CASCADE"), nullable=False),
        sa.Column("at", sa.Text, nullable=False),
        sa.Column("summary", sa.Text, nullable=False),
        sa.Column("archive_ref", sa.Text),
        sa.Column("before", sa.Integer, nullable=False),
        sa.Column("after", sa.Integer, nullable=False),
        sa.Column("body", sa.Text, nullable=False),
    )
    op.create_index("ix_compaction_conversation", "compaction", ["conversation_id"])
