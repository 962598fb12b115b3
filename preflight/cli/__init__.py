"""The command line: parses, builds, runs, prints, and maps errors to exit codes; a module a command."""
