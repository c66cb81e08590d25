"""The settings dialog under test."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QApplication

from runtime.paths import Home
from tests.support.settings_dialogs import Open, opener


@pytest.fixture
def opened(qapp: QApplication, home: Home) -> Open:
    """Opens the dialog on an empty home."""
    return opener(qapp, home)
