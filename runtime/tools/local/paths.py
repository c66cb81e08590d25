"""Which files a model may read: only those below folders that the person opened, and never what looks like a secret.

A path is judged by where it really leads: links are followed first.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from runtime.errors import ModelFacingError

_SECRET_PARTS: Final = frozenset(
    (".ssh", ".aws", ".gnupg", ".kube", ".docker", ".npm", ".git", ".netrc", ".pgpass", ".password-store", "keyrings", ".mozilla",
     ".config")
)  # fmt: skip
_SECRET_NAMES: Final = re.compile(
    r"^\.env|^id_(rsa|dsa|ecdsa|ed25519)|\.(pem|key|pfx|p12|jks|keystore|kdbx|ovpn)$|token|passw|secret|credential|cookie|session|wallet"
    r"|私钥|密码|密钥",
    re.IGNORECASE,
)


def readable_path(text: str, folders: Sequence[Path], base: Path) -> Path:
    """The file that a path leads to.

    Args:
        text: the path as it was written; relative ones stand below `base`.
        folders: what may be read.
        base: where relative paths begin.

    Raises:
        ModelFacingError: it is outside, looks like a secret, is no file, or does not exist.
    """
    if "\0" in text or not text.strip():
        raise _refused("tools.path_bad", "bad_path", text)
    written = Path(text.strip()).expanduser()
    path = (written if written.is_absolute() else base / written).resolve()
    inside = next((folder for folder in map(Path.resolve, folders) if path.is_relative_to(folder)), None)
    if inside is None:
        raise _refused("tools.path_outside", "path_outside", text, folders=", ".join(map(str, folders)))
    if _is_secret(path.relative_to(inside).parts):
        raise _refused("tools.path_secret", "path_secret", text)
    if not path.exists():
        raise _refused("tools.path_missing", "path_missing", text)
    if not path.is_file():
        raise _refused("tools.path_no_file", "path_no_file", text)
    return path


def _is_secret(parts: Sequence[str]) -> bool:
    """Whether a name on the way, or the file's own, is one that secrets are kept under; hidden ones are nobody's business."""
    return any(part.startswith(".") or part.lower() in _SECRET_PARTS or _SECRET_NAMES.search(part) for part in parts)


def _refused(key: str, code: str, text: str, **fields: object) -> ModelFacingError:
    return ModelFacingError(key, code=code, path=text[:200], folders=str(fields.get("folders", "")))
