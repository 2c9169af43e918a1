// Reports that wait, and what else may be found in their folder.

import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, readdirSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import test from "node:test";

import { spindrift } from "../index.mjs";
import { NOBODY, folder, options, reportOf, service } from "./helpers.mjs";

const { MAX_REPORT_AGE_MS, MAX_WAITING_REPORTS, MAX_KEPT_FILE_BYTES } = createRequire(import.meta.url)("../dist/modules.js")("limits");

const CRASH = { type: "crash", reason: "x", version: "1.0.0" };
const nameOf = (ageMs, n = 0) => `${Date.now() - ageMs}-${String(n).padStart(8, "0")}.json`;

/** A folder with these files in the spool, and the path of the spool. */
function spoolWith(t, files) {
  const dir = folder(t);
  const spool = join(dir, "spindrift", "reports");
  mkdirSync(spool, { recursive: true });
  for (const [name, content] of Object.entries(files)) writeFileSync(join(spool, name), content);
  return [dir, spool];
}

/** The reports that a start sends. */
async function sent(t, dir) {
  const { url, requests } = await service(t);
  const kit = spindrift(options(url, dir));
  await kit.flush();
  kit.exiting();
  return requests.map(reportOf);
}

test("reports wait on disk while the service is away", async (t) => {
  const dir = folder(t);
  const kit = spindrift(options(NOBODY, dir));
  kit.report({ type: "crash", reason: "gpu process gone", details: { code: 5 } });
  kit.report({ type: "crash", reason: "gpu process gone", details: { code: 6 } });
  kit.report({ type: "install_failure", reason: "disk" });
  await kit.flush();
  kit.exiting();
  assert.deepEqual(await sent(t, dir), [
    { version: "1.0.0", type: "crash", reason: "gpu_process_gone", details: { code: 5 } },
    { version: "1.0.0", type: "install_failure", reason: "disk", details: undefined },
  ]);
  assert.deepEqual(await sent(t, dir), []);
});

test("the spool is limited in number, size and age", async (t) => {
  const dir = folder(t);
  const kit = spindrift(options(NOBODY, dir));
  for (let n = 0; n < MAX_WAITING_REPORTS + 5; n += 1) kit.report({ type: "crash", reason: `r${n}`, details: { long: "x".repeat(1e6) } });
  await kit.flush();
  const spool = join(dir, "spindrift", "reports");
  const files = readdirSync(spool);
  assert.equal(files.length, MAX_WAITING_REPORTS);
  for (const file of files) assert.ok(readFileSync(join(spool, file)).length < 200);

  const [old, place] = spoolWith(t, {
    [nameOf(MAX_REPORT_AGE_MS + 60_000)]: JSON.stringify(CRASH),
    [nameOf(-2 * 24 * 3_600_000)]: JSON.stringify(CRASH),
    [nameOf(MAX_REPORT_AGE_MS - 60_000)]: JSON.stringify({ ...CRASH, reason: "fresh" }),
  });
  assert.deepEqual((await sent(t, old)).map(({ reason }) => reason), ["fresh"]);
  assert.deepEqual(readdirSync(place), []);
});

test("hostile files break nothing, and reports after them are sent", async (t) => {
  const hostile = [
    "", "garbage", "null", "[]", "5", '"crash"', "{", '{"type":"crash"', "\0".repeat(100),
    '{"type":"other","reason":"x"}', '{"type":"crash","version":7}', '{"type":"crash","version":""}', '{"__proto__":{"type":"crash"}}',
    "[".repeat(10_000), JSON.stringify({ ...CRASH, more: "x".repeat(MAX_KEPT_FILE_BYTES) }),
  ];
  const files = Object.fromEntries(hostile.map((text, n) => [nameOf(60_000, n), text]));
  const [dir, spool] = spoolWith(t, { ...files, [nameOf(0)]: JSON.stringify({ ...CRASH, reason: "../../etc/passwd\n<script>" }) });
  assert.deepEqual((await sent(t, dir)).map(({ reason }) => reason), [".._.._etc_passwd_script_"]);
  assert.deepEqual(readdirSync(spool), []);
});

test("a huge file is not read, and a folder or a link is removed without what it leads to", async (t) => {
  const [dir, spool] = spoolWith(t, { [nameOf(5, 1)]: "" });
  truncateSync(join(spool, readdirSync(spool)[0]), 100 * 1024 ** 3);
  mkdirSync(join(spool, nameOf(5, 2), "inside"), { recursive: true });
  const outside = join(folder(t), "outside");
  mkdirSync(outside);
  writeFileSync(join(outside, "file"), "kept");
  if (process.platform !== "win32") {
    symlinkSync(outside, join(spool, nameOf(5, 3)));
    symlinkSync("/dev/zero", join(spool, nameOf(5, 4)));
  }
  assert.deepEqual(await sent(t, dir), []);
  assert.deepEqual([readdirSync(spool), readFileSync(join(outside, "file"), "utf8")], [[], "kept"]);
});

test("other files are left alone, however many there are", async (t) => {
  const files = Object.fromEntries(Array.from({ length: 1000 }, (_, n) => [`note-${n}.txt`, "mine"]));
  const [dir, spool] = spoolWith(t, files);
  assert.deepEqual(await sent(t, dir), []);
  assert.equal(readdirSync(spool).length, 1000);
});

test("a file in the place of the spool, or of the whole folder, leaves the reports in memory", async (t) => {
  for (const place of ["spindrift", "spindrift/reports"]) {
    const dir = folder(t);
    if (place.includes("/")) mkdirSync(join(dir, "spindrift"));
    writeFileSync(join(dir, place), "in the way");
    const { url, requests } = await service(t);
    const kit = spindrift(options(url, dir));
    kit.report(CRASH);
    await kit.flush();
    kit.exiting();
    assert.deepEqual(requests.map(reportOf).map(({ reason }) => reason), ["x"]);
    assert.equal(readFileSync(join(dir, place), "utf8"), "in the way");
  }
});

test("without a key, nothing about failures is kept", async (t) => {
  const [dir, { url, requests }] = [folder(t), await service(t)];
  const kit = spindrift(options(url, dir, { reportKey: undefined, startTimeoutMs: 1 }));
  kit.report(CRASH);
  await kit.flush();
  assert.deepEqual([requests, existsSync(join(dir, "spindrift"))], [[], false]);
});

test("reports of other forms are not sent", async (t) => {
  const { url, requests } = await service(t);
  const kit = spindrift(options(url, folder(t)));
  const cyclic = {};
  cyclic.self = cyclic;
  for (const wrong of [undefined, null, "crash", {}, { type: "other", reason: "x" }, { ...CRASH, version: 5 }, { ...CRASH, details: cyclic }]) kit.report(wrong);
  kit.report({ ...CRASH, reason: "" });
  await kit.flush();
  kit.exiting();
  assert.deepEqual(requests.map(reportOf).map(({ reason }) => reason), ["unknown"]);
});
