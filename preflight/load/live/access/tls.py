"""Which certificates are trusted, and which one is shown: a TLS context made of what a kubeconfig says.

Source: client-go `transport/transport.go` (TLSConfigFor), Go `crypto/tls` and `crypto/x509`.

No key is left on the disk, however the program ends. Python loads a client certificate from a path alone, so that its path is one of a
file in memory (Linux), else of a file that has lost its name already. Only where a system has neither, a file with a name exists while
the certificate is loaded.
"""

from __future__ import annotations

import contextlib
import os
import re
import ssl
import tempfile
from collections.abc import Iterator

from preflight.errors import InputError
from preflight.load.live.access.credentials import ClientCertificate
from preflight.messages import kubeconfig as messages

_PRIVATE_KEY = re.compile(rb"-----BEGIN ([A-Z]+ )*PRIVATE KEY-----")
_CERTIFICATE = re.compile(rb"-----BEGIN CERTIFICATE-----\s.*?-----END CERTIFICATE-----", re.DOTALL)


class _EncryptedKeyError(Exception):
    """The key needs a password; nobody is asked for one."""


def make_tls_context(authority: bytes | None, authority_name: str, *, is_insecure: bool) -> ssl.SSLContext:
    """A context that trusts what a kubeconfig trusts.

    1. `authority` holds the certificates of authorities, None for those of the system; `authority_name` says where it is from.
    2. Each certificate of `authority` is trusted by itself, also one that another signed. Those that cannot be read are passed over.
    3. TLS is 1.2 or later; names are those of the subject alternative names.

    Errors: InputError that blames `authority` if no certificate is in it.
    """
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.hostname_checks_common_name = False
    context.verify_flags = ssl.VERIFY_X509_TRUSTED_FIRST | ssl.VERIFY_X509_PARTIAL_CHAIN
    if is_insecure:
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    elif authority is None:
        context.load_default_certs()
    elif not _trust(context, authority):
        raise InputError(messages.describe_no_authority(authority_name))
    return context


def holds_certificate(content: bytes) -> bool:
    """Whether a PEM file has a certificate that can be read."""
    return _trust(ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT), content) > 0


def _trust(context: ssl.SSLContext, authority: bytes) -> int:
    """Trust the certificates of a PEM file; how many could be read."""
    trusted = 0
    for block in _CERTIFICATE.findall(authority):
        with contextlib.suppress(ssl.SSLError, ValueError):
            context.load_verify_locations(cadata=ssl.PEM_cert_to_DER_cert(block.decode("ascii")))
            trusted += 1
    return trusted


def load_client_certificate(context: ssl.SSLContext, shown: ClientCertificate) -> None:
    """Have a context show a client certificate. Errors: InputError that blames the certificate or its key."""
    if not _CERTIFICATE.search(shown.certificate):
        raise InputError(messages.describe_no_client_certificate(shown.source))
    if not _PRIVATE_KEY.search(shown.key):
        raise InputError(messages.describe_no_private_key(shown.key_source))
    problem = ""
    with _open_path(shown.certificate) as certificate_path, _open_path(shown.key) as key_path:
        try:
            context.load_cert_chain(certificate_path, key_path, password=_refuse_password)
        except _EncryptedKeyError:
            problem = messages.describe_encrypted_key(shown.key_source)
        except ssl.SSLError as error:
            code = str(error.reason or "NOT_READABLE")
            if code == "KEY_VALUES_MISMATCH":
                problem = messages.describe_key_mismatch(shown.source, shown.key_source)
            else:
                problem = messages.describe_unusable_certificate(shown.source, shown.key_source, code.lower().replace("_", " "))
    if problem:
        raise InputError(problem)


def _refuse_password() -> str:
    raise _EncryptedKeyError


@contextlib.contextmanager
def _open_path(content: bytes) -> Iterator[str]:
    """A path from which the content can be read until the end of the block."""
    descriptor = _open_nameless(content)
    if descriptor is None:
        with tempfile.TemporaryDirectory(prefix="preflight-") as folder:
            path = f"{folder}/credential"
            with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:  # noqa: PTH123
                file.write(content)
            yield path
        return
    try:
        yield _get_descriptor_path(descriptor)
    finally:
        os.close(descriptor)


def _open_nameless(content: bytes) -> int | None:
    """A file without a name that holds the content, None where it could not be opened by a path."""
    if hasattr(os, "memfd_create"):
        descriptor = os.memfd_create("preflight", os.MFD_CLOEXEC)
    else:
        descriptor, path = tempfile.mkstemp(prefix="preflight-")
        try:
            os.unlink(path)  # noqa: PTH108
        except OSError:  # a system that removes no open file
            os.close(descriptor)
            os.unlink(path)  # noqa: PTH108
            return None
    with open(descriptor, "wb", closefd=False) as file:
        file.write(content)
    os.lseek(descriptor, 0, os.SEEK_SET)
    if os.path.exists(_get_descriptor_path(descriptor)):  # noqa: PTH110
        return descriptor
    os.close(descriptor)
    return None


def _get_descriptor_path(descriptor: int) -> str:
    return f"/proc/self/fd/{descriptor}" if hasattr(os, "memfd_create") else f"/dev/fd/{descriptor}"
