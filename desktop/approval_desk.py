"""Shows the writes that wait: one dialog at a time; what was closed without an answer waits on its card."""

from __future__ import annotations

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QApplication

from desktop.approvals.coordinator import ApprovalCoordinator
from desktop.approvals.dialog import ApprovalDialog
from desktop.context import Ui
from desktop.main_window import MainWindow
from runtime.agent.runtime import AgentRuntime


class ApprovalDesk(QObject):
    """Connects the queue of requests to its dialog.

    Args:
        ui: shared parts.
        window: over which the dialog stands.
        approvals: the queue.
        runtime: whose turns the dialog can stop.
    """

    def __init__(self, ui: Ui, window: MainWindow, approvals: ApprovalCoordinator, runtime: AgentRuntime) -> None:
        super().__init__()
        self._ui = ui
        self._window = window
        self._approvals = approvals
        self._runtime = runtime
        self._dialog: ApprovalDialog | None = None
        self._dismissed: set[str] = set()
        approvals.changed.connect(self._show)
        window.transcript.reopen.connect(self._reopen)

    def _show(self) -> None:
        """Show the first request that was not put aside; close the dialog of one that is gone."""
        waiting = {item.request.id for item in self._approvals.queue}
        self._dismissed &= waiting
        if self._dialog is not None:
            if self._dialog.request_id in waiting:
                return
            dialog, self._dialog = self._dialog, None
            dialog.close_quietly()
        first = next((item for item in self._approvals.queue if item.request.id not in self._dismissed), None)
        if first is not None:
            self._open(first.request.id)

    def _open(self, request_id: str) -> None:
        waiting = self._approvals.find(request_id)
        if waiting is None or self._dialog is not None:
            return
        queue = self._approvals.queue
        dialog = ApprovalDialog(self._ui, waiting, (queue.index(waiting) + 1, len(queue)), self._window)
        dialog.decided.connect(self._approvals.settle)
        dialog.stop_asked.connect(self._runtime.cancel)
        dialog.finished.connect(lambda _code: self._closed(dialog))
        self._dialog = dialog
        dialog.open()
        if not self._window.isActiveWindow():
            QApplication.alert(self._window)

    def _closed(self, dialog: ApprovalDialog) -> None:
        """Closed without an answer: the request waits on its card."""
        self._dismissed.add(dialog.request_id)
        if self._dialog is dialog:
            self._dialog = None
        dialog.deleteLater()
        self._show()

    def _reopen(self, request_id: str) -> None:
        self._dismissed.discard(request_id)
        self._open(request_id)
