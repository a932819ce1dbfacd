"""What an agent is given: the sections that it reads, packed into its tokens."""

from __future__ import annotations

from collections.abc import Mapping

from relay_git.names import section_path
from relay_git.pipeline.codes import Code, PipelineError, words
from relay_git.pipeline.frozen import Json, another, lent
from relay_git.pipeline.manifest import Manifest, Slice
from relay_git.pipeline.packing import Packer, tokens_of
from relay_git.pipeline.sections import decode, encode
from relay_git.pipeline.snapshot import Snapshot
from relay_git.pipeline.tokens import TokenCounter


def take(
    head: Snapshot,
    readable: Mapping[str, Json],
    manifest: Manifest,
    packer: Packer,
    counter: TokenCounter,
) -> Slice:
    """`readable` are the sections of `head` that the manifest reads. Raises `PipelineError`
    (INVALID_SLICE, INVALID_TOKEN_COUNT)."""
    packed = _packed(readable, manifest, packer, counter)
    taken = tokens_of(packed, counter)
    if taken > manifest.max_tokens:
        what = f"the slice has {taken} tokens, over its limit of {manifest.max_tokens}"
        raise PipelineError(Code.INVALID_SLICE, what)
    return Slice(head.run, head.step, manifest.agent_id, another(packed), taken)


def _packed(
    readable: Mapping[str, Json], manifest: Manifest, packer: Packer, counter: TokenCounter
) -> dict[str, Json]:
    try:
        packed = dict(packer.pack(lent(readable, packer), manifest, counter))
        more = sorted(map(str, packed.keys() - readable.keys()))
        packed = {name: _made(name, value, readable) for name, value in packed.items()}
    except PipelineError:
        raise
    except Exception as error:
        what = f"the packer failed: {words(error)}"
        raise PipelineError(Code.INVALID_SLICE, what) from error
    if more:
        raise PipelineError(Code.INVALID_SLICE, f"the packer adds {', '.join(more)}")
    return packed


def _made(name: str, value: Json, readable: Mapping[str, Json]) -> Json:
    """What a packer made, as JSON of our own: it may look like JSON and do anything when read."""
    return value if value is readable.get(name) else decode(encode(value), section_path(name))
