// A device on which an application with the JavaScript kit runs a few times, and prints one line of JSON.
//
//   node device.mjs '{"url": "http://...", "owner": "acme", "app": "notes", "reportKey": "rpk_...", "directory": "/an/empty/folder",
//                     "runs": [{"version": "1.0.0", "end": "flush"}, {"version": "2.0.0", "end": "crash"}]}'
//
// Answer: {runs: [{offered, deviceId, staging}]}, as each run of app.mjs answers. The kit is compiled from its sources,
// with the compiler in the working directory.

import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";

const TIME_LIMIT_MS = 60_000;
const SOURCES = fileURLToPath(new URL("../../../kits/js/src/", import.meta.url));

const { runs, ...device } = JSON.parse(process.argv[2]);

/** Compiles the kit into the folder of the device, and answers its main file. */
function compileKit() {
  const ts = createRequire(join(process.cwd(), "package.json"))("typescript");
  const folder = join(device.directory, "kit");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), '{"type": "commonjs"}');
  const compilerOptions = { target: "ES2022", module: ts.ModuleKind.CommonJS };
  for (const name of readdirSync(SOURCES)) {
    const { outputText } = ts.transpileModule(readFileSync(join(SOURCES, name), "utf8"), { compilerOptions });
    writeFileSync(join(folder, `${basename(name, ".ts")}.js`), outputText);
  }
  return join(folder, "index.js");
}

const kit = compileKit();
const app = fileURLToPath(new URL("app.mjs", import.meta.url));
const answers = runs.map((run) => {
  const input = { ...device, directory: join(device.directory, "data"), kit, ...run };
  const { status, signal, stdout, stderr } = spawnSync(process.execPath, [app, JSON.stringify(input)], {
    encoding: "utf8",
    timeout: TIME_LIMIT_MS,
  });
  const ended = run.end === "crash" ? signal === "SIGKILL" : status === 0;
  if (!ended) throw new Error(`the run ended with ${status ?? signal}: ${stderr}`);
  return JSON.parse(stdout);
});
process.stdout.write(`${JSON.stringify({ runs: answers })}\n`);
