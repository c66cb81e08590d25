"""The Anthropic Messages API: Claude, and services that speak the same (MiniMax, Kimi, GLM).

What differs between models and gateways is a fact of the name (`habits`) or learnt from a refused request (`adaptation`). Nothing here
imports the SDK before the first request.
"""

from runtime.providers.anthropic_messages.provider import AnthropicProvider

__all__ = ["AnthropicProvider"]
