"""Kubeconfigs beside kubectl: what each leads to, recorded from the real kubectl and asked of preflight."""
