"""YAML and JSON text as Kubernetes reads it: plain data and positions; the only place with PyYAML."""

from preflight.documents.locate import locate, source_line
from preflight.documents.model import Broken, Chunk, Document, Path, Place, RepeatedKey, Skipped
from preflight.documents.reader import read_yaml
from preflight.documents.splitter import split

__all__ = [
    "Broken",
    "Chunk",
    "Document",
    "Path",
    "Place",
    "RepeatedKey",
    "Skipped",
    "locate",
    "read_yaml",
    "source_line",
    "split",
]
