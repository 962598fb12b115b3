"""What the API server makes of an object: defaults, known fields, normal form, refusals."""
