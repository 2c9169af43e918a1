"""Compares the manifests of this folder with Kubernetes' own schemas, strictly: a field that a schema does not have is an
error. `check` runs this. The kinds of the Spin operator are not among them; xtask/tests/spinkube has these."""

import pathlib
import sys

import kubernetes_validate
import yaml

# A version that many clusters still have, and the newest that the package knows.
VERSIONS = ["1.33", kubernetes_validate.latest_version()]
# Kinds whose schemas are not Kubernetes'.
OTHERS = ("core.spinkube.dev/", "kustomize.config.k8s.io/")


def problems(name, manifest):
    for version in VERSIONS:
        try:
            kubernetes_validate.validate(manifest, version, strict=True)
        except kubernetes_validate.ValidationError as error:
            place = ".".join(str(part) for part in error.path)
            yield f"{name}: {manifest['kind']} in {version}: {place}: {error.message}"
        except kubernetes_validate.SchemaNotFoundError as error:
            yield f"{name}: {error.message}"


def main(folder):
    compared, found = 0, []
    for file in sorted(pathlib.Path(folder).glob("*.yaml")):
        for manifest in yaml.safe_load_all(file.read_text()):
            if not manifest["apiVersion"].startswith(OTHERS):
                found.extend(problems(file.name, manifest))
                compared += 1
    for line in found:
        print(line)
    print(f"{compared} manifests compared with Kubernetes {' and '.join(VERSIONS)}")
    return 1 if found or compared == 0 else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
