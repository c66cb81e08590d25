"""Google's Gemini API.

Nothing here imports the SDK before the first request.
"""

from runtime.providers.gemini.provider import GeminiProvider

__all__ = ["GeminiProvider"]
