"""What the program is measured against, each a process of its own: `python -m benchmarks.yardsticks yaml|json PATH`."""

import sys


def load_yaml(folder: str) -> None:
    """PyYAML's C loader over every file below a folder, document by document."""
    from pathlib import Path

    import yaml

    for path in sorted(Path(folder).rglob("*.yaml")):
        for _ in yaml.load_all(path.read_text(encoding="utf-8"), yaml.CSafeLoader):
            pass


def decode_json(path: str) -> None:
    """The file mapped, and its items told apart but not decoded."""
    import mmap
    from pathlib import Path

    import msgspec

    class Envelope(msgspec.Struct):
        items: list[msgspec.Raw]

    with Path(path).open("rb") as file:
        mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        msgspec.json.decode(mapped, type=Envelope)


if __name__ == "__main__":
    {"yaml": load_yaml, "json": decode_json}[sys.argv[1]](sys.argv[2])
