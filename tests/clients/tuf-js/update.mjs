// Runs tuf-js as an application would: refreshes a repository, finds a target, downloads and verifies it. Questions and
// answers are those of `python-tuf/update.py`.

import { copyFileSync, existsSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { createInterface } from "node:readline";

// The package is looked for in the working directory, where `npm ci` has put it.
const { Updater } = createRequire(join(process.cwd(), "package.json"))("tuf-js");

async function update({ root, metadata, targets, prefixed, state, name, file, seconds }) {
  // It keeps its newest root where it expects the pinned one.
  if (!existsSync(join(state, "root.json"))) copyFileSync(root, join(state, "root.json"));
  const updater = new Updater({
    metadataDir: state,
    metadataBaseUrl: metadata,
    targetBaseUrl: targets,
    config: { prefixTargetsWithHash: prefixed, fetchTimeout: 1000 * seconds, fetchRetries: 0 },
  });
  const target = await updater.getTargetInfo(name);
  if (target === undefined) return { error: "not listed" };
  await updater.downloadTarget(target, file);
  return { custom: target.custom };
}

for await (const line of createInterface({ input: process.stdin })) {
  const said = (error) => ({ error: `${error.constructor.name}: ${error.message}` });
  process.stdout.write(`${JSON.stringify(await update(JSON.parse(line)).catch(said))}\n`);
}
