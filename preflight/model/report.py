"""What a run says: findings, coverage, problems. Reporters read this and nothing else."""

from __future__ import annotations

from enum import Enum, StrEnum
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from preflight.model.declaration import DeclaringResource
from preflight.model.outcome import Outcome as Outcome

if TYPE_CHECKING:
    from preflight.model.evictions import EvictionReport
    from preflight.model.reasons import Reason, RecreationEvent
    from preflight.model.toleration_answers import DaemonSetTolerations


class Severity(StrEnum):
    """How much a finding matters.

    1. error: something will stop working, or the API server refuses it.
    2. warning: it will bite on a foreseeable event.
    3. note: worth knowing.
    """

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"

    @property
    def rank(self) -> int:
        """0 for the worst."""
        return ("error", "warning", "note").index(self.value)


class Location(Struct, frozen=True, gc=False):
    """A place in a file: 1-based line and column (0 where not known), and the field's path as text.

    `source` is the text of the line, "" where not known.
    """

    file: str
    line: int = 0
    column: int = 0
    path: str = ""
    source: str = ""


class Subject(Struct, frozen=True, gc=False):
    """The object that a finding is about; namespace "" where it has or states none."""

    kind: str
    namespace: str
    name: str

    def __str__(self) -> str:
        """`namespace/name` for what lives in a namespace (`-` where the manifest states none), else the name."""
        return self.name if self.kind in ("Node", "Resource", "Policy", "Baseline") else f"{self.namespace or '-'}/{self.name}"


class RelatedLocation(Struct, frozen=True):
    """Another place that a finding speaks of."""

    message: str
    location: Location | None = None


class TolerationSuggestion(Struct, frozen=True):
    """The smallest fix: tolerations to add, as plain data of the API, and the same as lines of YAML."""

    tolerations: tuple[dict[str, Any], ...]
    text: tuple[str, ...]


class FindingRole(StrEnum):
    """What a finding is to its run.

    1. ANSWER: it answers what was asked.
    2. CONSEQUENCE: it says what breaks because a DaemonSet loses nodes; another finding says that it does.
    3. HYGIENE: a change was asked for, and this was so before and stays so. The DaemonSet is one that the change touches.
    4. BACKGROUND: the same, of an object that the change does not touch.
    """

    ANSWER = "answer"
    CONSEQUENCE = "consequence"
    HYGIENE = "hygiene"
    BACKGROUND = "background"

    @property
    def is_about_change(self) -> bool:
        """Whether it answers what was asked, so that the exit code and the verdict count it."""
        return self in (FindingRole.ANSWER, FindingRole.CONSEQUENCE)


class CoverageEffect(Struct, frozen=True):
    """What a finding says of coverage: the outcome on its nodes, and why.

    `seconds` are those after which taint eviction deletes the pod, 0 for at once; `event` is what a loss on re-creation waits for, None
    for the re-creation of its own pods. `is_past` if it has happened already.
    """

    outcome: Outcome
    reasons: tuple[Reason, ...] = ()
    seconds: int = 0
    event: RecreationEvent | None = None
    is_past: bool = False


class Finding(Struct, frozen=True):
    """One thing that a person should know.

    `message` is one line, lower case, without a full stop; `label` is what to write under the source line; `notes` are further
    lines, each with its heading (`then`, `note`, `help`). `step` is the 1-based step of the change that it belongs to, 0 for none.
    `key` tells it from other findings of its rule about the same subject: see `rules.api.Hit`. `effect` is what it says of coverage, None
    where it is about something else; `workloads` are the workloads that it says are affected.
    """

    rule: str
    name: str
    severity: Severity
    subject: Subject
    message: str
    nodes: tuple[str, ...] = ()
    location: Location | None = None
    label: str = ""
    notes: tuple[tuple[str, str], ...] = ()
    related: tuple[RelatedLocation, ...] = ()
    suggestion: TolerationSuggestion | None = None
    exempted: str | None = None
    step: int = 0
    key: tuple[str, ...] = ()
    role: FindingRole = FindingRole.ANSWER
    effect: CoverageEffect | None = None
    workloads: tuple[Subject, ...] = ()


class TaintTolerance(Struct, frozen=True, gc=False):
    """How a DaemonSet tolerates one taint: exact, key, effect, everything, implicit, no or unknown.

    `anyEffect` where the toleration names no effect; `seconds` for a NoExecute taint, None for ever.
    """

    taint: str
    how: str
    anyEffect: bool = False
    seconds: int | None = None


class Coverage(Struct, frozen=True):
    """One DaemonSet on the nodes that share an outcome and its reasons.

    1. `before`, `now` and `recreated` count the nodes with a pod: before the change, once it has settled, after re-creation.
    2. `replaced` is the count after the nodes were replaced by new ones; None where the change does not ask for it.
    3. `assumed` where no pods were given: a pod is then assumed where the DaemonSet should run.
    4. `periodSeconds` of a loop; `reasons` are sentences, all of them and not just the first. `reasons_state_loop`: one of them says that
       the pod is deleted and re-created, and how often.
    5. `place` is the file of a DaemonSet whose manifest states no namespace (as in ObjectKey), so that two of one name stay apart.
    6. `ready` counts the nodes whose pod is Ready now; None where nobody asks for it. Only `preflight verify` does.
    7. `declaredBy` is what declares a DaemonSet that is not in the input itself; None for any other.
    """

    daemonset: str
    nodes: tuple[str, ...]
    outcome: Outcome
    assumed: bool
    before: int
    now: int
    recreated: int
    replaced: int | None = None
    periodSeconds: int | None = None
    reasons: tuple[str, ...] = ()
    tolerates: tuple[TaintTolerance, ...] = ()
    place: str = ""
    ready: int | None = None
    reasons_state_loop: bool = False
    declaredBy: DeclaringResource | None = None


COVERAGE_COLUMNS = ("NOW", "RE-CREATED")
"""What the numbers of a step are about, where no node is replaced."""


class StoryOrder(Enum):
    """How the sentences of a story are related: INDEPENDENT, or CAUSES_FIRST where some follow from others, which come before them."""

    INDEPENDENT = "independent"
    CAUSES_FIRST = "causes-first"


class ReportStep(Struct, frozen=True):
    """One step of a change: its command, what it is in words, and the coverage that it leaves.

    1. `headline` is a sentence such as `taint dedicated=rdma:NoSchedule on rdma-1, rdma-2`.
    2. `notes` are things to know about the step itself (an assumption, what is not judged).
    3. `nodes` are the nodes whose pairs were judged; `taints` what the `tolerates` of the coverage answer for.
    4. `evictions` is what it does to ordinary pods; None where it lets none go, and where their pods were not given.
    5. `story` is what is broken, worst first, a sentence each: it stands in the place of the table. Only `preflight doctor` tells one.
       `story_order` is whether some of it follows from what stands before.
    6. `cluster` is the one that it is of, where the steps are of several clusters: two of them may have nodes of one name.
    7. `compares`: nothing is changed, and two states of a cluster are compared: the table then says before, now, ready and lost on.
    """

    command: str
    headline: str
    notes: tuple[str, ...] = ()
    nodes: tuple[str, ...] = ()
    taints: tuple[str, ...] = ()
    columns: tuple[str, ...] = COVERAGE_COLUMNS
    compares: bool = False
    coverage: tuple[Coverage, ...] = ()
    evictions: EvictionReport | None = None
    story: tuple[str, ...] | None = None
    story_order: StoryOrder = StoryOrder.INDEPENDENT
    cluster: str = ""


class Problem(Struct, frozen=True):
    """Something that could not be read (exit 3); `is_line` where it is one line of a script, which is not judged.

    `kind` is the kind of which a cluster did not show all objects, "" where something else is wrong.
    """

    message: str
    location: Location | None = None
    is_line: bool = False
    kind: str = ""


class SkippedCheck(Struct, frozen=True, gc=False):
    """Something that was not judged, and why."""

    what: str
    why: str


class CheckedCounts(Struct, frozen=True, gc=False):
    """What was looked at: counts. `nodes` are all nodes known, `pairs` the pairs of DaemonSet and node that were judged."""

    files: int = 0
    objects: int = 0
    daemonsets: int = 0
    nodes: int = 0
    pairs: int = 0


class ExplanationLink(Struct, frozen=True, gc=False):
    """A link of the chain that explains one DaemonSet on one node (`--why`): a heading and a sentence; `step` as in a finding."""

    step: int
    heading: str
    text: str


class RuleInfo(Struct, frozen=True, gc=False):
    """What a report says of a rule.

    `summary` is its one line, without a full stop, and `explanation` the text of `preflight explain`. `is_fixable`: `preflight fix` knows
    an edit for what it finds.
    """

    id: str
    name: str
    severity: Severity
    summary: str
    explanation: str
    is_fixable: bool = False


class ClusterIdentity(Struct, frozen=True, gc=False):
    """The cluster that was asked: the names of its context and its server, and the server's version; "" where not known."""

    context: str
    server: str
    version: str = ""


class FixCommand(Struct, frozen=True):
    """What `preflight fix` would be given: the paths of the manifests, and the change as lines or as a plan file; neither in lint."""

    paths: tuple[str, ...]
    lines: tuple[str, ...] = ()
    plan: str = ""


class NextCommands(Struct, frozen=True):
    """The commands that a person would type next.

    1. `fix` is None where its paths cannot be read again, or are no files.
    2. `kubectl` are the lines of the change without a program's name, () where they are not kubectl's.
    3. `sources` are the paths of `--from`, () where the run read a cluster, or what cannot be read again.
    """

    fix: FixCommand | None = None
    kubectl: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()


class Report(Struct, frozen=True):
    """The result of a run.

    1. `steps` is empty for lint with no nodes known; lint with nodes has one step without a command.
    2. `why` is the chain of one DaemonSet on one node, where it was asked for.
    3. `rules` are those that have findings, exempted ones included, sorted by id.
    4. `cluster` is the one that was asked, or that a snapshot is of; None where files were the world.
    5. `tolerations` has each DaemonSet of the run with its tolerations.
    6. `next` are the commands that come after this one.
    """

    preflight: str
    command: str
    steps: tuple[ReportStep, ...]
    judged: CheckedCounts
    assumptions: tuple[str, ...]
    skipped: tuple[SkippedCheck, ...]
    problems: tuple[Problem, ...]
    findings: tuple[Finding, ...]
    exit: int
    why: tuple[ExplanationLink, ...] = ()
    rules: tuple[RuleInfo, ...] = ()
    cluster: ClusterIdentity | None = None
    tolerations: tuple[DaemonSetTolerations, ...] = ()
    next: NextCommands = NextCommands()
