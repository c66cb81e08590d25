"""The models in desk.toml, where their keys come from, and that no key ever stands in the file."""

from __future__ import annotations

from dataclasses import replace

import pytest
from keyring.backend import KeyringBackend
from keyring.errors import PasswordSetError

from runtime.errors import UserError
from runtime.paths import Home
from runtime.providers import catalogue as catalogue_module
from runtime.providers.base import LLMProvider, ProviderError
from runtime.providers.catalogue import ModelCatalogue
from runtime.providers.factory import ProviderFactory
from runtime.providers.model_config import ModelConfig
from runtime.providers.openai_compatible import OpenAIProvider
from runtime.providers.windows import Prices
from runtime.redact import Redactor
from runtime.secrets import SecretStore
from runtime.settings import SettingsFile
from runtime.texts import LANGUAGES, Texts
from tests.support.answers import KEY, a_provider, answer_of
from tests.support.keyrings import MemoryKeyring
from tests.support.streams import Reply, delta, model_server, sse

DEEPSEEK = ModelConfig(id="ds", model="deepseek-chat", base_url="deepseek")
LOCAL = ModelConfig(id="local", model="qwen3", base_url="ollama")
GOOD = sse(delta("stop", content="pong"))


def a_catalogue(
    home: Home, environment: dict[str, str] | None = None, keyring: KeyringBackend | None = None
) -> ModelCatalogue:
    secrets = SecretStore(environment or {}, Redactor(), keyring or MemoryKeyring())
    factory = ProviderFactory(secrets, offline=lambda: OFFLINE)
    return ModelCatalogue(settings_file=SettingsFile(home), secrets=secrets, factory=factory)


class RefusingKeyring(MemoryKeyring):
    """Takes no key, as a keyring does whose owner dismissed its prompt."""

    def set_password(self, service: str, username: str, password: str) -> None:
        raise PasswordSetError(username)


OFFLINE: LLMProvider = a_provider("http://127.0.0.1:9/v1", key="")


def text_of(home: Home) -> str:
    return home.settings_file.read_text("utf-8")


async def sent_key(catalogue: ModelCatalogue, model_id: str) -> str:
    """The key of a model as the provider holds it."""
    provider = await catalogue.provider(model_id)
    assert isinstance(provider, OpenAIProvider)
    key: str = provider._account.key
    await provider.aclose()
    return key


async def test_the_offline_analyst_answers_while_nothing_is_configured(home: Home) -> None:
    catalogue = a_catalogue(home)
    assert [model.id for model in catalogue.models()] == ["offline"]
    assert catalogue.default_id() == "offline"
    assert await catalogue.provider() is OFFLINE


async def test_the_first_model_becomes_the_default_until_another_is_chosen(home: Home) -> None:
    catalogue = a_catalogue(home)
    await catalogue.add(DEEPSEEK)
    await catalogue.add(LOCAL)
    assert catalogue.default_id() == "ds"
    await catalogue.set_default("local")
    assert a_catalogue(home).default_id() == "local"
    await catalogue.set_default("offline")
    assert catalogue.default_id() == "offline"
    await catalogue.set_default("local")
    await catalogue.remove("local")
    assert catalogue.default_id() == "ds"


async def test_a_model_comes_back_as_it_was_stored(home: Home) -> None:
    config = ModelConfig(
        id="ds", model="deepseek-chat", base_url="https://api.deepseek.com", key_env="MY_KEY", context_window=128_000,
        reasoning=False, prices=Prices(input=2.0, output=8.0, cache_read=0.5),
    )  # fmt: skip
    await a_catalogue(home).add(config)
    assert a_catalogue(home).get("ds") == config
    provider = await a_catalogue(home, {"MY_KEY": KEY}).provider("ds")
    assert (provider.capabilities.window, provider.capabilities.reasoning) == (128_000, False)


async def test_writing_keeps_comments_and_foreign_entries(home: Home) -> None:
    home.ensure()
    home.settings_file.write_text(
        '# mine\n[settings]\nlanguage = "en" # please\n\n[[models]] # first\nid = "ds"\nmodel = "m"\n'
        'base_url = "https://a.example/v1"\nnote = "keep me"\n',
        "utf-8",
    )
    catalogue = a_catalogue(home)
    await catalogue.add(LOCAL)
    await catalogue.set_default("local")
    await catalogue.replace(replace(catalogue.get("ds"), model="m2", context_window=9_000))
    await catalogue.remove("local")
    text = text_of(home)
    for kept in ("# mine", "# please", "# first", 'note = "keep me"', 'language = "en"', 'model = "m2"'):
        assert kept in text
    assert [model.id for model in a_catalogue(home).models()] == ["offline", "ds"]
    assert SettingsFile(home).read()["settings"] == {"language": "en"}


async def test_a_bad_entry_is_reported_and_hides_no_other(home: Home) -> None:
    home.ensure()
    home.settings_file.write_text(
        'default_model = "gone"\n[[models]]\nid = "bad"\nmodel = 5\nbase_url = "x"\n'
        '[[models]]\nid = "good"\nmodel = "m"\nbase_url = "http://localhost:1/v1"\n'
        '[[models]]\nid = "good"\nmodel = "m"\nbase_url = "http://localhost:2/v1"\n',
        "utf-8",
    )
    catalogue = a_catalogue(home)
    assert [model.id for model in catalogue.models()] == ["offline", "good"]
    assert [problem.key for problem in catalogue.problems()] == ["providers.bad_text", "providers.duplicate_model"]
    assert catalogue.default_id() == "good"


@pytest.mark.parametrize(
    ("config", "key"),
    [
        (replace(DEEPSEEK, base_url="ftp://a.example"), "providers.bad_url"),
        (replace(DEEPSEEK, base_url="http://"), "providers.bad_url"),
        (replace(DEEPSEEK, base_url="http://[broken"), "providers.bad_url"),
        (replace(DEEPSEEK, base_url=KEY), "providers.bad_url"),
        (replace(DEEPSEEK, base_url=f"https://me:{KEY}@a.example/v1"), "providers.secret_in_url"),
        (replace(DEEPSEEK, base_url=f"https://a.example/v1?key={KEY}"), "providers.secret_in_url"),
        (replace(DEEPSEEK, model=" "), "providers.missing_model"),
        (replace(DEEPSEEK, id=""), "providers.bad_id"),
        (replace(DEEPSEEK, id="offline"), "providers.reserved_id"),
        (replace(DEEPSEEK, key_env=KEY), "providers.bad_key_env"),
        (replace(DEEPSEEK, context_window=0), "providers.bad_number"),
        (replace(DEEPSEEK, prices=Prices(input=-1, output=1)), "providers.bad_number"),
    ],
)
async def test_what_cannot_be_used_is_refused_and_repeats_no_key(home: Home, config: ModelConfig, key: str) -> None:
    with pytest.raises(UserError) as caught:
        await a_catalogue(home).add(config)
    assert caught.value.key == key
    for language in LANGUAGES:
        assert KEY not in Texts(language).error(caught.value)
    assert not home.settings_file.exists()


async def test_unknown_and_taken_ids(home: Home) -> None:
    catalogue = a_catalogue(home)
    await catalogue.add(DEEPSEEK)
    with pytest.raises(UserError, match="duplicate_model"):
        await catalogue.add(DEEPSEEK)
    for action in (catalogue.set_default, catalogue.remove, catalogue.provider):
        with pytest.raises(UserError, match="unknown_model"):
            await action("nobody")
    with pytest.raises(UserError, match="reserved_id"):
        await catalogue.remove("offline")


@pytest.mark.parametrize(
    ("typed", "kept"),
    [
        ("DeepSeek", "https://api.deepseek.com"),
        ("ollama", "http://127.0.0.1:11434/v1"),
        (" https://a.example/v1/ ", "https://a.example/v1"),
        ("https://a.example/v1/chat/completions", "https://a.example/v1"),
    ],
)
async def test_addresses_are_brought_into_one_form(home: Home, typed: str, kept: str) -> None:
    catalogue = a_catalogue(home)
    await catalogue.add(replace(DEEPSEEK, base_url=typed))
    assert catalogue.get("ds").base_url == kept


# Keys


async def test_a_key_goes_to_the_keyring_and_never_to_the_file(home: Home) -> None:
    keyring = MemoryKeyring()
    assert await a_catalogue(home, keyring=keyring).add(DEEPSEEK, KEY) == "keyring"
    assert KEY not in text_of(home)
    assert await sent_key(a_catalogue(home, keyring=keyring), "ds") == KEY
    await a_catalogue(home, keyring=keyring).remove("ds")
    assert keyring.kept == {}


async def test_without_a_keyring_the_key_lasts_for_this_session(home: Home) -> None:
    catalogue = a_catalogue(home, keyring=RefusingKeyring())
    assert await catalogue.add(DEEPSEEK, KEY) == "session"
    assert KEY not in text_of(home)
    assert await sent_key(catalogue, "ds") == KEY
    with pytest.raises(ProviderError):
        await a_catalogue(home, keyring=RefusingKeyring()).provider("ds")


async def test_the_sdk_of_the_default_model_is_loaded_ahead_of_the_first_question(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    loaded: list[str] = []
    monkeypatch.setattr("importlib.import_module", loaded.append)
    catalogue = a_catalogue(home)
    await catalogue.preload()
    assert loaded == []
    await catalogue.add(replace(DEEPSEEK, provider="anthropic"))
    await catalogue.preload()
    assert loaded == ["anthropic"]


async def test_a_model_may_be_added_without_a_key(home: Home) -> None:
    assert await a_catalogue(home).add(DEEPSEEK) is None


async def test_named_variable_then_keyring_then_the_vendors_variable(home: Home) -> None:
    environment = {"MY_KEY": "key-named-1", "DEEPSEEK_API_KEY": "key-vendor-1"}
    keyring = MemoryKeyring()
    catalogue = a_catalogue(home, environment, keyring)
    await catalogue.add(replace(DEEPSEEK, key_env="MY_KEY"), "key-keyring-1")
    assert await sent_key(catalogue, "ds") == "key-named-1"
    del environment["MY_KEY"]
    assert await sent_key(catalogue, "ds") == "key-keyring-1"
    keyring.kept.clear()
    assert await sent_key(catalogue, "ds") == "key-vendor-1"


@pytest.mark.parametrize(
    "base_url",
    [
        "https://deepseek.example/v1",
        "https://api.deepseek.com.evil.example/v1",
        "http://api.deepseek.com",
        "https://api.openai.com/v1",
    ],
)
async def test_an_environment_key_goes_only_to_its_vendors_own_host(home: Home, base_url: str) -> None:
    catalogue = a_catalogue(home, {"DEEPSEEK_API_KEY": KEY})
    await catalogue.add(replace(DEEPSEEK, base_url=base_url))
    with pytest.raises(ProviderError) as caught:
        await catalogue.provider("ds")
    assert caught.value.category == "auth"


async def test_a_missing_key_names_the_variable_or_the_option(home: Home) -> None:
    catalogue = a_catalogue(home)
    await catalogue.add(DEEPSEEK)
    await catalogue.add(replace(DEEPSEEK, id="other", base_url="https://a.example/v1"))
    for model_id, named in (("ds", "DEEPSEEK_API_KEY"), ("other", "--key-env")):
        with pytest.raises(ProviderError) as caught:
            await catalogue.provider(model_id)
        for language in LANGUAGES:
            assert named in Texts(language).error(caught.value)


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "[::1]"])
async def test_servers_on_this_machine_need_no_key_and_get_none(home: Home, host: str) -> None:
    catalogue = a_catalogue(home, {"OPENAI_API_KEY": KEY, "DEEPSEEK_API_KEY": KEY})
    await catalogue.add(replace(LOCAL, base_url=f"http://{host}:1234/v1"))
    assert await sent_key(catalogue, "local") == ""


async def test_what_an_endpoint_refused_is_remembered_between_providers(home: Home) -> None:
    refusal = Reply(body=b'{"error":"Unknown parameter: stream_options"}', status=400, content_type="application/json")
    async with model_server(refusal, GOOD) as server:
        catalogue = a_catalogue(home)
        await catalogue.add(replace(LOCAL, base_url=server.url))
        for _ in range(2):
            assert (await answer_of(await catalogue.provider())).text == "pong"
    assert len(server.bodies) == 3


async def test_trying_a_model_tells_how_fast_it_is_and_what_it_says() -> None:
    async with model_server(GOOD) as server:
        provider = a_provider(server.url)
        probe = await catalogue_module.test_model(provider)
        await provider.aclose()
    assert probe.words == "pong"
    assert probe.latency_s > 0
    assert "tools" not in server.bodies[0]


async def test_trying_a_model_that_refuses_raises_its_error() -> None:
    async with model_server(Reply(body=b'{"detail":"no"}', status=401)) as server:
        provider = a_provider(server.url)
        with pytest.raises(ProviderError, match="auth"):
            await catalogue_module.test_model(provider)
        await provider.aclose()
