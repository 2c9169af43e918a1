# Runs python-tuf as an application would: refreshes a repository, finds a target, downloads and verifies it.
#
#   bin/python update.py '{"root": "/a/1.root.json", "metadata": "http://...", "targets": "http://...", "prefixed": true,
#                          "state": "/a/folder", "name": "acme/notes/...", "file": "/where/to/write"}'
#
# root               path of the pinned root
# metadata, targets  base addresses
# prefixed           whether targets are asked for under names with a digest
# state              the application's folder, where the metadata is kept
# name               of the target
# file               where the target is written
#
# Answer: {"custom": ...}, {"error": "not listed"}, or {"error": "<exception>: <message>"}.

import json
import sys
from pathlib import Path

from tuf.api.exceptions import DownloadError, RepositoryError
from tuf.ngclient import Updater, UpdaterConfig


def update(root, metadata, targets, prefixed, state, name, file):
    updater = Updater(
        metadata_dir=state,
        metadata_base_url=metadata,
        target_base_url=targets,
        config=UpdaterConfig(prefix_targets_with_hash=prefixed),
        bootstrap=Path(root).read_bytes(),
    )
    target = updater.get_targetinfo(name)
    if target is None:
        return {"error": "not listed"}
    updater.download_target(target, file)
    return {"custom": target.custom}


try:
    answer = update(**json.loads(sys.argv[1]))
except (DownloadError, RepositoryError) as error:
    answer = {"error": f"{type(error).__name__}: {error}"}
print(json.dumps(answer))
