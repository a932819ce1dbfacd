"""Names that cannot be wrong, and the one place where refs, trailers and paths are spelled.

Each type is a `str` that was checked when it was made, so holding one is proof enough.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Self

from relay_git.errors import InvalidName

_HEX = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_REF_BAD = re.compile(r"[\x00-\x20\x7f~^:?*\[\\]|\.\.|@\{|//|/\.|\.lock(?:/|$)|^/|/$|\.$|^-")
_RUN_ID = re.compile(
    r"[1-9]\d{3}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])-\d{4}-[a-z0-9]+(?:-[a-z0-9]+)*-[0-9a-f]{4}"
)
_MONTH = re.compile(r"[1-9]\d{3}-(?:0[1-9]|1[0-2])", re.ASCII)
_WORD = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9_.-]*[A-Za-z0-9])?")
_SLUG_BREAK = r"[^a-z0-9]+"
_WINDOWS_DEVICE = re.compile(r"(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)", re.IGNORECASE)
_ORDINARY = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,60}(?:\.(?!lock$)[A-Za-z0-9_-]{1,20})?")
"""Nearly every name: nothing more needs to be asked about these."""
_SURROGATE = "[\ud800-\udfff]"
_UNSAFE_IN_PATH = r"[\x00-\x1f\x7f<>:\"/\\|?*]"

MAX_NAME = 100
_MAX_ENTRY = 255


class Oid(str):
    """A full object id: 40 (SHA-1) or 64 (SHA-256) lower-case hex digits."""

    __slots__ = ()

    def __new__(cls, value: str) -> Self:
        if not _HEX.fullmatch(value):
            raise InvalidName(f"{value!r} is not a full object id")
        return super().__new__(cls, value)


class RefName(str):
    """A full ref name below `refs/` that git accepts (git-check-ref-format)."""

    __slots__ = ()

    def __new__(cls, value: str) -> Self:
        if not value.startswith("refs/") or _REF_BAD.search(value) or len(value.split("/")) < 3:
            raise InvalidName(f"{value!r} is not a valid ref name")
        return super().__new__(cls, value)


class RunId(str):
    """`20260428-0930-fix-bug-3f9a`: UTC minute, slug, four random hex digits."""

    __slots__ = ()

    def __new__(cls, value: str) -> Self:
        if len(value) > MAX_NAME or not _RUN_ID.fullmatch(value):
            raise InvalidName(f"{value!r} is not a run id")
        return super().__new__(cls, value)

    @property
    def month(self) -> str:
        """`2026-04`, the history segment that the run is filed in."""
        return f"{self[:4]}-{self[4:6]}"

    @property
    def day(self) -> str:
        return self[6:8]


def is_month(text: str) -> bool:
    """Whether it is `2026-04`, as what is kept by month ends."""
    return _MONTH.fullmatch(text) is not None


class ArtifactName(str):
    """A file name of one component, safe on every platform and inside a git tree."""

    __slots__ = ()

    def __new__(cls, value: str) -> Self:
        _check_component(value, "an artifact name")
        return super().__new__(cls, value)


class Word(str):
    """The name of a workflow, stage, role or branch: letters, digits, `_`, `.`, `-`."""

    __slots__ = ()

    def __new__(cls, value: str) -> Self:
        _check_component(value, "a name")
        if not _WORD.fullmatch(value) or ".." in value:
            raise InvalidName(
                f"{value!r} is not a valid name", hint="use letters, digits, '_', '.' and '-'"
            )
        return super().__new__(cls, value)


def is_plain(name: str) -> bool:
    """Whether the name of a tree's entry is read everywhere as just that."""
    try:
        _check_component(name, "a file", _MAX_ENTRY)
    except InvalidName:
        return False
    return True


def _check_component(value: str, kind: str, most: int = MAX_NAME) -> None:
    """One path component that no filesystem and no git reads as anything else."""
    if _ORDINARY.fullmatch(value) and not _WINDOWS_DEVICE.match(value):
        return
    folded = unicodedata.normalize("NFKC", value).casefold()
    visible = "".join(c for c in folded if unicodedata.category(c) != "Cf")
    wrong = (
        not value
        or len(value.encode("utf-8", "surrogatepass")) > most
        or re.search(_UNSAFE_IN_PATH, value)
        or value.startswith(("-", ".", " "))
        or value.endswith((".", " ", ".lock"))
        or visible in {"git~1"}
        or visible.startswith(".git")
        or _WINDOWS_DEVICE.match(value)
        or any(unicodedata.category(c) in {"Cs", "Cc"} for c in value)
    )
    if wrong:
        raise InvalidName(f"{value!r} cannot be {kind}", hint="use one plain file name")


def slug(text: str, most: int = 40) -> str:
    """Lower-case ASCII words joined by `-`; empty when nothing is left."""
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode().lower()
    words = re.sub(_SLUG_BREAK, "-", plain).strip("-")
    if len(words) <= most:
        return words
    cut = words[: most + 1].rpartition("-")[0]
    return (cut or words[:most]).strip("-")


def spelled(text: str) -> str:
    """As files and terminals can hold it: a byte of a name that is not UTF-8 as `\\xff`."""
    return re.sub(_SURROGATE, _escaped, text)


def _escaped(found: re.Match[str]) -> str:
    code = ord(found[0])
    return f"\\x{code - 0xDC00:02x}" if 0xDC80 <= code <= 0xDCFF else f"\\u{code:04x}"


# Refs

RELAY = "refs/relay/"
RUNS = "refs/relay/runs/"
HISTORY = "refs/relay/history/"
NOTES = "refs/notes/relay/"
PURGED = RefName("refs/relay/purged")
LOCAL = "refs/relay-local/"
DISTILLED = f"{LOCAL}distilled/"
PIPELINES = f"{LOCAL}pipelines/"
FORKS = f"{LOCAL}forks/"

_MIRRORED = ((RELAY, "relay/"), (NOTES, "notes/"))
"""What travels, and where it lies below the tracking names of a remote."""


def run_ref(run: RunId) -> RefName:
    return RefName(RUNS + run)


def history_ref(month: str) -> RefName:
    return RefName(HISTORY + month)


def notes_ref(month: str) -> RefName:
    return RefName(NOTES + month)


def distilled_ref(month: str) -> RefName:
    """How far this clone has distilled the history of that month."""
    return RefName(DISTILLED + month)


def pipeline_ref(name: Word) -> RefName:
    """Which run a pipeline of this clone has: a blob that holds the run's id."""
    return RefName(PIPELINES + name)


def forks_prefix(run: RunId, base: Oid | None = None) -> str:
    """Below it lie the outputs of forks that started from a step and are not joined yet."""
    return f"{FORKS}{run}/{base}/" if base else f"{FORKS}{run}/"


def fork_ref(run: RunId, base: Oid, fork: Word, manifest: str) -> RefName:
    """`manifest` is a digest: with another task it is another fork."""
    return RefName(f"{forks_prefix(run, base)}{fork}-{manifest[:16]}")


def pipeline_slug(name: str) -> str | None:
    """Of a pipeline's pointer, its run and what its forks keep, or a prefix of such, what the
    name of the pipeline has become in the run's id; None for any other ref."""
    for prefix, first, last in ((PIPELINES, 0, None), (RUNS, 14, -5), (FORKS, 14, -5)):
        if name.startswith(prefix):
            return slug(name.removeprefix(prefix).partition("/")[0][first:last]) or None
    return None


def tracking_prefix(remote: str) -> str:
    """Below it lies what a remote had when it was last fetched."""
    return f"{LOCAL}remotes/{remote}/"


def tracking_ref(remote: str, ref: str) -> str:
    """Where a ref that travels, or a pattern of such, is kept as the remote has it."""
    for travels, below in _MIRRORED:
        if ref.startswith(travels):
            return tracking_prefix(remote) + below + ref.removeprefix(travels)
    raise InvalidName(f"{ref!r} does not travel")


def is_tracking(ref: str) -> bool:
    """Whether a ref says what some remote had."""
    return ref.startswith(f"{LOCAL}remotes/")


def tracked_remote(tracking: str) -> str | None:
    """The remote that a tracking ref, or a pattern of such, is of; None where it is none."""
    found = re.fullmatch(rf"{LOCAL}remotes/(.+?)/(?:relay|notes)/.+", tracking)
    return found[1] if found else None


def tracked_ref(remote: str, tracking: str) -> RefName | None:
    """The ref at the remote that a tracking ref stands for; None if it stands for none."""
    rest = tracking.removeprefix(tracking_prefix(remote))
    for travels, below in _MIRRORED:
        if rest.startswith(below):
            return RefName(travels + rest.removeprefix(below))
    return None


def history_path(run: RunId) -> str:
    """Where a finished run lies in the tree of its month."""
    return f"{run.day}/{run}"


# Paths in a step's tree

STEP_RECORD = "step.json"
WORKFLOW_RECORD = "workflow.json"


def role_path(role: str) -> str:
    return f"roles/{role}.json"


def artifact_path(name: str) -> str:
    return f"artifacts/{name}"


def section_path(name: str) -> str:
    """Where a pipeline keeps a section: an artifact like any other."""
    return artifact_path(f"{name}.json")


def section_name(path: str) -> str | None:
    """Which section a file of a step is; None for any other."""
    folder, _, name = path.rpartition("/")
    return name.removesuffix(".json") if folder == "artifacts" and name.endswith(".json") else None


# Trailers of a step's commit message

TRAILER_RUN = "Relay-Run"
TRAILER_STEP = "Relay-Step"
TRAILER_STAGE = "Relay-Stage"
TRAILER_ROLE = "Relay-Role"
TRAILER_VERDICT = "Relay-Verdict"
TRAILER_CODE = "Relay-Code"

# Trailers of the user's own commits, beside Relay-Run

TRAILER_ADVANCE = "Relay-Advance"

# Paths in the work tree, below its top level

RELAY_DIR = ".relay"
SETTINGS = ".relay/relay.yml"
WORKFLOWS = ".relay/workflows"
LESSONS = ".relay/lessons"
LESSONS_INDEX = ".relay/LESSONS.md"
ARTIFACTS = ".relay/artifacts"
TEMPLATE_OVERRIDES = ".relay/templates"
ALLOWED_SIGNERS = ".relay/allowed_signers"

# Namespaces of signatures

STEP_NAMESPACE = "relay.step"
PURGE_NAMESPACE = "relay.purge"
