"""What breaks in consequence when a DaemonSet loses nodes, and for which workloads.

The modules in the order of the way to a consequence:

1. `requirements`, `csi_volumes`: what workloads need of their nodes. `remaining_providers`: which DaemonSets still provide it where.
2. `workloads`: who depends on a component. `label_dependencies`: who waits for a label.
3. `lost_components`: from the nodes that a DaemonSet loses to consequences (`model`). `consequences`: those of a change.
4. `bootstrap_deadlocks`: DaemonSets that wait for one another on a new node. `explain`: the links of the chain of one loss.
"""
