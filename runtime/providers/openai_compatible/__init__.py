"""OpenAI-compatible chat completions: OpenAI, DeepSeek, Qwen, Kimi, GLM, Mistral, Groq, OpenRouter, Ollama, LM Studio, vLLM.

One provider for all of them. What differs between endpoints is either a fact of the host (`endpoint`) or learnt from a refused request
(`adaptation`). Nothing here imports the SDK before the first request.
"""

from runtime.providers.openai_compatible.provider import OpenAIProvider

__all__ = ["OpenAIProvider"]
