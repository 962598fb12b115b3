"""YAML and JSON text as Kubernetes reads it: plain data and positions; the only place with PyYAML."""

from preflight.documents.locate import MAX_SHOWN, get_source_line, get_source_lines, locate_paths
from preflight.documents.model import Chunk, Document, FieldPath, FieldPosition, InvalidDocument, RepeatedKey, SkippedDocument
from preflight.documents.reader import read_chunk, read_yaml
from preflight.documents.splitter import split_documents

__all__ = [
    "MAX_SHOWN",
    "Chunk",
    "Document",
    "FieldPath",
    "FieldPosition",
    "InvalidDocument",
    "RepeatedKey",
    "SkippedDocument",
    "get_source_line",
    "get_source_lines",
    "locate_paths",
    "read_chunk",
    "read_yaml",
    "split_documents",
]
