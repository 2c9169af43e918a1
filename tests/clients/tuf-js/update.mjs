// Runs tuf-js as an application would: refreshes a repository, finds a target, downloads and verifies it. The argument is
// that of `python-tuf/update.py`, and so is the answer.

import { copyFileSync, existsSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

// The package is looked for in the working directory, where `npm ci` has put it.
const { Updater } = createRequire(join(process.cwd(), "package.json"))("tuf-js");

async function update({ root, metadata, targets, prefixed, state, name, file }) {
  // It keeps its newest root where it expects the pinned one.
  if (!existsSync(join(state, "root.json"))) copyFileSync(root, join(state, "root.json"));
  const updater = new Updater({
    metadataDir: state,
    metadataBaseUrl: metadata,
    targetBaseUrl: targets,
    config: { prefixTargetsWithHash: prefixed },
  });
  const target = await updater.getTargetInfo(name);
  if (target === undefined) return { error: "not listed" };
  await updater.downloadTarget(target, file);
  return { custom: target.custom };
}

const answer = await update(JSON.parse(process.argv[2])).catch((error) => ({ error: `${error.constructor.name}: ${error.message}` }));
process.stdout.write(`${JSON.stringify(answer)}\n`);
