"""Messages about reading git revisions."""

from __future__ import annotations

NO_GIT = "git is not installed"
NO_NAME = "a revision needs a name before the colon"
CONTROL_CHARACTER = "the name of a revision has no control characters"
AMBIGUOUS_NAME = "more than one object has that short name"
SUBMODULE_SKIPPED = "not read: give its own repository as a folder"
NO_CONTENT = "its content is not in this repository: a partial clone has to fetch it first (git fetch --refetch)"
_SHALLOW = "(a shallow clone has few commits: git fetch)"


def describe_broken_git(error: Exception) -> str:
    """That git cannot be started."""
    return f"git cannot be run: {error}"


def describe_exit(code: int) -> str:
    """That git fails without a message."""
    return f"git exited with code {code}"


def describe_unknown_revision(name: str) -> str:
    """That a repository has no such revision."""
    return f"the repository has no revision {name}"


def advise_fetch(reason: str) -> str:
    """Why there is no such revision, and that a shallow clone has few."""
    return f"{reason} {_SHALLOW}"


def describe_missing_path(revision: str, path: str) -> str:
    """That a revision has no such file or folder."""
    return f"{revision} has no {path}"


def describe_invalid_revision(name: str) -> str:
    """That a text can be no revision."""
    return f"{name!r} is not a revision"


def describe_unknown_commit(name: str) -> str:
    """That a repository has no such commit."""
    return f"the repository has no commit {name} {_SHALLOW}"


def describe_no_merge_base(base: str, head: str) -> str:
    """That two revisions have nothing known in common."""
    return f"{base} and {head} have no commit in common (a shallow clone has few commits: git fetch --unshallow)"


def describe_failed_merge_base(base: str, head: str, reason: str) -> str:
    """Why the commit where two revisions parted is not found."""
    return f"--merge-base of {base} and {head}: {reason}"


def describe_link(text: str) -> str:
    """That a path in a revision is a symbolic link."""
    return f"{text}: is a symbolic link: give its target"


def describe_submodule(text: str) -> str:
    """That a path in a revision is a submodule."""
    return f"{text}: is a submodule: give its own repository as a folder"


def describe_large_file(mebibytes: int) -> str:
    """That a file of a revision is too large."""
    return f"larger than {mebibytes} MiB"


def describe_large_revision(gibibytes: int) -> str:
    """That the files of a revision are too large together."""
    return f"the manifests of a revision are larger than {gibibytes} GiB in total: give a folder, as REV:FOLDER"


def describe_outside(path: str) -> str:
    """That a path leads out of the repository."""
    return f"{path} is not in the repository"


def describe_no_side(text: str, reason: str = "") -> str:
    """That a text is neither a file nor a folder; `reason` says why it is no revision either."""
    return f"{text}: no such file or folder{f', and not a git revision: {reason}' if reason else ''}"


def note_revision_first(text: str) -> str:
    """That a text is read as a revision, and how to name the file of that name."""
    return f"{text} is read as a git revision: use ./{text} for the file or folder of that name"
