"""What is a key, a value and a name to Kubernetes, and its words where it is none."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from preflight.scheduling.name_validation import validate_dns_label, validate_dns_subdomain, validate_label_value, validate_qualified_name

NAME = (
    "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character "
    "(e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"
)
VALUE = (
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an "
    "alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is "
    "'(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')"
)
SUBDOMAIN = (
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an "
    "alphanumeric character (e.g. 'example.com', regex used for validation is "
    r"'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"
)
LABEL = (
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric "
    "character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')"
)
TWO_SLASHES = (
    "a valid label key must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character "
    "(e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]') with an "
    "optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"
)

Check = Callable[[str], tuple[str, ...]]


@pytest.mark.parametrize(
    ("check", "text", "reasons"),
    [
        pytest.param(validate_qualified_name, "dedicated", [], id="a key"),
        pytest.param(validate_qualified_name, "node-role.kubernetes.io/control-plane", [], id="a key with a prefix"),
        pytest.param(validate_qualified_name, "A_b.c-1", [], id="a key with all that it may hold"),
        pytest.param(validate_qualified_name, "a" * 63, [], id="a key of 63 bytes"),
        pytest.param(validate_qualified_name, "a" * 64, ["name part must be no more than 63 bytes"], id="a key of 64 bytes"),
        pytest.param(validate_qualified_name, "", ["name part must be non-empty", NAME], id="an empty key"),
        pytest.param(validate_qualified_name, "example.com/", ["name part must be non-empty", NAME], id="a prefix alone"),
        pytest.param(validate_qualified_name, "/a", ["prefix part must be non-empty"], id="an empty prefix"),
        pytest.param(validate_qualified_name, "a/b/c", [TWO_SLASHES], id="two slashes"),
        pytest.param(validate_qualified_name, "Example.com/a", [f"prefix part {SUBDOMAIN}"], id="a prefix in upper case"),
        pytest.param(validate_qualified_name, "a b", [NAME], id="a blank"),
        pytest.param(validate_qualified_name, "-a", [NAME], id="a hyphen first"),
        pytest.param(validate_qualified_name, "a\n", [NAME], id="a line end"),
        pytest.param(validate_qualified_name, "ü", [NAME], id="a letter that is not ASCII"),
        pytest.param(validate_label_value, "", [], id="an empty value"),
        pytest.param(validate_label_value, "rdma_1.2-x", [], id="a value"),
        pytest.param(validate_label_value, "a" * 63, [], id="a value of 63 bytes"),
        pytest.param(validate_label_value, "a" * 64, ["must be no more than 63 bytes"], id="a value of 64 bytes"),
        pytest.param(validate_label_value, "-5", [VALUE], id="a negative number is no value"),
        pytest.param(validate_label_value, "a/b", [VALUE], id="a slash"),
        pytest.param(validate_label_value, "ü" * 32, ["must be no more than 63 bytes", VALUE], id="bytes are counted, not characters"),
        pytest.param(validate_label_value, "\ud800", [VALUE], id="half of a pair of code units"),
        pytest.param(validate_dns_subdomain, "rdma-1.example.com", [], id="a name of a node"),
        pytest.param(validate_dns_subdomain, "", [SUBDOMAIN], id="no name"),
        pytest.param(validate_dns_subdomain, "RDMA-1", [SUBDOMAIN], id="a name in upper case"),
        pytest.param(validate_dns_subdomain, "a..b", [SUBDOMAIN], id="two dots"),
        pytest.param(validate_dns_subdomain, "a" * 253, [], id="a name of 253 bytes"),
        pytest.param(validate_dns_subdomain, "a" * 254, ["must be no more than 253 bytes"], id="a name of 254 bytes"),
        pytest.param(validate_dns_label, "kube-system", [], id="a namespace"),
        pytest.param(validate_dns_label, "a.b", ["must not contain dots"], id="a namespace with a dot"),
        pytest.param(validate_dns_label, "", [LABEL], id="no namespace"),
        pytest.param(validate_dns_label, "Kube", [LABEL], id="a namespace in upper case"),
        pytest.param(validate_dns_label, "a" * 64, ["must be no more than 63 bytes"], id="a namespace of 64 bytes"),
    ],
)
def test_names(check: Check, text: str, reasons: list[str]) -> None:
    assert list(check(text)) == reasons
