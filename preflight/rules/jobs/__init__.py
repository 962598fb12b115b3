"""Rules on Jobs as written in manifests: run by lint if the input has Jobs."""
