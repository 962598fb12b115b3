"""What is a key, a value and a name to Kubernetes, and its words where it is none."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from preflight.scheduling.name_validation import dns_label_errors, dns_subdomain_errors, label_value_errors, qualified_name_errors

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
        pytest.param(qualified_name_errors, "dedicated", [], id="a key"),
        pytest.param(qualified_name_errors, "node-role.kubernetes.io/control-plane", [], id="a key with a prefix"),
        pytest.param(qualified_name_errors, "A_b.c-1", [], id="a key with all that it may hold"),
        pytest.param(qualified_name_errors, "a" * 63, [], id="a key of 63 bytes"),
        pytest.param(qualified_name_errors, "a" * 64, ["name part must be no more than 63 bytes"], id="a key of 64 bytes"),
        pytest.param(qualified_name_errors, "", ["name part must be non-empty", NAME], id="an empty key"),
        pytest.param(qualified_name_errors, "example.com/", ["name part must be non-empty", NAME], id="a prefix alone"),
        pytest.param(qualified_name_errors, "/a", ["prefix part must be non-empty"], id="an empty prefix"),
        pytest.param(qualified_name_errors, "a/b/c", [TWO_SLASHES], id="two slashes"),
        pytest.param(qualified_name_errors, "Example.com/a", [f"prefix part {SUBDOMAIN}"], id="a prefix in upper case"),
        pytest.param(qualified_name_errors, "a b", [NAME], id="a blank"),
        pytest.param(qualified_name_errors, "-a", [NAME], id="a hyphen first"),
        pytest.param(qualified_name_errors, "a\n", [NAME], id="a line end"),
        pytest.param(qualified_name_errors, "ü", [NAME], id="a letter that is not ASCII"),
        pytest.param(label_value_errors, "", [], id="an empty value"),
        pytest.param(label_value_errors, "rdma_1.2-x", [], id="a value"),
        pytest.param(label_value_errors, "a" * 63, [], id="a value of 63 bytes"),
        pytest.param(label_value_errors, "a" * 64, ["must be no more than 63 bytes"], id="a value of 64 bytes"),
        pytest.param(label_value_errors, "-5", [VALUE], id="a negative number is no value"),
        pytest.param(label_value_errors, "a/b", [VALUE], id="a slash"),
        pytest.param(label_value_errors, "ü" * 32, ["must be no more than 63 bytes", VALUE], id="bytes are counted, not characters"),
        pytest.param(label_value_errors, "\ud800", [VALUE], id="half of a pair of code units"),
        pytest.param(dns_subdomain_errors, "rdma-1.example.com", [], id="a name of a node"),
        pytest.param(dns_subdomain_errors, "", [SUBDOMAIN], id="no name"),
        pytest.param(dns_subdomain_errors, "RDMA-1", [SUBDOMAIN], id="a name in upper case"),
        pytest.param(dns_subdomain_errors, "a..b", [SUBDOMAIN], id="two dots"),
        pytest.param(dns_subdomain_errors, "a" * 253, [], id="a name of 253 bytes"),
        pytest.param(dns_subdomain_errors, "a" * 254, ["must be no more than 253 bytes"], id="a name of 254 bytes"),
        pytest.param(dns_label_errors, "kube-system", [], id="a namespace"),
        pytest.param(dns_label_errors, "a.b", ["must not contain dots"], id="a namespace with a dot"),
        pytest.param(dns_label_errors, "", [LABEL], id="no namespace"),
        pytest.param(dns_label_errors, "Kube", [LABEL], id="a namespace in upper case"),
        pytest.param(dns_label_errors, "a" * 64, ["must be no more than 63 bytes"], id="a namespace of 64 bytes"),
    ],
)
def test_names(check: Check, text: str, reasons: list[str]) -> None:
    assert list(check(text)) == reasons
