// How reports and beacons are sent, and what hostile answers do.

import assert from "node:assert/strict";
import { existsSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import test, { mock } from "node:test";

import { spindrift } from "../index.mjs";
import { REPORT_KEY, endless, folder, options, service } from "./helpers.mjs";

const limits = createRequire(import.meta.url)("../dist/modules.js")("limits");

const waiting = (dir) => readdirSync(join(dir, "spindrift", "reports")).length;

/** A kit that has tried to send two reports once, and its folder. */
async function sendTwo(t, answer) {
  const dir = folder(t);
  const { url, requests } = await service(t, answer);
  const kit = spindrift(options(url, dir));
  kit.report({ type: "crash", reason: "one" });
  await kit.flush();
  kit.report({ type: "crash", reason: "two" });
  await kit.flush();
  t.after(() => kit.setEnabled(false));
  return { dir, requests };
}

test("a report has the form of the interface", async (t) => {
  const { url, requests } = await service(t);
  const kit = spindrift(options(url, folder(t)));
  kit.report({ type: "crash", reason: "segv", details: { signal: 11 } });
  await kit.flush();
  kit.exiting();
  const [{ method, path, headers, body }] = requests;
  assert.deepEqual([method, path], ["POST", "/reports/ingest"]);
  assert.equal(headers.authorization, `Bearer ${REPORT_KEY}`);
  assert.equal(headers["content-type"], "application/json");
  assert.equal(headers["x-device-id"], kit.deviceId);
  const { details, ...rest } = JSON.parse(body);
  assert.deepEqual(rest, {
    application: { name: "notes", version: "1.0.0", channel: "stable" },
    system: { platform: "linux", arch: "amd64" },
    event: { type: "crash", reason: "segv" },
  });
  assert.deepEqual([details.encoding, details.content_type], ["gzip+base64", "application/json"]);
});

test("refused reports are dropped, others wait", async (t) => {
  for (const [status, left] of [[202, 0], [200, 0], [400, 0], [401, 0], [403, 0], [404, 0], [413, 0], [429, 2], [500, 2], [503, 2]]) {
    const { dir } = await sendTwo(t, () => ({ status, body: "no JSON" }));
    assert.equal(waiting(dir), left, String(status));
  }
});

test("the limit of one group does not hold up the next report", async (t) => {
  const { dir, requests } = await sendTwo(t, ({ body }) => ({ status: body.includes('"one"') ? 429 : 202 }));
  assert.equal(waiting(dir), 1);
  assert.ok(requests.some(({ body }) => body.includes('"two"')));
});

test("redirects are not followed, so the key goes nowhere else", async (t) => {
  const other = await service(t);
  const { dir } = await sendTwo(t, () => ({ status: 307, headers: { location: `${other.url}/reports/ingest` } }));
  assert.deepEqual([waiting(dir), other.requests], [2, []]);
});

test("an endless body is not read", async (t) => {
  const { dir } = await sendTwo(t, () => endless);
  assert.equal(waiting(dir), 0);
});

test("a connection that is cut is a failure, and nothing is thrown", async (t) => {
  const { dir } = await sendTwo(t, () => (response) => response.destroy());
  assert.equal(waiting(dir), 2);
});

test("after a failure it pauses longer each time, and as long as the service asks", async (t) => {
  const delays = [];
  const set = globalThis.setTimeout;
  mock.method(globalThis, "setTimeout", (work, ms, ...rest) => {
    if (ms >= limits.FIRST_RETRY_MS) delays.push(ms);
    return set(work, ms, ...rest);
  });
  t.after(() => mock.restoreAll());
  let answer = { status: 500 };
  const { url } = await service(t, () => answer);
  const kit = spindrift(options(url, folder(t), { beacon: false }));
  t.after(() => kit.setEnabled(false));
  kit.report({ type: "crash", reason: "one" });
  await kit.flush();
  for (let n = 0; n < 12; n += 1) await kit.flush();
  assert.deepEqual(delays.slice(0, 3), [1, 2, 4].map((times) => times * limits.FIRST_RETRY_MS));
  assert.equal(delays.at(-1), limits.MAX_RETRY_MS);
  for (const [header, expected] of [["80000", 80_000_000], ["999999999", limits.MAX_RETRY_AFTER_MS], ["soon", limits.MAX_RETRY_MS], ["-5", limits.MAX_RETRY_MS]]) {
    answer = { status: 429, headers: { "retry-after": header } };
    await kit.flush();
    assert.equal(delays.at(-1), expected, header);
  }
});

test("the beacon is sent once a day, and not if a check has counted the device", async (t) => {
  mock.timers.enable({ apis: ["setTimeout", "setInterval", "Date"], now: Date.parse("2026-11-28T10:00:00Z") });
  t.after(() => mock.timers.reset());
  const dir = folder(t);
  let status = 204;
  const { url, requests, received } = await service(t, () => ({ status, body: status === 204 ? undefined : "{}" }));
  const file = join(dir, "spindrift", "state.json");
  const state = () => existsSync(file) && JSON.parse(readFileSync(file, "utf8")).counted;
  const changed = async (day) => {
    while (state() !== day) await new Promise(setImmediate);
  };
  const start = () => spindrift(options(url, dir, { reportKey: undefined }));
  const first = start();
  mock.timers.tick(limits.BEACON_DELAY_MS);
  const [{ path, query, headers }] = await received(1);
  assert.equal(path, "/telemetry/beacon");
  assert.deepEqual(query, { app_name: "notes", version: "1.0.0", channel: "stable", platform: "linux", arch: "amd64", owner: "acme" });
  assert.equal(headers["x-device-id"], first.deviceId);
  await changed("2026-11-28");
  first.setEnabled(false);

  const second = start();
  mock.timers.tick(limits.BEACON_DELAY_MS + 13 * limits.HOUR_MS);
  assert.equal(requests.length, 1);
  mock.timers.tick(limits.HOUR_MS);
  await received(2);
  await changed("2026-11-29");
  second.setEnabled(false);

  // The service does not count: once is enough.
  status = 403;
  const third = start();
  mock.timers.tick(limits.BEACON_DELAY_MS + 24 * limits.HOUR_MS);
  await received(3);
  await changed("2026-11-30");
  status = 200;
  mock.timers.tick(10 * limits.HOUR_MS);
  await third.check();
  mock.timers.tick(13 * limits.HOUR_MS);
  third.setEnabled(false);
  assert.deepEqual(requests.map((request) => request.path), [...Array(3).fill("/telemetry/beacon"), "/checkVersion"]);
});

test("a device whose id is not kept sends no beacon", async (t) => {
  mock.timers.enable({ apis: ["setTimeout", "setInterval"] });
  t.after(() => mock.timers.reset());
  const dir = folder(t);
  writeFileSync(join(dir, "spindrift"), "in the way");
  const { url, requests } = await service(t);
  for (const place of [undefined, dir]) {
    const kit = spindrift(options(url, place));
    mock.timers.tick(limits.BEACON_DELAY_MS + 5 * limits.HOUR_MS);
    await kit.check().catch(() => undefined);
    kit.setEnabled(false);
  }
  assert.deepEqual(requests.map(({ path }) => path), ["/checkVersion", "/checkVersion"]);
});
