"""The evidence by which a component was recognized."""

from __future__ import annotations

from preflight.model.declaration import Declaration


def describe_variable(name: str) -> str:
    """A variable of a container."""
    return f"has the environment variable {name}"


REGISTRATION_FLAG = "registers a CSI driver (--kubelet-registration-path)"


def describe_registrar(program: str) -> str:
    """A program that registers a CSI driver."""
    return f"registers a CSI driver ({program})"


def describe_registrar_image(image: str) -> str:
    """An image that registers a CSI driver."""
    return f"registers a CSI driver (image {image})"


def describe_registrar_container(container: str) -> str:
    """A container that registers a CSI driver."""
    return f"registers a CSI driver (container {container})"


def describe_registration_folder(path: str) -> str:
    """A folder in which a CSI driver is registered."""
    return f"registers a CSI driver in {path}"


def describe_own_taint(driver: str, taint: str) -> str:
    """A driver that removes its startup taint."""
    return f"the driver {driver} removes {taint}"


def describe_registry(path: str) -> str:
    """A folder in which a driver is registered."""
    return f"registers in {path}"


def describe_network_files(what: str, path: str) -> str:
    """Files of a CNI plugin."""
    return f"writes {what} ({path})"


def describe_kube_proxy(flag: str) -> str:
    """A kube-proxy by a flag."""
    return f"is configured as kube-proxy (--{flag})"


COREFILE = "serves DNS from a Corefile (-conf)"
NETWORK_CONFIGURATIONS = "network configurations"
NETWORK_PLUGINS = "network plugins"


def describe_feature_folder(path: str) -> str:
    """A folder of node features."""
    return f"writes node features ({path})"


def describe_secrets_folder(path: str) -> str:
    """A folder of a provider of secrets."""
    return f"provides secrets in {path}"


def describe_driver_folder(path: str) -> str:
    """A folder of drivers."""
    return f"installs drivers in {path}"


def describe_toolkit_folder(path: str) -> str:
    """The folder of a container toolkit."""
    return f"sets up the container runtime for devices in {path}"


def describe_check_folder(path: str) -> str:
    """A folder of the results of checks."""
    return f"writes the results of checks to {path}, then waits"


INSTALLS_THEN_WAITS = "installs device software, then waits"


def describe_module_loader(program: str) -> str:
    """A program that loads modules."""
    return f"loads kernel modules for devices ({program})"


CLOUD_CONTROLLER = "is configured for a cloud and tolerates uninitialized nodes"
LABELS_NODES = "runs kubectl label node"
REMOVES_TAINT = "runs kubectl taint node to remove a taint"


def describe_startup_taint(name: str) -> str:
    """A flag or variable that names a startup taint."""
    return f"is configured with a startup taint ({name})"


def describe_log_reader(evidence: str) -> str:
    """A program that can read logs."""
    return f"{evidence}, which can read logs"


NODE_LABEL_SCRIPT = "runs a script that is named after node labels"
READS_LOGS = "reads pod logs"


def describe_name(name: str) -> str:
    """The name of a container."""
    return f"is named {name}"


def describe_flag(flag: str) -> str:
    """A flag of a container."""
    return f"has the flag --{flag}"


READS_NODE_STATE = "has a metrics port and reads the state of the node"
SETS_UP_NODE = "sets up the node in a privileged init container, then waits"
ONLY_PULLS = "pulls an image and runs nothing"
CHANGES_NODE = "changes the node with nsenter or sysctl"
ON_BY_DEFAULT = " on by default"


def describe_setting(evidence: str, setting: str, how: str) -> str:
    """A program with a setting."""
    return f"{evidence}, with {setting}{how}"


def describe_declaration(declaration: Declaration) -> str:
    """That an operator makes a DaemonSet of a custom resource."""
    return f"{declaration.kind} {declaration.name} declares it ({declaration.operator})"
