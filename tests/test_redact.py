"""Every planted secret goes, whatever merely looks like one stays byte for byte."""

from __future__ import annotations

import re
import timeit

import pytest
from hypothesis import given
from hypothesis import strategies as st
from planted import B62, HEX, KEY, KEY_LINES, PLANTED, UUID, begin, end

from relay_git.redact import Secret, redact, suspicious
from relay_git.secretfinder import find

CONTEXTS = ["{}", "the key {} leaked", "`{}`", "- {}\n- next\n", "x={};", '"{}",', "({})", "{}\r\n"]


@pytest.mark.parametrize(("kind", "secret"), PLANTED)
def test_known_forms_go_wherever_they_stand(kind: str, secret: str) -> None:
    for context in CONTEXTS:
        masked, found = redact(context.format(secret))
        assert masked == context.format(f"[redacted:{kind}]")
        assert found == (Secret(kind, 1),)


BEHIND = [  # text, what must go, kind
    ("postgres://u:{}@h/db", "p", "url-password"),
    ("redis://:{}@cache:6379", "hun" + "ter2", "url-password"),
    ("amqps://me:{}@[::1]:5672/v", "p@ss!", "url-password"),
    ("git clone https://x-access-token:{}@host.io/a", B62[:20], "url-password"),
    ("Authorization: Bearer {}", B62[:30], "authorization"),
    ("-H 'authorization: basic {}'", "dXNlcjpw" + "YXNzd29yZA==", "authorization"),
    ("sent Bearer {} to it", B62[:40], "bearer-token"),
    ("https://hooks.slack.com/services/{}", "T0001/B0002/" + B62[:24], "slack-webhook"),
    ("https://discord.com/api/webhooks/{}", "123456789012345678/" + B62[:68], "discord-webhook"),
    ("AccountName=x;AccountKey={};Suffix=y", B62[:86] + "==", "azure-key"),
    ("https://b.net/c?sv=1&sig={}&se=2", B62[:43] + "%3D", "azure-signature"),
    ("HEROKU_API_KEY={}", UUID, "heroku-key"),
    ("aws_secret_access_key = {}", "wJa1rXUtn/" + B62[:30], "secret"),
    ("export X_TOKEN={}", B62[:20], "secret"),
    ('"apiKey": "{}",', B62[:24], "secret"),
    ("'client_secret' : '{}'", B62[:24], "secret"),
    ("SECRET_KEY_BASE={}", HEX[:60], "secret"),
    ("api_key: str = '{}'", B62[:24], "secret"),
    ("token := `{}`", B62[:24], "secret"),
    ('{{\\"access_token\\":\\"{}\\"}}', B62[:24], "secret"),
    ("?access_token={}&user=me", B62[:24], "secret"),
    ("signing-key: {}", B62[:40], "secret"),
    ("webhookSecret => '{}'", B62[:24], "secret"),
    ("TOKEN={}", "aBcDeFgHiJkLmNoPqRsTuVwXyZ", "secret"),
    ("DB_PASSWORD={}", "hun" + "ter2", "password"),
    ('password: "{}"', "p@ss(w0rd", "password"),
    ("db.passwd = '{}'", "s3cr3t!", "password"),
    ("PGPASSWORD={} psql", "tr0ub4dor&3", "password"),
    ("MYSQL_PASS={}", "k1ng0fth3h1ll", "password"),
]


@pytest.mark.parametrize(("context", "secret", "kind"), BEHIND)
def test_secrets_behind_a_name_or_in_their_place(context: str, secret: str, kind: str) -> None:
    masked, found = redact("first line\n" + context.format(secret))
    assert masked == "first line\n" + context.format(f"[redacted:{kind}]")
    assert found == (Secret(kind, 2),)


@pytest.mark.parametrize("name", [KEY, f"RSA {KEY}", f"OPENSSH {KEY}", f"PGP {KEY} BLOCK"])
@pytest.mark.parametrize("indent", ["", "    ", "> ", "\t"])
def test_private_keys_go_line_by_line(name: str, indent: str) -> None:
    lines = [begin(name), *KEY_LINES, end(name)]
    text = "before\n" + "".join(f"{indent}{line}\n" for line in lines) + "after\n"
    masked, found = redact(text)
    expected = f"{indent}[redacted:private-key]\n" * len(lines)
    assert masked == f"before\n{expected}after\n"
    assert found == (Secret("private-key", 2),)


def test_private_keys_cut_off_at_either_end() -> None:
    head = "\n".join([begin(KEY), *KEY_LINES[:3]])
    tail = "\n".join([*KEY_LINES[1:], end(KEY)])
    for part in (head, tail):
        masked, _ = redact(f"log:\n{part}\n\nThe rest of the log.\n")
        assert not re.search(r"\w{20}", masked)
        assert masked.endswith("\n\nThe rest of the log.\n")


def test_private_keys_in_one_line_of_json() -> None:
    body = "\\n".join([begin(KEY), *KEY_LINES, end(KEY)])
    text = f'{{"type": "service_account", "private_key": "{body}\\n", "x": 1}}'
    masked, found = redact(text)
    assert masked.startswith('{"type": "service_account", "private_key": "[redacted:private-key]')
    assert masked.endswith('"x": 1}')
    assert not re.search(r"\w{20}", masked)
    assert found[0].kind == "private-key"


def test_encrypted_keys_with_headers() -> None:
    headers = ["Proc-Type: 4,ENCRYPTED", "DEK-Info: AES-128-CBC," + HEX[:32].upper(), ""]
    masked, _ = redact("\n".join([begin(KEY), *headers, *KEY_LINES, end(KEY)]))
    assert not re.search(r"\w{20}", masked.replace("redacted:private-key", ""))


def test_a_token_wrapped_once_goes_with_both_halves() -> None:
    token = "ghp" + "_" + B62[:36]
    for eol in ("\n", "\r\n    ", "\\\n"):
        masked, found = redact(f"see {token[:18]}{eol}{token[18:]} here\n")
        assert B62[:8] not in masked and B62[20:30] not in masked
        assert masked.startswith("see [redacted:github-token]") and masked.endswith(" here\n")
        assert found == (Secret("github-token", 1),)
    prose = "the prefix ghp" + "_abcd\nfollowed by some ordinary words of a sentence\n"
    assert redact(prose) == (prose, ())


LOOK_ALIKES = [
    HEX[:40],
    HEX[:64],
    HEX[:7],
    "Commit " + HEX[:40] + " fixed it",
    "sha256:" + HEX[:64],
    "token: " + HEX[:40],
    "token digest: " + HEX[:64],
    "token_hash=" + HEX[:64],
    '"integrity": "sha512-' + B62[:86] + '=="',
    UUID,
    "token: " + UUID,
    "apiKey: " + UUID,
    "<TOKEN>",
    "token=<TOKEN>",
    "API_KEY=${API_KEY_1}",
    "API_KEY=$API_KEY_1",
    "export X_TOKEN=$(pass show token/1)",
    "PASSWORD=%PASSWORD1%",
    "password: {{ vault_password_1 }}",
    "token: process.env.TOKEN_1",
    "token = os.environ['TOKEN_1']",
    "token = os.getenv('TOKEN_1')",
    'apiKey == ""',
    "apiKey = ''",
    "password: str",
    "password: str | None = None",
    "token: Token",
    "token: Optional[Token2] = None",
    "def login(password: SecretStr, token: bytes) -> None:",
    "password = ***",
    "token: xxxxxxxxxxxx1",
    "api_key: your-api-key-here-1",
    'api_key = "YOUR_API_KEY_2"',
    'secret = "lorem-ipsum-dolor-1"',
    "secret: changeme",
    "the token is wrong: see line 12",
    "max_tokens: 4096",
    "token_count=123456789a",
    "tokens = tokenizer.encode(text2)",
    "token: relay_git/redact.py:120",
    "key: value1",
    "keyboard: qwerty-2024",
    "primary_key=user_id_2",
    "public_key = " + B62[:40],
    "token_expiry: 2026-04-28T09:30:00Z",
    "passwords: 12",
    "the tests pass: 12 of 13",
    "token_url: https://example.org/oauth2/v1/token",
    "secret_name: prod/db/main-1",
    "https://example.org:8080/path@2",
    "https://user@example.org/x:y@z",
    "postgres://user:${PW}@host/db",
    "postgres://user:$PW@host/db",
    "https://user:<password>@host/",
    "http://user:***@host/",
    "mailto:a@b.org, c: d@e.org",
    "Basic understanding of the authorization: basic idea",
    "Bearer of bad news",
    "sk-estimator-id-container-fade-in-1",
    "sk-learn-contrib-package-name-long",
    "pypi-publish-action-v1-long-name",
    "npm_config_registry",
    "hf_hub_download",
    "key-value-store-2",
    "dp.pt.x",
    "eyJ",
    "AKIA",
    f"`{begin(KEY)}` starts a key",
    begin("CERTIFICATE") + "\n" + B62[:64] + "\n" + end("CERTIFICATE"),
    begin("PUBLIC " + "KEY") + "\n" + B62[:64] + "\n" + end("PUBLIC " + "KEY"),
    "![x](data:image/png;base64," + B62[:120] + ")",
    "refs/relay/runs/20260428-0930-fix-bug-3f9a",
    "[redacted:github-token]",
    "password=[redacted:password]",
]


@pytest.mark.parametrize("text", LOOK_ALIKES)
def test_look_alikes_survive(text: str) -> None:
    for context in ("{}", "- {}\n", "x {} y\r\n"):
        whole = context.replace("{}", text)
        assert redact(whole) == (whole, ())


def test_literals_are_masked_exactly_and_blank_ones_ignored() -> None:
    text = "Project Zephyr, zephyr, Zephyrs\nZephyr\n"
    masked, found = redact(text, ["Zephyr", "", "  "])
    assert masked == (
        "Project [redacted:literal], zephyr, [redacted:literal]s\n[redacted:literal]\n"
    )
    assert [secret.line for secret in found] == [1, 1, 2]
    assert redact(masked, ["Zephyr", "redacted", "literal"]) == (masked, ())


def test_overlapping_findings_become_one_of_the_specific_kind() -> None:
    token = "ghp" + "_" + B62[:36]
    masked, found = redact(f"GITHUB_TOKEN={token}\n", [token[6:]])
    assert masked == "GITHUB_TOKEN=[redacted:github-token]\n"
    assert found == (Secret("github-token", 1),)


def test_findings_never_hold_the_secret_and_lines_count_every_ending() -> None:
    token = "ghp" + "_" + B62[:36]
    masked, found = redact(f"a\r\nb\rc\n{token}\n{token}\n")
    assert [secret.line for secret in found] == [4, 5]
    assert B62[:8] not in repr(found) and B62[:8] not in masked


PIECES = st.one_of(
    st.sampled_from([secret for _, secret in PLANTED]),
    st.sampled_from([secret[: len(secret) // 2] for _, secret in PLANTED]),
    st.sampled_from([context.replace("{}", secret) for context, secret, _ in BEHIND]),
    st.sampled_from(LOOK_ALIKES),
    st.sampled_from(
        [" ", "\n", '"', "=", ":", "-", "_", ".", "/", "\\", "@", "password=", "token: "]
    ),
    st.sampled_from([begin(KEY), end(KEY), "[redacted:", "]", "://", "[redacted:jwt]", *KEY_LINES]),
    st.text(max_size=6),
)
TEXTS = st.lists(PIECES, max_size=12).map("".join)


@given(TEXTS, st.lists(st.text(max_size=4), max_size=2))
def test_redacting_again_changes_nothing(text: str, literals: list[str]) -> None:
    masked, found = redact(text, literals)
    assert redact(masked, literals) == (masked, ())
    assert bool(found) == (masked != text)
    assert masked.count("\n") == text.count("\n") or literals


@given(st.text())
def test_never_raises(text: str) -> None:
    redact(text, [text])


@given(TEXTS)
def test_the_prefilter_lets_everything_through_that_a_rule_would_find(text: str) -> None:
    if list(find(text)):
        assert suspicious(text)


@pytest.mark.parametrize(
    "name",
    [
        *("password", "Password", "PASSWORD", "passWord", "passwd", "PASSWD", "pwd", "Pwd", "PWD"),
        *("passphrase", "passPhrase", "PASSPHRASE", "db_pass", "DB_PASS"),
        *("token", "Token", "TOKEN", "api_key", "apiKey", "API_KEY", "secret", "Secret", "SECRET"),
    ],
)
def test_the_prefilter_knows_every_name(name: str) -> None:
    assert suspicious(f"{name} = 'Xk29fjw83hf93Z'")
    assert not suspicious(f"{name} is what it is called: x")


HOSTILE = [
    *("a", "-", ".", "token", "token=", "token=a1", "token='a1", "password=a1", "://", "a://b:c"),
    *(
        "eyJ",
        "-eyJ",
        "sk-",
        "ghp" + "_",
        "ghp" + "_abcd\n",
        "glpat" + "-",
        "key-\n",
        "a1.",
        "&sig=",
    ),
    *(begin(KEY), end(KEY), B62[:64] + "\n", "A1b2" * 16 + "=", "authorization:", "Bearer "),
    "[redacted:x]",
]


@pytest.mark.parametrize("unit", HOSTILE)
def test_a_hostile_text_is_read_in_linear_time(unit: str) -> None:
    def seconds(size: int) -> float:
        text = unit * (size // len(unit)) + "("
        return min(timeit.repeat(lambda: redact(text), number=1, repeat=2))

    assert seconds(200_000) < 0.2 + 16 * seconds(25_000)
