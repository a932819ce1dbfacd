"""The forms of secrets, as tables: a new kind is one more row.

Patterns are strings, compiled when first needed: most texts never get past the prefilter.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

PREFIXED: tuple[tuple[str, str, str], ...] = (
    # kind, prefixes that end in `-`, `_` or `.`, what follows them
    ("anthropic-key", "sk-ant-", r"[\w-]{16,}"),
    ("openai-key", "sk-proj- sk-svcacct- sk-admin- sk-or-v1-", r"[\w-]{20,}"),
    ("api-key", "sk-", r"(?=[a-z]*\d|[a-z]*[A-Z])[A-Za-z0-9]{20,}"),
    ("github-token", "ghp_ gho_ ghu_ ghs_ ghr_", r"[A-Za-z0-9]{20,}"),
    ("github-token", "github_pat_", r"\w{22,}"),
    (
        "gitlab-token",
        "glpat- gldt- glrt- glcbt- glptt- glft- glimt- glagent- gloas-",
        r"[\w-]{20,}",
    ),
    ("google-oauth", "ya29. GOCSPX-", r"[\w-]{20,}"),
    ("slack-token", "xoxa- xoxb- xoxe- xoxo- xoxp- xoxr- xoxs- xapp-", r"[\w-]{10,}"),
    ("stripe-key", "sk_live_ sk_test_ rk_live_ rk_test_", r"[A-Za-z0-9]{10,}"),
    ("webhook-secret", "whsec_", r"[A-Za-z0-9+/]{20,}=*"),
    ("sendgrid-key", "SG.", r"[\w-]{16,}\.[\w-]{16,}"),
    ("mailgun-key", "key-", r"[0-9a-f]{32}"),
    ("npm-token", "npm_", r"[A-Za-z0-9]{30,}"),
    ("pypi-token", "pypi-", r"AgE[\w-]{16,}|[\w-]{85,}"),
    ("rubygems-key", "rubygems_", r"[0-9a-f]{48}"),
    ("digitalocean-token", "dop_v1_ doo_v1_ dor_v1_", r"[0-9a-f]{40,}"),
    ("huggingface-token", "hf_ api_org_", r"[A-Za-z0-9]{30,}"),
    ("groq-key", "gsk_", r"[A-Za-z0-9]{20,}"),
    ("replicate-token", "r8_", r"[A-Za-z0-9]{30,}"),
    ("xai-key", "xai- pplx-", r"[A-Za-z0-9]{32,}"),
    ("langsmith-key", "lsv2_pt_ lsv2_sk_", r"[0-9a-f]{32}_?[0-9a-f]*"),
    ("shopify-token", "shpat_ shpca_ shppa_ shpss_", r"[A-Fa-f0-9]{32}"),
    ("vault-token", "hvs. hvb. hvr.", r"[\w-]{20,}"),
    ("linear-key", "lin_api_ lin_oauth_", r"[A-Za-z0-9]{30,}"),
    ("notion-token", "ntn_ secret_", r"[A-Za-z0-9]{40,}"),
    ("heroku-key", "HRKU-", r"[\w-]{36,}"),
    ("postman-key", "PMAK-", r"[0-9a-f]{24}-[0-9a-f]{34}"),
    ("grafana-token", "glsa_ glc_", r"[\w+/=]{32,}"),
    ("doppler-token", "dp.pt. dp.st. dp.ct. dp.sa. dp.scim. dp.audit.", r"[\w.-]{30,}"),
    ("age-key", "AGE-SECRET-KEY-", r"1[0-9A-Z]{50,}"),
    ("square-token", "sq0atp- sq0csp- sq0idp-", r"[\w-]{22,}"),
    ("dynatrace-token", "dt0c01.", r"[A-Z0-9]{24}\.[A-Z0-9]{60,}"),
    ("newrelic-key", "NRAK- NRJS-", r"[A-Za-z0-9]{19,}"),
    ("sentry-token", "sntrys_ sntryu_", r"[\w+/=]{40,}"),
    ("figma-token", "figd_", r"[\w-]{38,}"),
    ("docker-token", "dckr_pat_", r"[\w-]{20,}"),
    ("pulumi-token", "pul-", r"[0-9a-f]{40}"),
    ("planetscale-token", "pscale_tkn_ pscale_pw_ pscale_oauth_", r"[\w=.-]{32,}"),
    ("supabase-token", "sbp_ sb_secret_", r"[\w-]{30,}"),
    ("netlify-token", "nfp_", r"[A-Za-z0-9]{36,}"),
    ("tailscale-key", "tskey- tskey-auth- tskey-api-", r"[A-Za-z0-9]{8,}-[A-Za-z0-9]{16,}"),
    ("api-key", "CFPAT- tfp_ CLOJARS_", r"[\w-]{40,}"),
)

_HEADER = r"-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----"
_END = r"-----END (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----"
_BREAK = r"(?:\\[nr]|[\s>|\"'`,+\\])"
_PEM = (
    rf"{_HEADER}(?:{_BREAK}+[A-Za-z-]+: [^\r\n\\]+)*+(?:{_BREAK}*[A-Za-z0-9+/=]{{16,}})++"
    rf"(?:{_BREAK}*[A-Za-z0-9+/=]{{0,64}}{_BREAK}*{_END})?"
)
KEY_END = _END
REVERSED_KEY_TEXT = rf"(?:\s|[rn]\\|[>|\"',+])*[A-Za-z0-9+/=]+(?:{_BREAK}+[A-Za-z0-9+/=]{{16,}})++"

_AUTHORIZATION = (
    r"(?i:authorization)[\"'\\]{0,2}\s*[:=]\s*[\"'\\]{0,2}"
    r"(?i:bearer|basic|token|apikey|bot)\s+([\w+/=.~:-]{8,})"
)
_HEROKU = (
    r"[\w .-]{0,20}[\"']?\s*[:=]\s*[\"']?"
    r"([0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12})\b"
)

SHAPED: tuple[tuple[str, str, str], ...] = (
    # kind, its head (one rare character, and what is around it), the whole; group 1, if any, is
    # the secret
    ("private-key", r"-(?<!--)(?=----BEGIN )", _PEM),
    (
        "aws-access-key",
        r"I(?<=A[KSB]I)A",
        r"(?<![A-Za-z0-9])(?:AKIA|ASIA|ABIA)[A-Z0-9]{16}(?![A-Za-z0-9])",
    ),
    ("google-api-key", r"z(?<=AIz)a", r"(?<![\w-])AIza[\w-]{30,}"),
    ("jwt", r"J(?<=eyJ)", r"(?<![\w-])eyJ[\w-]{8,}\.[\w-]{8,}(?:\.[\w-]*){0,3}"),
    ("slack-webhook", r"\.(?<=hooks\.)slack", r"hooks\.slack\.com/[a-z]+/([\w/+-]{20,})"),
    ("discord-webhook", r"\.(?=com/api/webhooks/)", r"\.com/api/webhooks/(\d+/[\w-]{20,})"),
    (
        "discord-token",
        r"\.(?=[\w-]{6}\.[\w-]{27})",
        r"(?<![\w.-])[A-Za-z0-9_-]{23,28}\.[\w-]{6}\.[\w-]{27,}",
    ),
    ("twilio-key", r"S(?=K[0-9a-f]{32})", r"(?<![A-Za-z0-9])SK[0-9a-f]{32}\b"),
    ("twilio-key", r"A(?=C[0-9a-f]{32})", r"(?<![A-Za-z0-9])AC[0-9a-f]{32}\b"),
    ("mailchimp-key", r"-(?=us\d)", r"\b[0-9a-f]{32}-us\d{1,2}\b"),
    ("telegram-token", r":(?=AA)", r"(?<![\w:])\d{6,12}:AA[\w-]{32,34}"),
    ("databricks-token", r"p(?<=dap)i[0-9a-f]", r"(?<![A-Za-z0-9])dapi[0-9a-f]{32}(?:-\d)?"),
    ("terraform-token", r"\.(?=atlasv1\.)", r"[A-Za-z0-9]{14}\.atlasv1\.[\w-]{60,}"),
    ("azure-key", r"=(?<=Key=)", r"(?:Account|SharedAccess|Access)Key=([A-Za-z0-9+/%]{20,}=*)"),
    ("azure-signature", r"=(?<=[?&]sig=)", r"[?&]sig=([\w%+/-]{30,}=*)"),
    ("azure-secret", r"~(?<=Q~)", r"(?<![\w~.-])[\w~.-]{3}\dQ~[\w~.-]{31,34}"),
    ("atlassian-token", r"T(?<=AT)(?:ATT|CTT|BB)", r"\bAT(?:ATT|CTT|BB)[\w=-]{20,}"),
    (
        "airtable-token",
        r"\.(?=[0-9a-f]{64})",
        r"(?<![A-Za-z0-9])pat[A-Za-z0-9]{14}\.[0-9a-f]{64}",
    ),
    (
        "url-password",
        r":(?=//[^\s/:@\"'<>]{0,256}:[^\s/\"'<>]{1,256}@)",
        r"(?<=[A-Za-z0-9])://[^\s/:@\"'<>]{0,256}:(?![$<{%*])([^\s/\"'<>]{1,256})@(?=[\w\[$-])",
    ),
    ("authorization", r"z(?<=uthoriz)ation[\"'\\]{0,2}\s*[:=]", _AUTHORIZATION),
    ("authorization", r"Z(?<=UTHORIZ)ATION[\"'\\]{0,2}\s*[:=]", _AUTHORIZATION),
    (
        "bearer-token",
        r"B(?=(?:earer|EARER) )",
        r"\b(?:Bearer|BEARER) +((?=[\w+/.~-]*\d)[\w+/.~-]{16,}=*)",
    ),
    ("heroku-key", r"_(?<=heroku_)", rf"heroku_{_HEROKU}"),
    ("heroku-key", r"_(?<=HEROKU_)", rf"HEROKU_{_HEROKU}"),
)

_NAMES = (
    r"w(?:(?<=[pP]assw)ord|(?<=[pP]assw)d|(?<=[pP]w)d)|W(?:(?<=PASSW)(?:OR)?D|(?<=PW)D|(?<=passW)ord)"
    r"|p(?<=[sS]sp)hrase|P(?<=SSP)HRASE|P(?<=ssP)hrase|_(?:PASS|pass)\b"
    r"|k(?:(?<=[tT]ok)en|ey)|K(?:(?<=TOK)EN|ey|EY)"
    r"|c(?<=[sS]ec)ret|C(?<=SEC)RET"
)
NAME_WORDS = ("passw", "pwd", "ssphrase", "_pass", "token", "key", "secret")
"""One of them is in every such name, in lower case."""
_TYPED = r":[ \t]{0,4}[A-Za-z][\w.\[\]| ]{0,30}="
_TELLING = r"(?=[^\s\"'`]{0,80}[\d!@#^&*]|[A-Za-z]{24})"
ASSIGNED = (
    rf"(?P<name>(?:{_NAMES})[\w-]{{0,32}})[\\\"'`\])]{{0,3}}[ \t]{{0,20}}"
    rf"(?:{_TYPED}|:=|=>|[:=]=?)[ \t]{{0,20}}"
    rf"(?:\\?[\"'`]{_TELLING}(?P<quoted>[^\s\"'`\\]{{6,}}+)"
    rf"|{_TELLING}(?P<bare>(?:[^\s\"'`\\<>(){{}}\[\],;&]|&(?!\w+=)){{6,}}+)(?P<code>[(\[{{<\"'`])?)"
)

BY_PREFIX = {p: (kind, body) for kind, prefixes, body in PREFIXED for p in prefixes.split()}


def _prefix_ends() -> dict[str, str]:
    """For each last character of prefixes, what matches it where one of them ends. Most often the
    two characters before it belong to none."""
    ends: dict[str, dict[int, list[str]]] = {}
    for prefix in BY_PREFIX:
        ends.setdefault(prefix[-1], {}).setdefault(len(prefix), []).append(prefix)
    return {mark: _ends_with(mark, list(some.values())) for mark, some in ends.items()}


def _ends_with(mark: str, alike: list[list[str]]) -> str:
    """`alike` are prefixes by their length."""
    every = [prefix for some in alike for prefix in some]
    pair = "".join(_one_of(prefix[at] for prefix in every) for at in (-3, -2))
    whole = "|".join(f"(?<={'|'.join(map(re.escape, some))})" for some in alike)
    return rf"{re.escape(mark)}(?<={pair}{re.escape(mark)})(?=\w)(?:{whole})"


def _one_of(characters: Iterable[str]) -> str:
    return f"[{''.join(map(re.escape, sorted(set(characters))))}]"


def _heads() -> dict[str, str]:
    """By the character that each begins with, for which a text is searched fast."""
    found = {mark: [end] for mark, end in _ENDS.items()}
    for head in (KEY_END, *(head for _, head, _ in SHAPED)):
        found.setdefault(head.lstrip("\\")[0], []).append(head)
    return {character: "|".join(some) for character, some in found.items()}


_ENDS = _prefix_ends()
PREFIX_ENDS = "|".join(_ENDS.values())
HEADS = _heads()
"""One matches wherever a secret may be: not in a text without secrets, as a rule."""
