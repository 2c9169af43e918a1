// Devices on which an application with the JavaScript kit runs a few times, one after the other. Prints one line of JSON.
//
//   node devices.mjs '{"url": "http://...", "owner": "acme", "app": "notes", "reportKey": "rpk_...", "directory": "/an/empty/folder",
//                      "devices": 4, "runs": [{"version": "1.0.0", "end": "exit"}, {"version": "2.0.0", "end": "crash"}]}'
//
// Answer: {devices: [[{offered, deviceId, staging}]]}: for each device its runs, as app.mjs answers. The kit is compiled
// from its sources, with the compiler in the working directory.

import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";

const TIME_LIMIT_MS = 60_000;
const SOURCES = fileURLToPath(new URL("../../../kits/js/src/", import.meta.url));
const APP = fileURLToPath(new URL("app.mjs", import.meta.url));

const { devices, runs, directory, ...application } = JSON.parse(process.argv[2]);

/** Compiles the kit, and answers its main file. */
function compileKit() {
  const ts = createRequire(join(process.cwd(), "package.json"))("typescript");
  const folder = join(directory, "kit");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), '{"type": "commonjs"}');
  const compilerOptions = { target: "ES2022", module: ts.ModuleKind.CommonJS };
  for (const name of readdirSync(SOURCES)) {
    const { outputText } = ts.transpileModule(readFileSync(join(SOURCES, name), "utf8"), { compilerOptions });
    writeFileSync(join(folder, `${basename(name, ".ts")}.js`), outputText);
  }
  return join(folder, "index.js");
}

/** Runs the application once on a device. */
function run(kit, device, { version, end }) {
  const input = { ...application, directory: join(directory, `device-${device}`), kit, version, end };
  const options = { encoding: "utf8", timeout: TIME_LIMIT_MS };
  const { status, signal, stdout, stderr } = spawnSync(process.execPath, [APP, JSON.stringify(input)], options);
  const hasEnded = end === "crash" ? signal === "SIGKILL" && stdout !== "" : status === 0;
  if (!hasEnded) throw new Error(`the run ended with ${status ?? signal}: ${stderr}`);
  return JSON.parse(stdout);
}

const kit = compileKit();
const answers = Array.from({ length: devices }, (_, device) => runs.map((one) => run(kit, device, one)));
process.stdout.write(`${JSON.stringify({ devices: answers })}\n`);
