"""Report -> text, pure: one module a format, each with a function `render`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from importlib import import_module

Reporter = Callable[..., str]


class _ReportFormats(Mapping[str, Reporter]):
    """The reporters by the name of their format, in the order in which help names them.

    1. A module is imported when its format is asked for.
    2. Every reporter is called as `render(report, width=..., color=..., all_rows=...)`: see `report.text`. Formats for machines
       take these options and ignore them.
    """

    _names = ("text", "concise", "json", "sarif", "junit", "github", "gitlab", "markdown", "html")

    def __getitem__(self, name: str) -> Reporter:
        if name not in self._names:
            raise KeyError(name)
        render: Reporter = import_module(f"{__name__}.{name}").render
        return render

    def __contains__(self, name: object) -> bool:
        return name in self._names

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


FORMATS: Mapping[str, Reporter] = _ReportFormats()
