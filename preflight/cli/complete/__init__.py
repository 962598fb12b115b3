"""Shell completion: the words of a command line up to the cursor in, what may stand there out.

1. All shells and kubectl ask by one protocol, that of cobra, which kubectl speaks to its plugins: see `answer`. The scripts of click
   break words at `:` and `=`, as bash does: `key=value:NoSchedule` and `--from=PATH` could not be completed. The commands, options and
   completion items are those of click.
2. Names of nodes, DaemonSets, namespaces and contexts are read in a process of its own: what comes in time is offered, what comes late is
   kept for the next time. See `background`.
"""
