"""The taints that GKE puts on nodes by itself: Arm, GPUs, TPUs, Windows and GKE Sandbox.

Source: GKE how-to `prepare-arm-workloads-for-deployment` (all Arm nodes, unless `taintConfig.architectureTaintBehavior` is NONE), `gpus` (a
GPU pool in a cluster that has another pool), `tpus` (TPU slice nodes), `creating-a-cluster-windows`, `sandbox-pods`; machine families are
those of Compute Engine. All of them follow from fields of the pool; an accelerator pool that is the only one of its cluster has no taint.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from preflight.load.pools.builder import PoolBuilder, list_entries
from preflight.load.pools.taint_formats import to_text
from preflight.model.core import Taint

ARM = Taint("kubernetes.io/arch", "arm64", "NoSchedule")
GPU = Taint("nvidia.com/gpu", "present", "NoSchedule")
TPU = Taint("google.com/tpu", "present", "NoSchedule")
WINDOWS = Taint("node.kubernetes.io/os", "windows", "NoSchedule")
SANDBOX = Taint("sandbox.gke.io/runtime", "gvisor", "NoSchedule")

_ARM_TYPES = re.compile(r"(t2a|c4a|n4a|a4x)(-|$)", re.ASCII)
_GPU_TYPES = re.compile(r"(a2|a3|a4|a4x|g2|g4)(-|$)", re.ASCII)
_TPU_TYPES = re.compile(r"(ct\d+[a-z]*|tpu\d+[a-z]*)-", re.ASCII)


def is_arm(machine_type: str) -> bool:
    """Whether machines of a type are Arm."""
    return _ARM_TYPES.match(machine_type) is not None


def iter_automatic_taints(draft: PoolBuilder, *config: str) -> Iterator[Taint]:
    """The taints that GKE adds to the nodes of a pool whose configuration stands at a path."""
    machine_type = draft.get_text(*config, "machineType")
    if is_arm(machine_type) and draft.get_text(*config, "taintConfig", "architectureTaintBehavior").upper() != "NONE":
        yield ARM
    if _GPU_TYPES.match(machine_type) or any(_is_given(entry) for _, entry in list_entries(draft.entry, *config, "guestAccelerator")):
        yield GPU
    if _TPU_TYPES.match(machine_type):
        yield TPU
    if draft.get_text(*config, "imageType").upper().startswith("WINDOWS"):
        yield WINDOWS
    if "gvisor" in (
        draft.get_text(*config, "sandboxConfig", "sandboxType").lower(),
        draft.get_text(*config, "sandboxConfig", "type").lower(),
    ):
        yield SANDBOX


def _is_given(accelerator: dict[str, object]) -> bool:
    """Whether an accelerator is there: one of which there are 0 is none."""
    return to_text(accelerator.get("count")) != "0"
