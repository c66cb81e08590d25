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
from PySide6.QtWidgets import QApplication

from desktop import loop as qt_loop
from desktop.context import Ui
from desktop.theme import ThemeController
from desktop.widgets import SpinnerClock
from runtime.clock import Clock
from runtime.errors import WyckoffError
from runtime.paths import Home, home_from_environment
from runtime.providers.base import LLMProvider
from runtime.texts import Texts

if TYPE_CHECKING:
    from desktop.desk import Desk

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
    """One run of the window, from the first paint to the last write."""
    from desktop.desk import Desk
    from desktop.window_state import load_state
    from runtime.logs import install_logging
    from runtime.workspace import open_workspace

    try:
        workspace = open_workspace(home)
    except WyckoffError as error:
        sys.stderr.write(Texts().error(error) + "\n")
        return 1
    install_logging(home, workspace.base.redactor)
    state = load_state(workspace.base.settings_file)
    themes = ThemeController(app, state.scheme_choice, state.market_choice)
    ui = Ui(texts=workspace.texts, themes=themes, spinners=SpinnerClock(app))
    desk = Desk(workspace, ui, state)
    _install_hooks(desk)
    server = _listen(app, home, desk)
    desk.window.show()
    _warn_about_fonts(desk)
    await desk.start()
    await desk.closed.wait()
    server.close()
    await desk.aclose()
    workspace.close()
    return 0


def create_window(home: Path, *, clock: Clock | None = None, provider: LLMProvider | None = None) -> Desk:
    """A desk with its window on a running loop, for tests and embedding programs; `await desk.start()` fills it."""
    from desktop.desk import Desk
    from desktop.window_state import load_state
    from runtime.workspace import Overrides, open_workspace

    app = QApplication.instance()
    if not isinstance(app, QApplication):
        raise TypeError("a QApplication must exist")
    workspace = open_workspace(Home(root=home), os.environ, Overrides(clock=clock, provider=provider))
    state = load_state(workspace.base.settings_file)
    themes = ThemeController(app, state.scheme_choice, state.market_choice)
    return Desk(workspace, Ui(texts=workspace.texts, themes=themes, spinners=SpinnerClock(app)), state)


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


def _listen(app: QApplication, home: Home, desk: Desk) -> QLocalServer:
    """Come to the front when a second start asks for it."""
    server = QLocalServer(app)
    QLocalServer.removeServer(_server_name(home))
    server.listen(_server_name(home))

    def connected() -> None:
        server.nextPendingConnection().disconnectFromServer()
        desk.window.show()
        desk.window.raise_()
        desk.window.activateWindow()

    server.newConnection.connect(connected)
    return server


def _warn_about_fonts(desk: Desk) -> None:
    """Without a font with Han characters every Chinese text is boxes: say so in English."""
    if sys.platform.startswith("linux") and not QFontDatabase.families(QFontDatabase.WritingSystem.SimplifiedChinese):
        desk.show_problem("No Chinese font was found. On Debian or Ubuntu: sudo apt-get install fonts-noto-cjk")
