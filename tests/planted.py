"""Secrets of many kinds, put together at run time so that no scanner takes this file for a leak."""

from __future__ import annotations

B62 = "aZ3kQ9xV7mB2nL5tR8wC4yH6jD1fG0sPqEuXiOoKvT" * 4
HEX = "3f9a2b7c1d8e4f5061728394a5b6c7d8e9f00112233445566778899aabbccdde" * 2
UPPER = "QZ3KX9V7MB2NL5TR8WC4YH6JD1FG0SPEUXIOKVTAAW" * 3
UUID = "-".join((HEX[:8], HEX[8:12], HEX[12:16], HEX[16:20], HEX[20:32]))


def begin(kind: str) -> str:
    return "-" * 5 + f"BEGIN {kind}" + "-" * 5


def end(kind: str) -> str:
    return "-" * 5 + f"END {kind}" + "-" * 5


KEY = "PRIVATE " + "KEY"
KEY_LINES = [B62[i : i + 64] for i in (0, 7, 13, 20)] + [B62[:22] + "=="]

PLANTED = [
    ("anthropic-key", "sk-" + "ant-" + "api03-" + B62[:40]),
    ("openai-key", "sk-" + "proj-" + B62[:48]),
    ("api-key", "sk-" + B62[:48]),
    *(("github-token", f"gh{c}_" + B62[:36]) for c in "pousr"),
    ("github-token", "github" + "_pat_" + B62[:22] + "_" + B62[:59]),
    ("gitlab-token", "glpat" + "-" + B62[:20]),
    ("aws-access-key", "AK" + "IA" + UPPER[:16]),
    ("aws-access-key", "AS" + "IA" + UPPER[:16]),
    ("google-api-key", "AI" + "za" + B62[:35]),
    ("google-oauth", "ya" + "29." + B62[:60]),
    ("google-oauth", "GOCSPX" + "-" + B62[:28]),
    *(("slack-token", f"xox{c}-" + "123456789012-" + B62[:24]) for c in "abprs"),
    ("stripe-key", "sk" + "_live_" + B62[:24]),
    ("stripe-key", "rk" + "_live_" + B62[:24]),
    ("webhook-secret", "wh" + "sec_" + B62[:32]),
    ("twilio-key", "S" + "K" + HEX[:32]),
    ("twilio-key", "A" + "C" + HEX[:32]),
    ("sendgrid-key", "SG" + "." + B62[:22] + "." + B62[:43]),
    ("mailgun-key", "key" + "-" + HEX[:32]),
    ("mailchimp-key", HEX[:32] + "-us" + "12"),
    ("npm-token", "npm" + "_" + B62[:36]),
    ("pypi-token", "pypi" + "-AgEIcHlwaS5vcmc" + B62[:70]),
    ("rubygems-key", "rubygems" + "_" + HEX[:48]),
    ("digitalocean-token", "dop" + "_v1_" + HEX[:64]),
    ("huggingface-token", "hf" + "_" + B62[:34]),
    ("groq-key", "gsk" + "_" + B62[:52]),
    ("replicate-token", "r8" + "_" + B62[:37]),
    ("xai-key", "xai" + "-" + B62[:80]),
    ("shopify-token", "shpat" + "_" + HEX[:32]),
    ("databricks-token", "da" + "pi" + HEX[:32]),
    ("vault-token", "hvs" + "." + B62[:90]),
    ("age-key", "AGE-SECRET" + "-KEY-1" + UPPER[:58]),
    ("terraform-token", B62[:14] + ".atlas" + "v1." + B62[:67]),
    ("linear-key", "lin" + "_api_" + B62[:40]),
    ("notion-token", "ntn" + "_" + B62[:46]),
    ("heroku-key", "HRKU" + "-" + UUID),
    ("postman-key", "PMAK" + "-" + HEX[:24] + "-" + HEX[:34]),
    ("grafana-token", "glsa" + "_" + B62[:32] + "_" + HEX[:8]),
    ("doppler-token", "dp" + ".pt." + B62[:43]),
    ("square-token", "sq0" + "atp-" + B62[:22]),
    ("newrelic-key", "NRAK" + "-" + UPPER[:27]),
    ("sentry-token", "sntrys" + "_" + B62[:60]),
    ("docker-token", "dckr" + "_pat_" + B62[:27]),
    ("telegram-token", "1234567890" + ":AA" + B62[:33]),
    ("discord-token", "M" + B62[:23] + "." + B62[5:11] + "." + B62[:27]),
    ("jwt", "ey" + "JhbGciOiJIUzI1NiJ9." + "ey" + "JzdWIiOiIxMjM0NTY3ODkwIn0." + B62[:43]),
    ("atlassian-token", "AT" + "ATT3" + B62[:60]),
    ("azure-secret", "abc8" + "Q~" + B62[:34]),
]
