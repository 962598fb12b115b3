"""What a change means for each DaemonSet on each node: before, once it has settled, after re-creation.

The modules in the order of the way from a change to an outcome:

1. `daemonset_pods`, `adoption`, `pod_revisions`: which pods are there. `node_classes`: the nodes that one DaemonSet cannot tell apart.
2. `cohorts`: the nodes of a class with the same pods and the same events. `rollout/`: what an update does to these.
3. `outcome`: what becomes of one pod, given its placements. `daemonset_evaluator`: the same for one DaemonSet on all its cohorts.
4. `evaluate`: all DaemonSets under one change. `label_cascade`, `pool_rollout`: what follows from it. `model`: the result.
5. `reasons` and `explain` say why, as data; the words are in `messages`.
"""
