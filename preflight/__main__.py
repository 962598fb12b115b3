"""Lets `python -m preflight` be the command `preflight`."""

from preflight.cli.main import main

if __name__ == "__main__":
    main()
