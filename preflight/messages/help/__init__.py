"""The help pages of the commands: imported only when help is asked for."""

from preflight.messages.help.model import HelpPage

__all__ = ["HelpPage", "find_help_page"]


def find_help_page(command: str) -> HelpPage:
    """The page of a command, such as `taint` or `policy check`; an empty one where there is none."""
    from preflight.messages.help import before_a_change, cluster_commands, node_verbs, object_verbs, reference_commands

    for pages in (node_verbs.PAGES, object_verbs.PAGES, before_a_change.PAGES, cluster_commands.PAGES, reference_commands.PAGES):
        if command in pages:
            return pages[command]
    return HelpPage("")
