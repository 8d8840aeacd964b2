"""Checks manifests from the input against the schemas of Kubernetes versions, given as arguments; prints them as JSON."""
import json
import sys

import kubernetes_validate
import yaml

# What the Prometheus Operator defines, Kubernetes has no schema of.
FOREIGN = {"ServiceMonitor"}

manifests = [manifest for manifest in yaml.safe_load_all(sys.stdin) if manifest]
for version in sys.argv[1:]:
    for manifest in manifests:
        if manifest["kind"] in FOREIGN:
            continue
        try:
            kubernetes_validate.validate(manifest, version, strict=True)
        except Exception as error:
            sys.exit(f"{version} {manifest['kind']}: {type(error).__name__} {getattr(error, 'message', error)}")
json.dump(manifests, sys.stdout)
