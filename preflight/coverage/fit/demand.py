"""Whether what a change has DaemonSets create depends on pods that were not listed."""

from __future__ import annotations

from preflight.coverage.model import Impact
from preflight.model.core import PodSpec
from preflight.model.fit_reasons import FitVerdict
from preflight.model.uncertainty import Uncertainty, UncertaintyKind
from preflight.scheduling.ports import list_host_ports
from preflight.scheduling.quantities import QuantityError
from preflight.scheduling.requests import Amounts, sum_pod_requests


def depends_on_other_pods(impact: Impact) -> bool:
    """Whether some new pod asks for something that the pod before it did not have, and not all pods of its node are known.

    A pod that asks for what the one before it had finds that free again.
    """
    unlisted = Uncertainty(UncertaintyKind.PODS)
    for key, fits in impact.pod_fits.items():
        before, after = impact.change.before.daemonsets.get(key), impact.change.after.daemonsets.get(key)
        if after is None or not any(fit.verdict is FitVerdict.NOT_JUDGED and unlisted in fit.uncertainties for fit in fits.values()):
            continue
        gained = any(group.key == key and not group.forecast.had_pod and not group.nodes.isdisjoint(fits) for group in impact.groups)
        if before is None or gained or _asks_for_more(before.spec.template.spec, after.spec.template.spec):
            return True
    return False


def _asks_for_more(old: PodSpec, new: PodSpec) -> bool:
    if not list_host_ports(new) <= list_host_ports(old):
        return True
    before, after = _sum_requests(old), _sum_requests(new)
    return before is None or after is None or any(amount > before.get(resource, 0) for resource, amount in after.items())


def _sum_requests(spec: PodSpec) -> Amounts | None:
    try:
        return sum_pod_requests(spec)
    except QuantityError:
        return None
