"""A LangChain chain as an agent: its text becomes a section, and what it used counts.

Run it in a git repository, then see `git relay inspect release-notes`.
"""

from __future__ import annotations

from typing import Any

from langchain_core.language_models import FakeListChatModel
from langchain_core.prompts import ChatPromptTemplate

from relay_git.pipeline import Manifest, Pipeline, Slice
from relay_git.runners import langchain_runner

CHANGES = ["stow put carries on where it stopped", "stow ls shows sizes"]

MODEL = FakeListChatModel(responses=["Uploads resume, and listings show sizes."])
"""Any chat model of LangChain can stand here."""

CHAIN = ChatPromptTemplate.from_template("Sum this up in one sentence:\n{changes}") | MODEL


def prompt(given: Slice, manifest: Manifest) -> dict[str, Any]:
    return {"changes": "\n".join(given["CHANGES"])}


def main() -> None:
    write = Manifest("writer", reads=["CHANGES"], writes=["NOTES"], text_section="NOTES")
    with Pipeline.open(".", "release-notes", payload={"CHANGES": CHANGES}) as pipeline:
        step = pipeline.step_sync(write, langchain_runner(CHAIN, prompt=prompt)).unwrap()
        print(step.payload["NOTES"])
        print(f"read {step.event.slice_tokens} tokens, wrote {step.event.output_tokens}")


if __name__ == "__main__":
    main()
