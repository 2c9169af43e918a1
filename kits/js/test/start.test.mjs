// The costs of the kit: the time that it adds to a start, and the traffic of a day.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { createRequire } from "node:module";
import net from "node:net";
import { join } from "node:path";
import test, { mock } from "node:test";

import { KIT, folder, options, service } from "./helpers.mjs";

const limits = createRequire(import.meta.url)("../dist/modules.js")("limits");
const { spindrift } = createRequire(import.meta.url)("../dist/modules.js")("index");

const STARTS = 21;
/**
 * Processor time that reading and compiling the kit may take, and making one. The goal for making one is 5 ms; slow
 * machines get twice that.
 */
const MAX_CPU_MS = { loading: 20, making: 10 };
const MAX_REQUESTS_A_DAY = 1;
const MAX_BYTES_A_DAY = 2048;

/**
 * Time that a process needs for loading the kit, and for making one, in milliseconds: on the clock and of the processor.
 * Before it, the process has used files, URLs and timers, as Electron does before any application begins.
 */
function measureStart(kitOptions) {
  const program = `const fs = require("node:fs");
    fs.writeFileSync(fs.mkdtempSync(${JSON.stringify(join(kitOptions.dir, "x"))}) + "/x", new URL("https://a.example").href);
    setTimeout(() => undefined, 1).unref();
    function measure(work) {
      const [clock, cpu] = [process.hrtime.bigint(), process.cpuUsage()];
      const result = work();
      const [ns, { user, system }] = [process.hrtime.bigint() - clock, process.cpuUsage(cpu)];
      return [{ clock: Number(ns) / 1e6, cpu: (user + system) / 1e3 }, result];
    }
    const [loading, { spindrift }] = measure(() => require(${JSON.stringify(KIT)}));
    const [making] = measure(() => spindrift(${JSON.stringify(kitOptions)}));
    console.log(JSON.stringify({ loading, making }));`;
  return JSON.parse(execFileSync(process.execPath, ["-e", program], { encoding: "utf8" }));
}

test("a start takes hardly longer", (t) => {
  const measured = Array.from({ length: STARTS }, () => measureStart(options("http://127.0.0.1:1", folder(t))));
  const sorted = (part, of) => measured.map((one) => one[part][of]).sort((one, other) => one - other);
  for (const part of ["loading", "making"]) {
    const [clock, cpu] = [sorted(part, "clock"), sorted(part, "cpu")];
    const [median, best] = [clock[STARTS >> 1].toFixed(2), clock[0].toFixed(2)];
    t.diagnostic(`${part} the kit: ${median} ms (median of ${STARTS}), at best ${best} ms`);
    // Other processes cannot make this faster, and hardly slower.
    assert.ok(cpu[0] < MAX_CPU_MS[part], `${part}: ${cpu[0]} ms`);
  }
});

test("a start writes one file before the application goes on", (t) => {
  const dir = folder(t);
  const kit = spindrift(options("http://127.0.0.1:1", dir));
  assert.deepEqual(readdirSync(join(dir, "spindrift")), [`run-${process.pid}.json`]);
  kit.setEnabled(false);
});

/** Counts the bytes in both directions between its clients and a service. */
async function countingProxy(t, port) {
  const counted = { bytes: 0 };
  const sockets = new Set();
  const proxy = net.createServer((client) => {
    const upstream = net.connect(port, "127.0.0.1");
    for (const [from, to] of [[client, upstream], [upstream, client]]) {
      sockets.add(from);
      from.on("data", (bytes) => (counted.bytes += bytes.length));
      from.on("error", () => to.destroy());
      from.pipe(to);
    }
  });
  proxy.listen(0, "127.0.0.1");
  await once(proxy, "listening");
  t.after(() => {
    for (const socket of sockets) socket.destroy();
    proxy.close();
  });
  return [`http://127.0.0.1:${proxy.address().port}`, counted];
}

test("a day of an application that nothing counts costs one small request", async (t) => {
  mock.timers.enable({ apis: ["setTimeout", "setInterval", "Date"], now: Date.parse("2026-11-28T00:00:00Z") });
  t.after(() => mock.timers.reset());
  const { requests, received, server } = await service(t, () => ({ status: 204 }));
  const [url, counted] = await countingProxy(t, server.address().port);
  const dir = folder(t);
  const kit = spindrift(options(url, dir));
  mock.timers.tick(limits.BEACON_DELAY_MS);
  await received(1);
  const state = join(dir, "spindrift", "state.json");
  while (!existsSync(state) || !readFileSync(state, "utf8").includes("counted")) await new Promise(setImmediate);
  for (let hour = 1; hour < 24; hour += 1) {
    mock.timers.tick(limits.BEACON_INTERVAL_MS);
    await new Promise(setImmediate);
  }
  await kit.flush();
  t.diagnostic(`a day: ${requests.length} request, ${counted.bytes} bytes of HTTP in both directions`);
  assert.equal(requests.length, MAX_REQUESTS_A_DAY);
  assert.ok(counted.bytes > 0 && counted.bytes < MAX_BYTES_A_DAY);
  const beacon = counted.bytes;
  kit.report({ type: "crash", reason: "exit.unclean" });
  await kit.flush();
  kit.setEnabled(false);
  t.diagnostic(`a failure: ${requests.length - 1} request, ${counted.bytes - beacon} bytes`);
  assert.equal(requests.length, 2);
});

test("a day on which the updater has checked costs nothing more", async (t) => {
  mock.timers.enable({ apis: ["setTimeout", "setInterval", "Date"], now: Date.parse("2026-11-28T00:00:00Z") });
  t.after(() => mock.timers.reset());
  const { url, requests } = await service(t, () => ({ body: "{}" }));
  const kit = spindrift(options(url, folder(t)));
  await kit.check();
  mock.timers.tick(limits.BEACON_DELAY_MS + 22 * limits.HOUR_MS);
  await kit.flush();
  kit.setEnabled(false);
  assert.deepEqual(requests.map(({ path }) => path), ["/checkVersion"]);
});
