"""CapacityReport -> text, pure: one module a format, each with a function `render`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from importlib import import_module


class _CapacityFormats(Mapping[str, Callable[..., str]]):
    """The reporters by the name of their format; a module is imported when its format is asked for."""

    _names = ("text", "concise", "json", "markdown", "html")

    def __getitem__(self, name: str) -> Callable[..., str]:
        if name not in self._names:
            raise KeyError(name)
        render: Callable[..., str] = import_module(f"{__name__}.{name}").render
        return render

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


FORMATS: Mapping[str, Callable[..., str]] = _CapacityFormats()
