"""What a pod failure policy makes of a failed pod: the first rule that matches it counts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from msgspec import Struct

from preflight.model.batch import OnExitCodes, PodFailurePolicy, PodFailurePolicyRule

COUNT, IGNORE, FAIL_JOB, FAIL_INDEX = "Count", "Ignore", "FailJob", "FailIndex"
DISRUPTION_TARGET = "DisruptionTarget"


class PodFailure(Struct, frozen=True):
    """What is left of a failed pod.

    1. `exit_codes` are those of its containers that have ended, init containers after the others; empty where none ever ran.
    2. `conditions` are its conditions, each with its status.
    """

    exit_codes: Mapping[str, int] = {}
    conditions: Mapping[str, str] = {}


class FailureVerdict(Struct, frozen=True):
    """What becomes of a failure: the place of the rule that matches first, and its action; None and Count where none does.

    `container` and `exit_code` are what a rule on exit codes met.
    """

    rule_index: int | None = None
    action: str = COUNT
    container: str = ""
    exit_code: int | None = None

    @property
    def is_counted(self) -> bool:
        """Whether it is counted against backoffLimit, and against backoffLimitPerIndex."""
        return self.action != IGNORE


def match_failure_policy(policy: PodFailurePolicy | None, failure: PodFailure) -> FailureVerdict:
    """What a policy makes of a failed pod.

    1. The rules are asked in order, and the first that matches counts. Without a policy, or a match, the failure is counted.
    2. A rule on exit codes matches where one container that it means ended with a code other than 0 that it lists (In) or does not list
       (NotIn). A container that has not ended matches nothing.
    3. A rule on conditions matches where the pod has one of its conditions with that very status.
    4. A rule with an action of none of the four is passed over.

    The policy has its defaults (`defaulted`). Source: `pkg/controller/job/pod_failure_policy.go`, matchPodFailurePolicy.
    """
    for place, rule in enumerate(policy.rules if policy else ()):
        if rule.action not in (COUNT, IGNORE, FAIL_JOB, FAIL_INDEX):
            continue
        if rule.onExitCodes is not None:
            for container, code in failure.exit_codes.items():
                if _meets_requirement(rule.onExitCodes, container, code):
                    return FailureVerdict(place, rule.action, container, code)
        elif any(failure.conditions.get(condition.type) == condition.status for condition in rule.onPodConditions):
            return FailureVerdict(place, rule.action)
    return FailureVerdict()


def _meets_requirement(requirement: OnExitCodes, container: str, code: int) -> bool:
    if requirement.containerName not in (None, container) or code == 0:
        return False
    return requirement.operator in ("In", "NotIn") and (code in requirement.values) is (requirement.operator == "In")


def make_disruption_failure(containers: Iterable[str], exit_code: int) -> PodFailure:
    """A pod that a disruption ended, all of its containers with one exit code, and that bears the condition of it."""
    return PodFailure(dict.fromkeys(containers, exit_code), {DISRUPTION_TARGET: "True", "Ready": "False", "ContainersReady": "False"})


class ExitCodes(Struct, frozen=True):
    """A set of exit codes: those listed, or all but those listed; 0 is never in it."""

    listed: frozenset[int]
    is_complement: bool = False

    def __or__(self, other: ExitCodes) -> ExitCodes:
        if self.is_complement and other.is_complement:
            return ExitCodes(self.listed & other.listed, is_complement=True)
        if self.is_complement:
            return ExitCodes(self.listed - other.listed, is_complement=True)
        return ExitCodes(other.listed - self.listed, is_complement=True) if other.is_complement else ExitCodes(self.listed | other.listed)

    def __le__(self, other: ExitCodes) -> bool:
        """Whether every code of this set is in the other one."""
        if self.is_complement:
            return other.is_complement and other.listed <= self.listed
        return self.listed.isdisjoint(other.listed) if other.is_complement else self.listed <= other.listed


def collect_exit_codes(requirement: OnExitCodes) -> ExitCodes:
    """The exit codes that a requirement means."""
    return ExitCodes(frozenset(requirement.values) | ({0} if requirement.operator == "NotIn" else set()), requirement.operator == "NotIn")


def find_shadowing_rules(rules: Sequence[PodFailurePolicyRule], rule_index: int, containers: Sequence[str]) -> tuple[int, ...]:
    """The earlier rules that between them match every pod that a rule matches, so that it never counts; () where there are none.

    1. A rule on conditions is shadowed by earlier ones on conditions that list each of its own.
    2. A rule on exit codes is shadowed by earlier ones that mean its container, or any, and list each of its codes. In a pod of one
       container that one is any.
    3. Rules of different kinds never shadow one another: which codes go with which conditions nobody knows.
    """
    rule = rules[rule_index]
    earlier = [number for number, other in enumerate(rules[:rule_index]) if (other.onExitCodes is None) == (rule.onExitCodes is None)]
    if rule.onExitCodes is None:
        conditions = set(rule.onPodConditions)
        return _find_covering_rules(
            earlier,
            lambda numbers: conditions <= {condition for number in numbers for condition in rules[number].onPodConditions},
        )
    wanted, name = collect_exit_codes(rule.onExitCodes), _find_single_container(rule.onExitCodes, containers)
    means = {
        number: exit_codes
        for number in earlier
        if (exit_codes := rules[number].onExitCodes) and _find_single_container(exit_codes, containers) in (None, name)
    }

    def covered(numbers: Sequence[int]) -> bool:
        codes = ExitCodes(frozenset())
        for number in numbers:
            codes |= collect_exit_codes(means[number])
        return wanted <= codes

    return _find_covering_rules(tuple(means), covered)


def _find_covering_rules(earlier: Sequence[int], are_covered: Callable[[Sequence[int]], bool]) -> tuple[int, ...]:
    """The one earlier rule that covers all, or as many of them from the first on as it takes."""
    if not earlier or not are_covered(earlier):
        return ()
    one = next(((number,) for number in earlier if are_covered((number,))), None)
    return one or next(tuple(earlier[:many]) for many in range(2, len(earlier) + 1) if are_covered(earlier[:many]))


def _find_single_container(requirement: OnExitCodes, containers: Sequence[str]) -> str | None:
    """The one container that is meant; None where it is any, or the only one that there is."""
    return None if tuple(containers) == (requirement.containerName,) else requirement.containerName
