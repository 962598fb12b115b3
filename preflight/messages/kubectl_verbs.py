"""What preflight does in place of the kubectl commands that it does not check."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

_CHECK_FILE = "check the manifest with `preflight apply -f FILE` before it is applied"
_BROKEN = "`preflight doctor` shows what is broken in a cluster, and why"
_ROOM = "`preflight capacity --like deploy/NAME` shows how many more of its pods fit, and where"
_CONTEXT = "preflight reads the kubeconfig: choose the cluster with --context"
_RIGHTS = "`preflight rbac` prints the role that preflight needs"
_HELP = "`preflight --help` lists the commands"

KUBECTL_COMMANDS: Mapping[str, str] = {
    "annotate": "it does not check annotations; `preflight label` checks labels",
    "api-resources": _RIGHTS,
    "api-versions": _RIGHTS,
    "attach": "",
    "auth": _RIGHTS,
    "autoscale": _ROOM,
    "certificate": "",
    "cluster-info": _CONTEXT,
    "completion": "",
    "config": _CONTEXT,
    "cp": "",
    "create": _CHECK_FILE,
    "debug": "",
    "describe": "`preflight doctor --node NODE` and `preflight doctor --pod NAMESPACE/POD` explain one node or pod",
    "diff": "",
    "edit": "save the edited manifest, and check it with `preflight apply -f FILE`",
    "events": _BROKEN,
    "exec": "",
    "explain": "`preflight explain RULE` explains a rule",
    "expose": "",
    "get": f"it reads the cluster itself: {_BROKEN}; `preflight components` what each DaemonSet provides",
    "help": _HELP,
    "kustomize": "pipe what it prints into `preflight lint -`",
    "logs": _BROKEN,
    "options": _HELP,
    "plugin": "",
    "port-forward": "",
    "proxy": "",
    "run": _CHECK_FILE,
    "scale": _ROOM,
    "top": "`preflight capacity` counts what pods request and what is left; it does not measure usage",
    "version": "`preflight --version` prints the version",
    "wait": "`preflight verify SNAPSHOT` shows what a change left behind",
}
"""kubectl's other commands, each with what preflight does instead, "" where that is nothing."""


def describe_other_command(command: str, verbs: Sequence[str]) -> str:
    """A command of kubectl that preflight does not check, and what to type instead."""
    instead = KUBECTL_COMMANDS[command] or f"it checks {', '.join(verbs)}"
    return f"preflight does not check `kubectl {command}`: {instead}"
