"""Exclusive placement of a JobSet: each child Job has a topology domain to itself, and its leader decides which."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct

from preflight.model.batch import JobSet, ReplicatedJob

EXCLUSIVE_TOPOLOGY = "alpha.jobset.sigs.k8s.io/exclusive-topology"
"""The annotation that asks for it; its value is the label whose values are the domains."""

NODE_SELECTOR_STRATEGY = "alpha.jobset.sigs.k8s.io/node-selector"
"""The annotation beside it with which there are no leaders: somebody has labelled the nodes for each child Job."""

LEADER_INDEX = 0
"""The completion index of a child Job's leader."""


def find_exclusive_topology(job_set: JobSet, replicated: ReplicatedJob) -> str:
    """The label of the domains of which each of these child Jobs has one to itself; "" where there are no leaders.

    1. The pods have the annotations of their own template, over these the JobSet's, over these those of the Job's template; the latter two
       bring NODE_SELECTOR only beside EXCLUSIVE.

    Source: JobSet `pkg/controllers/jobset_controller.go`, labelAndAnnotateObject.
    """
    found = dict(replicated.template.spec.template.metadata.annotations)
    for given in (job_set.metadata.annotations, replicated.template.metadata.annotations):
        if EXCLUSIVE_TOPOLOGY in given:
            found |= {key: value for key, value in given.items() if key in (EXCLUSIVE_TOPOLOGY, NODE_SELECTOR_STRATEGY)}
    return "" if NODE_SELECTOR_STRATEGY in found else found.get(EXCLUSIVE_TOPOLOGY, "")


class ExclusivePlacement(Struct, frozen=True):
    """What exclusive placement asks of pods of one child Job that are created anew.

    1. `has_leader`: its leader is among them. Until that one is scheduled every new follower is refused; the reason is the leader's.
    2. `followers` are the indexes of the others.
    3. `domain` is the value of the label `topology` that they are bound to: followers to the domain of their leader, a new leader to that
       of the pods that stay. None where no pod of the Job stays: then it is any domain that no other Job's pods are in.
    4. `is_refused`: the leader stays, but its node lacks the label, so every new follower is refused until it has it again.
    """

    topology: str
    has_leader: bool
    followers: tuple[int, ...]
    domain: str | None
    is_refused: bool = False


def find_exclusive_placement(
    topology: str, domains: Mapping[int, str | None], recreated_indexes: Sequence[int]
) -> ExclusivePlacement | None:
    """What exclusive placement asks of the pods of a child Job that are created anew; None without it, or where there are none.

    1. `domains` has the domain of each index that has a pod on a node: the value of that node's label, None where the node lacks it.
       `recreated_indexes` are the indexes whose pods are created anew.
    2. A leader has a required affinity to the pods of its own Job and one against those of others; a follower is given a nodeSelector with
       the value of its leader's node.
    3. A label that is taken from a node restarts nothing: the pods there stay. What it costs shows when a pod is created anew.

    Source: JobSet `pkg/webhooks/pod_mutating_webhook.go`, `pkg/webhooks/pod_admission_webhook.go`, `pkg/controllers/pod_controller.go`.
    """
    if not topology or not recreated_indexes:
        return None
    followers = tuple(sorted(index for index in recreated_indexes if index != LEADER_INDEX))
    if LEADER_INDEX in recreated_indexes:
        staying = (domain for index, domain in sorted(domains.items()) if index not in recreated_indexes)
        return ExclusivePlacement(topology, True, followers, next((domain for domain in staying if domain is not None), None))
    domain = domains.get(LEADER_INDEX)
    return ExclusivePlacement(topology, False, followers, domain, is_refused=LEADER_INDEX in domains and domain is None)


def list_follower_refusals(placement: ExclusivePlacement) -> tuple[str, ...]:
    """The words with which new followers are refused, a newer JobSet's first; () where they are not.

    They do not tell the reason: the leader is not scheduled, and why not is the leader's own reason.
    """
    if placement.is_refused:
        return (f"node does not have topology label: {placement.topology}",)
    if not placement.has_leader or not placement.followers:
        return ()
    return (
        f"follower pod node selector for topology domain not found. missing selector: {placement.topology}",
        "follower pod node selector not set",
        "leader pod not yet scheduled, not creating follower pod. this is an expected, transient error",
    )


def count_required_domains(job_set: JobSet) -> Mapping[str, int]:
    """How many domains of each label the child Jobs of a JobSet need between them, each one to itself, when all are created anew."""
    wanted: dict[str, int] = {}
    for replicated in job_set.spec.replicatedJobs:
        topology = find_exclusive_topology(job_set, replicated)
        if topology:
            wanted[topology] = wanted.get(topology, 0) + replicated.replicas
    return wanted
