// Runs Velopack's library for Node as an app would, and prints what came of it as one line of JSON.
//
//   node update.mjs '{"library": "velopack", "url": "http://...", "layout": {"RootAppDir": "...", ...}}'
//
// library   velopack or velopack-oldest: the name in package.json
// url       address of the feed
// layout    the app's folders, as `VelopackLocatorConfig` has them
//
// Answer: {version, deltas} of the update, which is in the app's packages folder then, {version: null} if there is none, or {error}.
//
// The library is looked for in the working directory, where `npm ci` has put it.

import { createRequire } from "node:module";
import { join } from "node:path";

// The library writes its log to the console; the answer has the standard output for itself.
for (const level of ["log", "info", "warn", "debug", "trace"]) console[level] = console.error;

const { library, url, layout } = JSON.parse(process.argv[2]);
const require = createRequire(join(process.cwd(), "package.json"));

async function update() {
  const { UpdateManager } = require(library);
  const manager = new UpdateManager(url, { AllowVersionDowngrade: false, ExplicitChannel: null, MaximumDeltasBeforeFallback: 10 }, layout);
  const found = await manager.checkForUpdatesAsync();
  if (found == null) return { version: null };
  await manager.downloadUpdateAsync(found, () => {});
  return { version: found.TargetFullRelease.Version, deltas: found.DeltasToTarget?.length ?? 0 };
}

function finish(result) {
  process.stdout.write(`${JSON.stringify(result)}\n`, () => process.exit(0));
}

update().then(finish, (error) => finish({ error: String(error?.message ?? error) }));
