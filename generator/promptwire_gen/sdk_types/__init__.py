"""The types that vendors' SDKs have of a body, beside the shapes of its spec: what either side lacks."""
