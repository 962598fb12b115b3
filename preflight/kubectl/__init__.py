"""The language of kubectl: command lines, flags, selectors, patches, runbooks. It knows no cluster."""
