"""The tables of `desk.db`. A change here needs a migration in `migrations/versions`; a test compares the two."""

from __future__ import annotations

from sqlalchemy import Boolean, Column, Date, Float, ForeignKey, Index, Integer, MetaData, Table, Text

from runtime.storage.types import Exact, Json, Moment

HEAD = "0003"  # the newest migration; a test holds it to the folder

metadata = MetaData()

conversation = Table(
    "conversation",
    metadata,
    Column("id", Text, primary_key=True),
    Column("title", Text, nullable=False),
    Column("created_at", Moment, nullable=False),
    Column("updated_at", Moment, nullable=False),
    Column("head_id", Text),  # the message at the end of the path that is shown
    Column("draft", Text, nullable=False, server_default=""),  # what the person typed and has not sent
    Column("pending_question", Json),  # a question of the agent that the next message answers
    Column("deleted_at", Moment),
)

message = Table(
    "message",
    metadata,
    Column("id", Text, primary_key=True),
    Column("conversation_id", Text, ForeignKey("conversation.id", ondelete="CASCADE"), nullable=False),
    Column("parent_id", Text, ForeignKey("message.id", ondelete="CASCADE")),
    Column("turn_id", Text, nullable=False),
    Column("role", Text, nullable=False),
    Column("status", Text, nullable=False),
    Column("body", Json, nullable=False),
    Column("created_at", Moment, nullable=False),
    Index("ix_message_conversation", "conversation_id", "created_at"),
    Index("ix_message_parent", "parent_id"),
)

compaction = Table(
    "compaction",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("message_id", Text, ForeignKey("message.id", ondelete="CASCADE"), nullable=False),  # the last it stands for
    Column("conversation_id", Text, ForeignKey("conversation.id", ondelete="CASCADE"), nullable=False),
    Column("at", Moment, nullable=False),
    Column("summary", Text, nullable=False),
    Column("archive_ref", Text),
    Column("before", Integer, nullable=False),  # messages that a model saw before, and after
    Column("after", Integer, nullable=False),
    Column("body", Json, nullable=False),
    Index("ix_compaction_conversation", "conversation_id"),
)

usage = Table(
    "usage",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("turn_id", Text, nullable=False),
    Column("conversation_id", Text, ForeignKey("conversation.id", ondelete="CASCADE"), nullable=False),
    Column("at", Moment, nullable=False),
    Column("model", Text, nullable=False),
    Column("purpose", Text, nullable=False),
    Column("input", Integer, nullable=False),
    Column("output", Integer, nullable=False),
    Column("cache_read", Integer, nullable=False),
    Column("cache_write", Integer, nullable=False),
    Column("cost", Float),
    Column("estimated", Boolean, nullable=False),
    Index("ix_usage_at", "at"),
)

background_task = Table(
    "background_task",
    metadata,
    Column("id", Text, primary_key=True),
    Column("kind", Text, nullable=False),
    Column("title", Text, nullable=False),
    Column("args", Json, nullable=False),
    Column("conversation_id", Text, ForeignKey("conversation.id", ondelete="SET NULL")),
    Column("state", Text, nullable=False),
    Column("owner", Text, nullable=False),  # the lock of the process that runs it
    Column("created_at", Moment, nullable=False),
    Column("started_at", Moment),
    Column("ended_at", Moment),
    Column("summary", Text, nullable=False),
    Column("result", Json),
    Column("told", Boolean, nullable=False),  # the conversation knows how it ended
    Column("dismissed", Boolean, nullable=False, server_default="0"),
    Index("ix_background_task_conversation", "conversation_id"),
)

approval_rule = Table(
    "approval_rule",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("tool", Text, nullable=False),
    Column("pattern", Json, nullable=False),
    Column("effect", Text, nullable=False),  # allow | deny
    Column("conversation_id", Text, ForeignKey("conversation.id", ondelete="CASCADE")),  # null = everywhere
    Column("created_at", Moment, nullable=False),
    Column("revoked_at", Moment),
)

approval_log = Table(
    "approval_log",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("request_id", Text, nullable=False),
    Column("at", Moment, nullable=False),
    Column("conversation_id", Text, nullable=False),
    Column("turn_id", Text, nullable=False),
    Column("tool", Text, nullable=False),
    Column("choice", Text, nullable=False),
    Column("decided_by", Text, nullable=False),
    Column("args_before", Json, nullable=False),
    Column("args_after", Json),
    Column("reason", Text, nullable=False),
    Index("ix_approval_log_at", "at"),
)

verdict = Table(
    "verdict",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("at", Moment, nullable=False),
    Column("conversation_id", Text, nullable=False),
    Column("turn_id", Text, nullable=False),
    Column("symbol", Text, nullable=False),
    Column("action", Text, nullable=False),
    Column("capped_from", Text),
    Column("confidence", Float),
    Column("price", Exact),
    Column("price_as_of", Date),
    Column("body", Json, nullable=False),
    Index("ix_verdict_symbol", "symbol", "at"),
)

ledger = Table(
    "ledger",
    metadata,
    Column("id", Integer, primary_key=True),  # ascending; the newest id is the version of the portfolio
    Column("batch_id", Text, nullable=False),  # the entries of one applied plan
    Column("kind", Text, nullable=False),
    Column("day", Date, nullable=False),
    Column("recorded_at", Moment, nullable=False),
    Column("symbol", Text),
    Column("name", Text),
    Column("shares", Integer),
    Column("price", Exact),
    Column("cash", Exact),
    Column("commission", Exact),
    Column("stamp_duty", Exact),
    Column("transfer_fee", Exact),
    Column("stop_loss", Exact),
    Column("estimated", Boolean, nullable=False, default=False),
    Column("undoes", Text),  # batch that this entry takes back
    Column("origin", Text, nullable=False),  # who wrote it: terminal, chat:<turn>, import
    Column("note", Text, nullable=False, default=""),
    sqlite_autoincrement=True,
)
