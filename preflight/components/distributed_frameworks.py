"""What shows that the pods of a Job work together: settings, launchers and images of frameworks for distributed work."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase

from preflight.components.container_commands import CommandProgram, LocatedText, parse_command_flags, parse_programs
from preflight.model.batch import JobContainer
from preflight.model.job_reasons import TeamSign, TeamSignKind

_ADDRESSES = (
    *("TF_CONFIG", "JAX_COORDINATOR_ADDRESS", "COORDINATOR_ADDRESS", "MEGASCALE_COORDINATOR_ADDRESS", "TPU_WORKER_HOSTNAMES"),
    *("MASTER_ADDR", "PET_MASTER_ADDR", "PET_RDZV_ENDPOINT", "HOROVOD_GLOO_RENDEZVOUS_ADDR", "DMLC_PS_ROOT_URI"),
)
"""Variables that name another pod, or all of them; frameworks read them as they start."""

_NUMBERS = ("JAX_NUM_PROCESSES", "JAX_PROCESS_ID", "MASTER_PORT", "PET_MASTER_PORT", "PET_NNODES", "WORLD_SIZE", "HOROVOD_SIZE")
"""Variables that only count or number what works together: beside an address of the own machine they mean its processes."""

_COUNTS = frozenset(("JAX_NUM_PROCESSES", "PET_NNODES", "WORLD_SIZE", "HOROVOD_SIZE"))
"""Those of them of which 1 is a pod by itself."""

_SET_IN_SCRIPT = re.compile(rf"(?<![\w$])({'|'.join((*_ADDRESSES, *_NUMBERS))})=([\"']?)([^\s;&|\"']*)")

_LAUNCHERS = ("torchrun", "accelerate launch", "deepspeed", "mpirun", "mpiexec", "horovodrun")
_MODULES = ("torch.distributed.run", "torch.distributed.launch", "accelerate.commands.launch")
_PEER_FLAGS = (
    *("master_addr", "master-addr", "rdzv_endpoint", "rdzv-endpoint", "main_process_ip", "node_rank", "node-rank", "machine_rank"),
    *("hostfile", "host", "hosts", "h"),
)
_COUNT_FLAGS = ("nnodes", "num_machines", "num_nodes")

_IMAGES = (
    *("nvcr.io/nvidia/pytorch", "nvcr.io/nvidia/nemo", "nvcr.io/nvidia/jax", "nvcr.io/nvidia/tensorflow"),
    *("ghcr.io/nvidia/jax", "ghcr.io/nvidia/jax-toolbox*", "*horovod/horovod", "*mosaicml/llm-foundry", "*deepspeed/deepspeed"),
)
"""Images that are for distributed training; `pytorch/pytorch` and the like run anything, and need a launcher or a setting."""

_LOCAL = frozenset(("localhost", "127.0.0.1", "::1", "0.0.0.0"))


def find_team_sign(containers: Sequence[JobContainer]) -> TeamSign | None:
    """The strongest sign that the pods of a template work together; None where nothing shows it.

    1. A variable that says where the others are, or how many; in `env` or set in a shell script. One machine is none.
    2. A launcher whose flags speak of other machines.
    3. A launcher whose flags leave that open, since the environment or a file may say it; then the image. One told to stay on its machine
       (`--standalone`, `--nnodes=1`) is none.
    """
    found = [sign for container in containers for sign in _iter_signs(container)]
    order = list(TeamSignKind)
    return min(found, key=lambda sign: order.index(sign.kind), default=None)


def _iter_signs(container: JobContainer) -> Iterator[TeamSign]:
    texts = [*map(str, container.command), *map(str, container.args)]
    for name in _select_telling_variables(_list_variables(container, texts)):
        yield TeamSign(TeamSignKind.VARIABLE, name)
    words = [LocatedText(text, ()) for text in texts]
    flags = parse_command_flags(words)
    is_alone = False
    for program in parse_programs(words, has_command=bool(words)):  # an image's entry point often starts its first argument
        name = _find_launcher(program, texts)
        if name and _is_single(flags):
            is_alone = True
        elif name:
            kind = TeamSignKind.LAUNCHER_OF_PEERS if _names_peers(flags) else TeamSignKind.LAUNCHER
            yield TeamSign(kind, name)
    image = container.image.partition("@")[0]
    path = image.rpartition(":")[0] if ":" in image.rpartition("/")[2] else image
    if not is_alone and any(fnmatchcase(path.lower(), pattern) for pattern in _IMAGES):
        yield TeamSign(TeamSignKind.IMAGE, path)


def _list_variables(container: JobContainer, texts: Sequence[str]) -> Iterator[tuple[str, str | None]]:
    """The variables that are set in the manifest or in a script, each with its value; None where it is filled in later."""
    for variable in container.env:
        yield variable.name, None if variable.value is None else str(variable.value)
    for match in (match for text in texts for match in _SET_IN_SCRIPT.finditer(text)):
        yield match[1], match[3]


def _select_telling_variables(variables: Iterable[tuple[str, str | None]]) -> list[str]:
    """The variables that show that there are others."""
    given = list(variables)
    addresses = [(name, value is not None and _is_local(value)) for name, value in given if name in _ADDRESSES and value != ""]
    if addresses:
        return [name for name, is_local in addresses if not is_local]
    return [name for name, value in given if name in _NUMBERS and value != "" and not (name in _COUNTS and value == "1")]


def _is_local(address: str) -> bool:
    """Whether an address, with or without a port, is the own machine."""
    return address in _LOCAL or address.removeprefix("[").partition("]")[0] in _LOCAL or address.partition(":")[0] in _LOCAL


def _find_launcher(program: CommandProgram, texts: Sequence[str]) -> str:
    """The launcher that a program is, "" for any other."""
    for name in program.candidate_names:
        if name in _LAUNCHERS:
            return name
    if re.fullmatch(r"python[\d.]*", program.name):
        return next((module for module in _MODULES if any(re.search(rf"(?:^|\s){re.escape(module)}(?:\s|$)", text) for text in texts)), "")
    return ""


def _is_single(flags: Mapping[str, Sequence[LocatedText]]) -> bool:
    """Whether a launcher is told to stay on its machine."""
    return "standalone" in flags or any(flags[name][-1].text in ("1", "1:1") for name in _COUNT_FLAGS if name in flags)


def _names_peers(flags: Mapping[str, Sequence[LocatedText]]) -> bool:
    """Whether its flags speak of other machines."""
    if any(name in flags for name in _COUNT_FLAGS):
        return True
    return any(not _is_local(flags[name][-1].text) for name in _PEER_FLAGS if name in flags)
