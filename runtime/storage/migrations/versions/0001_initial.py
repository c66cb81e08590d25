"""First schema: conversations, usage, approvals, verdicts, the portfolio ledger.

The ledger is append-only: the database itself refuses to change or delete an entry.
"""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create the tables."""
    op.create_table(
        "conversation",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("title", sa.Text, nullable=False),
        sa.Column("created_at", sa.Text, nullable=False),
        sa.Column("updated_at", sa.Text, nullable=False),
        sa.Column("head_id", sa.Text),
        sa.Column("draft", sa.Text, nullable=False, server_default=""),
        sa.Column("pending_question", sa.Text),
        sa.Column("deleted_at", sa.Text),
    )
    op.create_table(
        "message",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("conversation_id", sa.Text, sa.ForeignKey("conversation.id", ondelete="CASCADE"), nullable=False),
        sa.Column("parent_id", sa.Text, sa.ForeignKey("message.id", ondelete="CASCADE")),
        sa.Column("turn_id", sa.Text, nullable=False),
        sa.Column("role", sa.Text, nullable=False),
        sa.Column("status", sa.Text, nullable=False),
        sa.Column("body", sa.Text, nullable=False),
        sa.Column("created_at", sa.Text, nullable=False),
    )
    op.create_index("ix_message_conversation", "message", ["conversation_id", "created_at"])
    op.create_index("ix_message_parent", "message", ["parent_id"])
    op.create_table(
        "usage",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("turn_id", sa.Text, nullable=False),
        sa.Column("conversation_id", sa.Text, sa.ForeignKey("conversation.id", ondelete="CASCADE"), nullable=False),
        sa.Column("at", sa.Text, nullable=False),
        sa.Column("model", sa.Text, nullable=False),
        sa.Column("purpose", sa.Text, nullable=False),
        sa.Column("input", sa.Integer, nullable=False),
        sa.Column("output", sa.Integer, nullable=False),
        sa.Column("cache_read", sa.Integer, nullable=False),
        sa.Column("cache_write", sa.Integer, nullable=False),
        sa.Column("cost", sa.Float),
        sa.Column("estimated", sa.Boolean, nullable=False),
    )
    op.create_index("ix_usage_at", "usage", ["at"])
    op.create_table(
        "approval_rule",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("tool", sa.Text, nullable=False),
        sa.Column("pattern", sa.Text, nullable=False),
        sa.Column("effect", sa.Text, nullable=False),
        sa.Column("conversation_id", sa.Text, sa.ForeignKey("conversation.id", ondelete="CASCADE")),
        sa.Column("created_at", sa.Text, nullable=False),
        sa.Column("revoked_at", sa.Text),
    )
    op.create_table(
        "approval_log",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("request_id", sa.Text, nullable=False),
        sa.Column("at", sa.Text, nullable=False),
        sa.Column("conversation_id", sa.Text, nullable=False),
        sa.Column("turn_id", sa.Text, nullable=False),
        sa.Column("tool", sa.Text, nullable=False),
        sa.Column("choice", sa.Text, nullable=False),
        sa.Column("decided_by", sa.Text, nullable=False),
        sa.Column("args_before", sa.Text, nullable=False),
        sa.Column("args_after", sa.Text),
        sa.Column("reason", sa.Text, nullable=False),
    )
    op.create_index("ix_approval_log_at", "approval_log", ["at"])
    op.create_table(
        "verdict",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("at", sa.Text, nullable=False),
        sa.Column("conversation_id", sa.Text, nullable=False),
        sa.Column("turn_id", sa.Text, nullable=False),
        sa.Column("symbol", sa.Text, nullable=False),
        sa.Column("action", sa.Text, nullable=False),
        sa.Column("capped_from", sa.Text),
        sa.Column("confidence", sa.Float),
        sa.Column("price", sa.Text),
        sa.Column("price_as_of", sa.Date),
        sa.Column("body", sa.Text, nullable=False),
    )
    op.create_index("ix_verdict_symbol", "verdict", ["symbol", "at"])
    op.create_table(
        "ledger",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("batch_id", sa.Text, nullable=False),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("day", sa.Date, nullable=False),
        sa.Column("recorded_at", sa.Text, nullable=False),
        sa.Column("symbol", sa.Text),
        sa.Column("name", sa.Text),
        sa.Column("shares", sa.Integer),
        sa.Column("price", sa.Text),
        sa.Column("cash", sa.Text),
        sa.Column("commission", sa.Text),
        sa.Column("stamp_duty", sa.Text),
        sa.Column("transfer_fee", sa.Text),
        sa.Column("stop_loss", sa.Text),
        sa.Column("estimated", sa.Boolean, nullable=False),
        sa.Column("undoes", sa.Text),
        sa.Column("origin", sa.Text, nullable=False),
        sa.Column("note", sa.Text, nullable=False),
        sqlite_autoincrement=True,
    )
    for verb in ("UPDATE", "DELETE"):
        op.execute(
            f"CREATE TRIGGER ledger_no_{verb.lower()} BEFORE {verb} ON ledger "
            "BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END"
        )
