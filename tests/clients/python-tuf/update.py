# Runs python-tuf as an application would: refreshes a repository, finds a target, downloads and verifies it. Questions
# come as lines of JSON, each is answered by one.
#
#   bin/python update.py <<< '{"root": "/a/1.root.json", "metadata": "http://...", "targets": "http://...",
#                              "prefixed": true, "state": "/a/folder", "name": "acme/notes/...",
#                              "file": "/where/to/write", "seconds": 60}'
#
# root               path of the pinned root
# metadata, targets  base addresses
# prefixed           whether targets are asked for under names with a digest
# state              the application's folder, where the metadata is kept
# name               of the target
# file               where the target is written
# seconds            how long one answer of a server may take
#
# Answer: {"custom": ...}, {"error": "not listed"}, or {"error": "<exception>: <message>"}, whatever the exception: not
# all that the library raises are its own.

import json
import sys
import time
from pathlib import Path

import urllib3
from tuf.api.exceptions import SlowRetrievalError
from tuf.ngclient import Updater, UpdaterConfig
from tuf.ngclient.urllib3_fetcher import Urllib3Fetcher

# Bytes that are taken from a connection at once.
CHUNK = 65536


class Fetcher(Urllib3Fetcher):
    """python-tuf limits the time between two bytes, and not that of a file. An application does it like this."""

    def __init__(self, seconds):
        super().__init__(socket_timeout=seconds)
        self.seconds = seconds

    def _chunks(self, response):
        end = time.monotonic() + self.seconds
        try:
            while chunk := response.read1(CHUNK):
                yield chunk
                if time.monotonic() > end:
                    raise SlowRetrievalError(f"over {self.seconds} seconds")
        except urllib3.exceptions.TimeoutError as error:
            raise SlowRetrievalError(f"nothing for {self.seconds} seconds") from error
        finally:
            response.close()


def update(root, metadata, targets, prefixed, state, name, file, seconds):
    updater = Updater(
        metadata_dir=state,
        metadata_base_url=metadata,
        target_base_url=targets,
        fetcher=Fetcher(seconds),
        config=UpdaterConfig(prefix_targets_with_hash=prefixed),
        bootstrap=Path(root).read_bytes(),
    )
    target = updater.get_targetinfo(name)
    if target is None:
        return {"error": "not listed"}
    updater.download_target(target, file)
    return {"custom": target.custom}


for line in sys.stdin:
    try:
        answer = update(**json.loads(line))
    except Exception as error:
        answer = {"error": f"{type(error).__name__}: {error}"}
    print(json.dumps(answer), flush=True)
