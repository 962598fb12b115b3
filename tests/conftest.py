"""How the tests run: the same examples everywhere in CI, new ones on every other run."""

import os

from hypothesis import settings

settings.register_profile("explore", deadline=None)
settings.register_profile("repeatable", deadline=None, derandomize=True, print_blob=True)
settings.load_profile("repeatable" if os.environ.get("CI") else "explore")
