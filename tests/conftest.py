"""How the tests run: the same examples everywhere in CI, new ones on every other run."""

import os

from hypothesis import settings

settings.register_profile("explore", deadline=None)
settings.register_profile("repeatable", deadline=None, derandomize=True, print_blob=True)
settings.load_profile("repeatable" if os.environ.get("CI") else "explore")

os.environ["KUBECONFIG"] = os.path.join(os.path.dirname(__file__), "no-kubeconfig")  # noqa: PTH118, PTH120 (no test asks the user's cluster)
os.environ.pop("KUBERNETES_SERVICE_HOST", None)
