"""Runs Velopack's library for Python as an app would, and prints what came of it as one line of JSON.

    python update.py '{"url": "http://...", "layout": {"RootAppDir": "...", ...}}'

url       address of the feed
layout    the app's folders, as `VelopackLocatorConfig` has them

Answer: {version, deltas} of the update, which is in the app's packages folder then, {version: null} if there is none, or {error}.
"""

import json
import sys

import velopack


def update(url, layout):
    options = velopack.UpdateOptions(AllowVersionDowngrade=False, MaximumDeltasBeforeFallback=10)
    manager = velopack.UpdateManager(url, options, velopack.VelopackLocatorConfig(**layout))
    found = manager.check_for_updates()
    if found is None:
        return {"version": None}
    manager.download_updates(found)
    return {"version": found.TargetFullRelease.Version, "deltas": len(found.DeltasToTarget)}


if __name__ == "__main__":
    question = json.loads(sys.argv[1])
    try:
        answer = update(question["url"], question["layout"])
    except Exception as error:
        answer = {"error": str(error)}
    print(json.dumps(answer))
