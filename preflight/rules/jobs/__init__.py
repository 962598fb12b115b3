"""Rules on Jobs, as manifests state them: asked by lint where there are some."""
