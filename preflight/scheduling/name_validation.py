"""What Kubernetes takes for a name, a label or a taint key, and its words where it does not.

Every check returns the reasons, all of them, in the words that kubectl and the API server print; () means valid. Lengths are counted
in bytes of UTF-8. Source: apimachinery `pkg/api/validate/content/{kube,dns,errors}.go`.
"""

from __future__ import annotations

import re

KEY_NAME = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]"
LABEL_VALUE = f"({KEY_NAME})?"
DNS_LABEL = "[a-z0-9]([-a-z0-9]*[a-z0-9])?"
DNS_SUBDOMAIN = rf"{DNS_LABEL}(\.{DNS_LABEL})*"

_KEY_NAME = re.compile(KEY_NAME)
_LABEL_VALUE = re.compile(LABEL_VALUE)
_DNS_LABEL = re.compile(DNS_LABEL)
_DNS_SUBDOMAIN = re.compile(DNS_SUBDOMAIN)

_ALLOWED_CHARACTERS = "consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character"


def validate_qualified_name(key: str) -> tuple[str, ...]:
    """Why a label key or taint key is none: an optional DNS subdomain and `/`, then a name of at most 63 bytes.

    1. An empty key has two reasons: its name is empty, and is not made of the right characters.
    2. A prefix that is there must not be empty; more than one `/` is the only reason given.

    Source: `IsLabelKey` (`IsQualifiedName` before 1.35).
    """
    prefix, slash, name = key.rpartition("/")
    rule = _describe_rule(f"must {_ALLOWED_CHARACTERS}", KEY_NAME, "MyName", "my.name", "123-abc")
    if "/" in prefix:
        return (f"a valid label key {rule} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')",)
    reasons: list[str] = []
    if slash and not prefix:
        reasons.append("prefix part must be non-empty")
    elif slash:
        reasons += (f"prefix part {reason}" for reason in validate_dns_subdomain(prefix))
    if not name:
        reasons.append("name part must be non-empty")
    elif _count_bytes(name) > 63:
        reasons.append("name part must be no more than 63 bytes")
    if not _KEY_NAME.fullmatch(name):
        reasons.append(f"name part {rule}")
    return tuple(reasons)


def validate_label_value(value: str) -> tuple[str, ...]:
    """Why a label value or taint value is none: at most 63 bytes; "" is valid.

    Source: `IsLabelValue`.
    """
    reasons: list[str] = []
    if _count_bytes(value) > 63:
        reasons.append("must be no more than 63 bytes")
    if not _LABEL_VALUE.fullmatch(value):
        reasons.append(
            _describe_rule(f"a valid label must be an empty string or {_ALLOWED_CHARACTERS}", LABEL_VALUE, "MyValue", "my_value", "12345"),
        )
    return tuple(reasons)


def validate_dns_subdomain(name: str) -> tuple[str, ...]:
    """Why a name is no DNS subdomain (most objects, Nodes and DaemonSets among them): at most 253 bytes; "" is not valid.

    Source: `IsDNS1123Subdomain`.
    """
    reasons: list[str] = []
    if _count_bytes(name) > 253:
        reasons.append("must be no more than 253 bytes")
    if not _DNS_SUBDOMAIN.fullmatch(name):
        reasons.append(
            _describe_rule(
                "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', "
                "and must start and end with an alphanumeric character",
                DNS_SUBDOMAIN,
                "example.com",
            ),
        )
    return tuple(reasons)


def validate_dns_label(name: str) -> tuple[str, ...]:
    """Why a name is no DNS label (namespaces, containers, volumes): at most 63 bytes, no dots; "" is not valid.

    Source: `IsDNS1123Label`.
    """
    reasons: list[str] = []
    if _count_bytes(name) > 63:
        reasons.append("must be no more than 63 bytes")
    if not _DNS_LABEL.fullmatch(name):
        if _DNS_SUBDOMAIN.fullmatch(name):
            reasons.append("must not contain dots")
        else:
            reasons.append(
                _describe_rule(
                    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', "
                    "and must start and end with an alphanumeric character",
                    DNS_LABEL,
                    "my-name",
                    "123-abc",
                ),
            )
    return tuple(reasons)


def _count_bytes(text: str) -> int:
    return len(text.encode("utf-8", "surrogatepass"))


def _describe_rule(words: str, rule: str, *examples: str) -> str:
    shown = " or ".join(f"'{example}', " for example in examples)
    return f"{words} (e.g. {shown}regex used for validation is '{rule}')"
