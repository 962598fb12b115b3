"""The help pages of the commands with which the program documents itself, and of the program."""

from __future__ import annotations

from collections.abc import Mapping

from preflight.messages.help.model import HelpPage

_POLICY = "A policy file, or a pack: baseline, default, strict, gpu-rdma."

PAGES: Mapping[str, HelpPage] = {
    "": HelpPage(
        "Show what will silently stop working before a change reaches a Kubernetes cluster",
        ("COMMAND [ARGUMENTS] [OPTIONS]",),
        ("Type the kubectl command that you are about to run, with preflight in place of kubectl. Nothing is changed in the cluster.",),
        (),
        (
            ("Taint a node of the current context", "preflight taint nodes gpu-1 dedicated=rdma:NoSchedule"),
            ("Check the manifests of a repository", "preflight lint manifests/"),
            ("Diagnose the cluster of the current context", "preflight doctor"),
        ),
    ),
    "explain": HelpPage(
        "Explain why a rule matters and how to fix its findings",
        ("RULE",),
        (),
        (("RULE", "An id (PF102) or a name (lost-on-recreation); `preflight rules` lists them."),),
        (("By id", "preflight explain PF102"), ("By name", "preflight explain lost-on-recreation")),
    ),
    "rules": HelpPage(
        "List all rules, with their severity and what they find",
        ("[OPTIONS]",),
        (),
        (),
        (("List the rules", "preflight rules"), ("Print them as a page", "preflight rules --markdown")),
    ),
    "rbac": HelpPage(
        "Print the smallest ClusterRole that preflight needs",
        ("[OPTIONS]",),
        (
            "The role lists objects and changes nothing. Bind it to a user:\n"
            "kubectl create clusterrolebinding preflight --clusterrole=preflight --user=NAME",
        ),
        (),
        (
            ("Create the role", "preflight rbac | kubectl apply -f -"),
            ("Print the role for nodes, DaemonSets and pods only", "preflight rbac --coverage"),
        ),
    ),
    "policy": HelpPage(
        "Check and print policy files",
        ("COMMAND [ARGUMENTS]",),
        ("A policy sets severities, taints, node pools, required tolerations, components and exemptions.",),
        (),
        (("Check a policy", "preflight policy check .preflight.yaml"), ("Print what applies in the end", "preflight policy show strict")),
    ),
    "policy schema": HelpPage(
        "Print the JSON Schema of a policy, for editors",
        ("",),
        (),
        (),
        (
            ("Print the schema", "preflight policy schema"),
            ("Save it for an editor", "preflight policy schema > preflight-policy.schema.json"),
        ),
    ),
    "policy check": HelpPage(
        "Check policies, and report every fault with its line (exit code 2)",
        ("[FILE|NAME]...",),
        (),
        (("FILE|NAME", f"{_POLICY} Default: the .preflight.yaml of this folder or one above."),),
        (("Check a file", "preflight policy check .preflight.yaml"), ("Check a pack", "preflight policy check strict")),
    ),
    "policy show": HelpPage(
        "Print what applies in the end, each value with its file and line",
        ("[FILE|NAME]",),
        (),
        (("FILE|NAME", f"{_POLICY} Default: the .preflight.yaml of this folder or one above, else the pack default."),),
        (("Print a file with what it extends", "preflight policy show .preflight.yaml"), ("Print a pack", "preflight policy show strict")),
    ),
    "completion": HelpPage(
        "Print the completion script of bash, zsh or fish",
        ("bash|zsh|fish",),
        (
            "The script completes commands, options, contexts, namespaces, nodes, DaemonSets, rules, policy packs, taint effects and "
            "formats. Names come from --from, or from the cluster of the context if it answers in time.",
            "kubectl change-preflight needs no script: kubectl completes its plugins.",
        ),
        (),
        (
            ("Load it into the current bash", "source <(preflight completion bash)"),
            ("Load it into every new bash (4.1 or later)", "echo 'source <(preflight completion bash)' >>~/.bashrc"),
            ("Load it into every new zsh", "echo 'autoload -Uz compinit && compinit && source <(preflight completion zsh)' >>~/.zshrc"),
            ("Load it into every new fish", "preflight completion fish >~/.config/fish/completions/preflight.fish"),
        ),
    ),
}
