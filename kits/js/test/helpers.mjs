// A service on this machine whose answers a test chooses, and folders that end with the test.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import http from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";

export const REPORT_KEY = `rpk_${"ab".repeat(32)}`;
/** The compiled kit, for processes of their own. */
export const KIT = fileURLToPath(new URL("../dist/index.js", import.meta.url));
/** A child that does not end by then has failed. */
const CHILD_LIMIT_MS = 20_000;
/** Nothing listens there. */
export const NOBODY = "http://127.0.0.1:1";

/** A folder that is deleted after the test. */
export function folder(t) {
  const path = mkdtempSync(join(tmpdir(), "kit-"));
  t.after(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

/**
 * A service. `answer(request)` gets `{method, path, query, headers, body}` and gives `{status, headers, body}` or a
 * function that writes to the response itself.
 */
export async function service(t, answer = () => ({ status: 202, body: "{}" }), port = 0) {
  const requests = [];
  const waiting = [];
  const server = http.createServer(async (request, response) => {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const url = new URL(request.url, "http://service");
    const { method, headers } = request;
    const body = Buffer.concat(chunks).toString();
    const seen = { method, path: url.pathname, query: Object.fromEntries(url.searchParams), headers, body };
    requests.push(seen);
    const given = answer(seen);
    if (typeof given === "function") given(response);
    else response.writeHead(given.status ?? 200, given.headers).end(given.body);
    for (const wake of waiting.splice(0)) wake();
  });
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  const close = () => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  };
  t.after(close);
  return {
    server,
    requests,
    close,
    url: `http://127.0.0.1:${server.address().port}`,
    /** Waits for so many requests. */
    async received(count) {
      while (requests.length < count) await new Promise((resolve) => waiting.push(resolve));
      return requests;
    },
  };
}

/** The options of a kit. */
export function options(url, dir, more = {}) {
  return { url, owner: "acme", app: "notes", channel: "stable", version: "1.0.0", platform: "linux", arch: "amd64", dir, reportKey: REPORT_KEY, ...more };
}

/** Runs a piece of a program with a kit in a process of its own, and answers how it ended. */
export async function runProgram(kitOptions, program) {
  const code = `const { spindrift } = require(${JSON.stringify(KIT)});
const kit = spindrift(${JSON.stringify(kitOptions)});
${program}`;
  const child = spawn(process.execPath, ["-e", code], { stdio: ["ignore", "pipe", "pipe"], timeout: CHILD_LIMIT_MS });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (bytes) => (output += bytes));
  const [code_, signal] = await once(child, "close");
  return { code: code_, signal, output };
}

/** The report in a request, with its details. */
export function reportOf({ body }) {
  const { application, event, details } = JSON.parse(body);
  const unpacked = details === undefined ? undefined : JSON.parse(gunzipSync(Buffer.from(details.payload, "base64")).toString());
  return { version: application.version, ...event, details: unpacked };
}

/** Answers without an end, until nobody listens. */
export function endless(response) {
  const piece = Buffer.alloc(64 * 1024, " ");
  const more = () => {
    while (!response.destroyed && response.write(piece));
  };
  response.on("drain", more);
  response.writeHead(200, { "content-type": "application/json" });
  more();
}
