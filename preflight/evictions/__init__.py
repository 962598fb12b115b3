"""What a change does to pods that belong to no DaemonSet: which leave, what refuses, where replacements fit."""
