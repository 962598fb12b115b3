"""The way to an API server as kubectl finds it: kubeconfigs, credentials, proxies and certificates."""
