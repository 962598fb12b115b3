"""What a run is about and how it is judged, and what was read for it; every function of the engine starts here."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from functools import cached_property
from typing import TYPE_CHECKING, BinaryIO

from msgspec import Struct
from msgspec.structs import replace

from preflight.engine.asked_cluster import format_request_summary
from preflight.engine.unlisted_kinds import list_unlisted_problems
from preflight.engine.unreadable_input import UnreadableInputError
from preflight.errors import InputError, UsageError
from preflight.load import LoadResult
from preflight.load.files import STDIN
from preflight.load.inputs import Files, Input, Live, LoadOptions, OpenInput, list_paths, open_input
from preflight.messages import run as messages
from preflight.messages.load import describe_empty_input
from preflight.model.exclusion import NOTHING_EXCLUDED, Exclusion
from preflight.model.meta import Origin
from preflight.model.releases import parse_version
from preflight.model.report import Problem, Severity
from preflight.model.versions import VersionOptions
from preflight.model.world import ClusterState
from preflight.policy.evaluate import PolicyOptions
from preflight.policy.matching import ExemptibleObject
from preflight.rules.team_convention import TeamConvention

if TYPE_CHECKING:
    from preflight.load.live.planner import ClusterQuery


class Options(Struct, frozen=True):
    """How a run is judged.

    1. `fail_on` is the least severity that makes the exit code 1.
    2. `allow_empty`: nothing to judge is no fault, and in lint a chart's template that is named is none either. `strict`: an unknown pair
       is a fault in lint too. `exit_zero`: findings are none.
    3. `versions` is what is said of the versions of Kubernetes; that of a policy is added by `Session.versions`.
    4. `why` asks for the chain of one pair, as `DAEMONSET/NODE`; the DaemonSet's namespace may stand before it. Or of one ordinary pod that
       may have to go, as `NAMESPACE/POD`.
    5. `exclusion` is what is left out where folders are read.
    """

    fail_on: Severity = Severity.ERROR
    allow_empty: bool = False
    strict: bool = False
    exit_zero: bool = False
    versions: VersionOptions = VersionOptions()
    why: str = ""
    exclusion: Exclusion = NOTHING_EXCLUDED


class Session(Struct, frozen=True):
    """What a run is about and how it is judged.

    A session holds nothing that was read, so it can be used again, and by several threads at the same time.

    1. `input` is the cluster: files, a snapshot, or a live cluster.
    2. `policy` are the policy, the exemptions and the baseline that findings are held to.
    3. `stdin` is what the path `-` reads; it can be read once.
    """

    input: Input = Files()
    options: Options = Options()
    policy: PolicyOptions = PolicyOptions()
    stdin: BinaryIO | None = None

    @property
    def exclusion(self) -> Exclusion:
        """What the options and the policy leave out where folders are read."""
        given, stated = self.options.exclusion, self.policy.policy.excluded
        return replace(given, globs=(*given.globs, *stated)) if stated else given

    @property
    def versions(self) -> VersionOptions:
        """What the options and the policy say of the versions of Kubernetes."""
        stated = self.policy.policy.kubernetes_version
        return replace(self.options.versions, policy=parse_version(stated)) if stated else self.options.versions


class PodDetail(Enum):
    """How much of listed pods a run reads: what coverage needs, some of the pods as a whole, all of them, or also how things are now."""

    COVERAGE = "coverage"
    SOME_WHOLE_PODS = "some whole pods"
    WHOLE_PODS = "whole pods"
    RUNTIME_STATE = "runtime state"


class LoadedInputs(Struct, frozen=True, dict=True):
    """What was read for a session.

    1. `loaded` is the input itself, with what the policy states of it. `others` are files that commands name, the sides of a comparison, or
       an earlier state of the same cluster.
    2. `is_lint`: manifests are judged, without a change.
    3. `problems` are what could not be read. `request_summary` tells what a cluster was asked, "" where none was.
    4. `listed_state` is the cluster that the report names, where that is not the input.
    """

    session: Session
    loaded: LoadResult
    is_lint: bool = False
    problems: tuple[Problem, ...] = ()
    others: tuple[LoadResult, ...] = ()
    convention: TeamConvention = TeamConvention()
    request_summary: str = ""
    listed_state: ClusterState | None = None

    @property
    def options(self) -> Options:
        """How the run is judged."""
        return self.session.options

    @property
    def paths(self) -> tuple[str, ...]:
        """What a person named."""
        return list_paths(self.session.input)

    @property
    def world(self) -> ClusterState:
        """The cluster state of the input."""
        return self.loaded.world

    @property
    def every(self) -> tuple[LoadResult, ...]:
        """The input, then the others."""
        return (self.loaded, *self.others)

    @cached_property
    def objects(self) -> Mapping[Origin, ExemptibleObject]:
        """The objects that findings may be about, by their origin."""
        worlds = [read.world for read in self.every]
        of_worlds = (item for world in worlds for item in (*world.workloads, *world.custom_resources, *world.job_sets, *world.budgets))
        given = (*of_worlds, *(item for read in self.every for item in (*read.nodes, *read.given_objects)))
        return {item.origin: item for item in given if isinstance(item, ExemptibleObject)}

    def list_empty_problem(self, message: str) -> tuple[Problem, ...]:
        """That there is nothing to judge, as a problem; none where the options allow it."""
        return () if self.options.allow_empty else (Problem(message),)


def load_inputs(session: Session, detail: PodDetail = PodDetail.COVERAGE, *, query: ClusterQuery | None = None) -> LoadedInputs:
    """Read the input of a session as one cluster; `query` is what a live one is asked for, None for everything."""
    with open_input(session.input, make_load_options(session, detail), stdin=session.stdin, query=query) as opened:
        return make_inputs(session, opened)


def make_load_options(session: Session, detail: PodDetail = PodDetail.COVERAGE) -> LoadOptions:
    """How the input of a session is read as one cluster."""
    return LoadOptions(
        one_cluster=True,
        versions=session.versions,
        exclusion=session.exclusion,
        wants_whole_pods=detail is PodDetail.WHOLE_PODS,
        wants_pod_texts=detail is PodDetail.SOME_WHOLE_PODS,
        wants_state=detail is PodDetail.RUNTIME_STATE,
    )


def make_inputs(session: Session, opened: OpenInput, *, is_lint: bool = False) -> LoadedInputs:
    """What was read, with what the policy says of it. Errors: InputError where files were to be read, and hold nothing."""
    _check_not_empty(session, opened.loaded, is_lint=is_lint)
    convention = TeamConvention()
    if session.policy.policy.layers:
        from preflight.policy.apply_to_world import make_convention

        convention = make_convention(session.policy.policy)
    return LoadedInputs(
        session,
        apply_session_policy(session, opened.loaded),
        is_lint,
        problems=(*opened.loaded.problems, *list_unlisted_problems(opened.loaded.world)),
        convention=convention,
        request_summary=format_request_summary(opened.connection),
    )


def _check_not_empty(session: Session, loaded: LoadResult, *, is_lint: bool) -> None:
    """Refuse files that hold nothing: a path that was mistyped, or a pipe whose first program failed.

    1. Each path of a cluster state has to hold something. What lint checks may be empty here and there: hooks name whatever was changed.
    2. Where nothing could be read, the only answer is why. Lint reports that itself, for the machines that read its report.
    """
    paths = list_paths(session.input)
    surroundings = session.input.context_paths if isinstance(session.input, Files) else ()
    empty = [path for path in loaded.empty_paths if not is_lint or path in surroundings]
    if empty and not session.options.allow_empty:
        raise InputError(describe_empty_input(empty, ()))
    if is_lint or loaded.objects or not (paths or surroundings) or isinstance(session.input, Live):
        return
    if loaded.problems:
        raise UnreadableInputError(loaded.problems)
    if not session.options.allow_empty:
        raise InputError(describe_empty_input((*paths, *surroundings), [(check.what, check.why) for check in loaded.skipped]))


def apply_session_policy(session: Session, loaded: LoadResult) -> LoadResult:
    """What was read, with what the policy of a session states of it."""
    policy = session.policy.policy
    if not policy.layers:
        return loaded
    from preflight.policy.apply_to_world import apply_policy

    return replace(loaded, world=apply_policy(policy, loaded.world))


def check_stdin_once(*paths: str) -> None:
    """Refuse to read standard input twice. Errors: UsageError."""
    if paths.count(STDIN) > 1:
        raise UsageError(messages.STDIN_TWICE)
