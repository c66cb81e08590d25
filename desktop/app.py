"""The window's composition root: application, loop, workspace, window. `main` is what `wyckoff` opens."""

from __future__ import annotations

import asyncio
import logging
import os
import sys
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QLibraryInfo, QLocale, QTranslator
from PySide6.QtGui import QFontDatabase
from PySide6.QtNetwork import QLocalServer, QLocalSocket
from PySide6.QtWidgets import QApplication, QMessageBox

from desktop import loop as qt_loop
from desktop.context import Ui
from desktop.main_window import MainWindow
from desktop.theme import ThemeController
from desktop.viewmodels.transcript import TranscriptModel
from desktop.widgets import SpinnerClock
from desktop.window_state import WindowState, load_state
from runtime.errors import WyckoffError
from runtime.paths import Home, home_from_environment
from runtime.settings import Settings, SettingsFile, load_settings
from runtime.texts import Texts

if TYPE_CHECKING:
    from desktop.desk import Desk
    from runtime.clock import Clock
    from runtime.providers.base import LLMProvider
    from runtime.workspace import Workspace

logger = logging.getLogger(__name__)

APP_ID: Final = "org.wyckoffdesk.WyckoffDesk"
RAISE: Final = b"raise"
SOCKET_WAIT_MS: Final = 300


def main(home: Path | None = None) -> int:
    """Open the window and run until it is closed; returns the exit code."""
    texts = Texts(os.environ.get("WYCKOFF_LANGUAGE", "zh_CN"))
    broken = qt_loop.broken_pyside()
    if broken is not None:
        sys.stderr.write(texts("desktop.broken_pyside", version=broken) + "\n")
        return 1
    app = application()
    if _raise_other(app, home_from_environment(os.environ, home)):
        return 0
    return qt_loop.run(app, _session(app, home_from_environment(os.environ, home)))


def application() -> QApplication:
    """The application object with its names and Qt's own Chinese texts."""
    QApplication.setApplicationName("wyckoff-desk")
    QApplication.setDesktopFileName(APP_ID)
    app = QApplication(sys.argv[:1])
    app.setQuitOnLastWindowClosed(False)  # the main coroutine ends the loop, not a closed dialog
    translator = QTranslator(app)
    if translator.load(QLocale(), "qtbase", "_", QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath)):
        app.installTranslator(translator)
    return app


async def _session(app: QApplication, home: Home) -> int:
    """One run of the window, from the first paint to the last write. Services are built after the first paint, off this thread."""
    ui, state, window, transcript = _paint(app, home)
    server = _listen(app, home, window)
    window.show()
    try:
        workspace = await asyncio.to_thread(_open_services, home)
    except WyckoffError as error:
        await _say(window, Texts().error(error))
        return 1
    from desktop.desk import Desk

    desk = Desk(workspace, ui, state, window, transcript)
    _install_hooks(desk)
    _warn_about_fonts(desk)
    await desk.start()
    qt_loop.settle()
    await desk.closed.wait()
    server.close()
    await desk.aclose()
    await asyncio.to_thread(workspace.close)
    return 0


def create_window(home: Path, *, clock: Clock | None = None, provider: LLMProvider | None = None) -> MainWindow:
    """A working window on the running loop, for tests and embedding programs.

    It fills itself as the loop runs, and takes its services down when it is closed; `window.desk` is what stands behind it.
    """
    from desktop.desk import Desk
    from runtime.workspace import Overrides, open_workspace

    app = QApplication.instance()
    if not isinstance(app, QApplication):
        raise TypeError("a QApplication must exist")
    ui, state, window, transcript = _paint(app, Home(root=home))
    workspace = open_workspace(Home(root=home), os.environ, Overrides(clock=clock, provider=provider))
    desk = Desk(workspace, ui, state, window, transcript)
    window.desk = desk
    desk.lifetime = asyncio.ensure_future(_lifetime(desk))
    return window


async def _lifetime(desk: Desk) -> None:
    """From the first filling of a window to its end."""
    await desk.start()
    await desk.closed.wait()
    await desk.aclose()
    await asyncio.to_thread(desk.workspace.close)


def _paint(app: QApplication, home: Home) -> tuple[Ui, WindowState, MainWindow, TranscriptModel]:
    """Everything that is seen at once: the look and the empty window."""
    try:
        state = load_state(SettingsFile(home))
        settings = load_settings(SettingsFile(home), os.environ).settings
    except WyckoffError:  # a broken desk.toml: the services say so in a moment
        state, settings = WindowState(), Settings()
    themes = ThemeController(app, state.scheme_choice, state.market_choice)
    ui = Ui(texts=Texts(settings.language), themes=themes, spinners=SpinnerClock(app))
    transcript = TranscriptModel(ui.texts)
    window = MainWindow(ui, transcript)
    window.restore(state.geometry, state.columns)
    window.show_empty(empty=True)
    return ui, state, window, transcript


def _open_services(home: Home) -> Workspace:
    from runtime.logs import install_logging
    from runtime.workspace import open_workspace

    workspace = open_workspace(home)
    install_logging(home, workspace.base.redactor)
    return workspace


async def _say(window: MainWindow, text: str) -> None:
    """A message without which nothing can go on; waits until it is read."""
    box = QMessageBox(QMessageBox.Icon.Warning, window.windowTitle(), text, parent=window)
    read: asyncio.Future[int] = asyncio.get_running_loop().create_future()
    box.finished.connect(lambda code: None if read.done() else read.set_result(code))
    box.open()
    await read
    window.allow_close()
    window.close()


def _install_hooks(desk: Desk) -> None:
    """Errors of slots and of the loop are logged and shown; the window stays."""

    def slot(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        logger.error("unhandled in a slot", exc_info=(kind, error, trace))
        desk.show_problem(desk.texts("errors.internal"))

    def task(_loop: asyncio.AbstractEventLoop, context: dict[str, object]) -> None:
        error = context.get("exception")
        logger.error(
            "unhandled in the loop: %s",
            context.get("message"),
            exc_info=error if isinstance(error, Exception) else None,
        )
        desk.show_problem(desk.texts("errors.internal"))

    sys.excepthook = slot
    asyncio.get_running_loop().set_exception_handler(task)


def _server_name(home: Home) -> str:
    import hashlib

    return "wyckoff-desk-" + hashlib.sha256(str(home.root).encode()).hexdigest()[:16]


def _raise_other(_app: QApplication, home: Home) -> bool:
    """Ask a window that is open on this home to come to the front; whether there was one."""
    socket = QLocalSocket()
    socket.connectToServer(_server_name(home))
    if not socket.waitForConnected(SOCKET_WAIT_MS):
        return False
    socket.write(RAISE)
    socket.waitForBytesWritten(SOCKET_WAIT_MS)
    socket.disconnectFromServer()
    return True


def _listen(app: QApplication, home: Home, window: MainWindow) -> QLocalServer:
    """Come to the front when a second start asks for it."""
    server = QLocalServer(app)
    QLocalServer.removeServer(_server_name(home))
    server.listen(_server_name(home))

    def connected() -> None:
        server.nextPendingConnection().disconnectFromServer()
        window.show()
        window.raise_()
        window.activateWindow()

    server.newConnection.connect(connected)
    return server


def _warn_about_fonts(desk: Desk) -> None:
    """Without a font with Han characters every Chinese text is boxes: say so in English."""
    if sys.platform.startswith("linux") and not QFontDatabase.families(QFontDatabase.WritingSystem.SimplifiedChinese):
        desk.show_problem("No Chinese font was found. On Debian or Ubuntu: sudo apt-get install fonts-noto-cjk")
