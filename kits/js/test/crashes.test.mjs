// How runs end. The processes are real.

import assert from "node:assert/strict";
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";

import { folder, options, reportOf, runProgram, service } from "./helpers.mjs";

const CRASH = "process.kill(process.pid, 'SIGKILL');";
const SEND = "kit.flush().then(() => process.exit(0));";

/** Lets one process after another run in a folder, and answers the reports that arrived. */
async function runAll(t, runs, more = {}) {
  const [dir, { url, requests }] = [folder(t), await service(t)];
  for (const [version, program] of runs) await runProgram(options(url, dir, { version, ...more }), program);
  return requests.map(reportOf);
}

const withoutDetails = ({ type, reason, version }) => ({ type, reason, version });

test("the next start reports a crash, with the version that crashed, once", async (t) => {
  const reports = await runAll(t, [["1.0.0", CRASH], ["1.0.1", SEND], ["1.0.1", SEND]]);
  assert.deepEqual(reports.map(withoutDetails), [{ type: "crash", reason: "exit.unclean", version: "1.0.0" }]);
});

test("clean exits are not crashes", async (t) => {
  const clean = ["", "process.exit(0);", "kit.exiting(); process.exit(7);", `kit.exiting(); ${CRASH}`];
  assert.deepEqual(await runAll(t, [...clean, SEND].map((program) => ["1.0.0", program])), []);
});

test("the reason names the error or the code", async (t) => {
  const runs = ["throw new TypeError('/home/ada');", SEND, "Promise.reject(new RangeError('x'));", SEND, "process.exit(3);", SEND];
  const reports = await runAll(t, runs.map((program) => ["1.0.0", program]));
  assert.deepEqual(reports.map(({ reason }) => reason), ["uncaught.TypeError", "uncaught.RangeError", "exit.3"]);
  assert.doesNotMatch(JSON.stringify(reports), /ada/);
});

test("the kit does not change how a process ends", async (t) => {
  const [dir, { url }] = [folder(t), await service(t)];
  const failed = await runProgram(options(url, dir), "throw new TypeError('as before');");
  assert.equal(failed.code, 1);
  assert.match(failed.output, /TypeError: as before/);
  assert.equal((await runProgram(options(url, dir), "process.kill(process.pid, 'SIGTERM');")).signal, "SIGTERM");
  // Timers of the kit do not keep a process: this one ends by itself.
  assert.deepEqual(await runProgram(options(url, dir, { startTimeoutMs: 600_000 }), ""), { code: 0, signal: null, output: "" });
});

test("a start that ends too soon has failed", async (t) => {
  const runs = [CRASH, SEND, `kit.started(); ${CRASH}`, `kit.started(); ${SEND}`];
  const reports = await runAll(t, runs.map((program) => ["1.0.0", program]), { startTimeoutMs: 600_000 });
  assert.deepEqual(reports.map(({ type, reason }) => [type, reason]), [
    ["startup_failure", "exit.before_started"],
    ["crash", "exit.unclean"],
  ]);
});

test("a start that takes too long has failed, and is not reported again when it ends", async (t) => {
  const [dir, { url, received, requests }] = [folder(t), await service(t)];
  const late = runProgram(options(url, dir, { startTimeoutMs: 1 }), `setInterval(() => {}, 1000); process.on("SIGTERM", () => { ${CRASH} });
    const { existsSync, readdirSync } = require("node:fs");
    const wait = setInterval(() => { if (readdirSync(${JSON.stringify(join(dir, "spindrift", "reports"))}).length === 0) { ${CRASH} } }, 5);`);
  await received(1);
  await late;
  await runProgram(options(url, dir), SEND);
  assert.deepEqual(requests.map(reportOf).map(({ type, reason }) => [type, reason]), [["startup_failure", "start.timeout"]]);
});

test("an older version than before is a rollback, and reported once", async (t) => {
  const reports = await runAll(t, [["2.0.0-rc.10", SEND], ["2.0.0-rc.9", SEND], ["2.0.0-rc.9", SEND], ["2.0.0", SEND]]);
  assert.deepEqual(reports.map(withoutDetails), [{ type: "rollback_failure", reason: "from.2.0.0-rc.10", version: "2.0.0-rc.9" }]);
});

test("a second process in the folder is not a crash", async (t) => {
  const [dir, { url, requests }] = [folder(t), await service(t)];
  // This process runs, and is another one than the child.
  writeFileSync(join(dir, "note"), "");
  await runProgram(options(url, dir), "");
  writeFileSync(join(dir, "spindrift", `run-${process.pid}.json`), '{"version":"1.0.0","hasStarted":null}');
  await runProgram(options(url, dir), SEND);
  assert.deepEqual(requests, []);
  assert.deepEqual(readdirSync(join(dir, "spindrift")).filter((name) => name.startsWith("run-")), [`run-${process.pid}.json`]);
});

test("two kits of one process do not take each other for a crash", async (t) => {
  const [dir, { url, requests }] = [folder(t), await service(t)];
  const kitOptions = options(url, dir);
  await runProgram(kitOptions, `spindrift(${JSON.stringify(kitOptions)}).flush().then(() => process.exit(0));`);
  assert.deepEqual(requests, []);
});

test("in containers, where each run has the same number, a crash is noticed", async (t) => {
  const [dir, { url, requests }] = [folder(t), await service(t)];
  const crashed = JSON.stringify({ version: "0.9.0", hasStarted: null });
  const program = `const { mkdirSync, writeFileSync } = require("node:fs");
    mkdirSync(${JSON.stringify(join(dir, "other", "spindrift"))}, { recursive: true });
    writeFileSync(${JSON.stringify(join(dir, "other", "spindrift"))} + "/run-" + process.pid + ".json", ${JSON.stringify(crashed)});
    spindrift(${JSON.stringify(options(url, join(dir, "other")))}).flush().then(() => process.exit(0));`;
  await runProgram(options(url, dir), program);
  assert.deepEqual(requests.map(reportOf).map(withoutDetails), [{ type: "crash", reason: "exit.unclean", version: "0.9.0" }]);
});

test("damaged markers are removed", async (t) => {
  const [dir, { url, requests }] = [folder(t), await service(t)];
  await runProgram(options(url, dir), "");
  // The highest numbers of processes are lower.
  for (const [pid, text] of [["9999999991", "garbage"], ["9999999992", "[]"], ["9999999993", '{"version":5}'], ["9999999994", " ".repeat(1e6)]]) {
    writeFileSync(join(dir, "spindrift", `run-${pid}.json`), text);
  }
  const { code, output } = await runProgram(options(url, dir), SEND);
  assert.deepEqual([code, output, requests], [0, "", []]);
  assert.deepEqual(readdirSync(join(dir, "spindrift")).filter((name) => name.startsWith("run-")), []);
});
