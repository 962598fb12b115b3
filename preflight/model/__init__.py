"""API objects as frozen Structs with only the fields that a prediction reads, the world they make, findings and the report."""
