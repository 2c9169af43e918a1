// Downloads.

import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { existsSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import test from "node:test";

import { DigestError, EndpointError, RequestFailedError, ValidationError, spindrift } from "../index.mjs";
import { endless, folder, options, reportOf, service } from "./helpers.mjs";

const { download } = createRequire(import.meta.url)("../dist/modules.js")("download");

const FILE = randomBytes(200_000);
const sha256 = createHash("sha256").update(FILE).digest("hex");

/** Serves the file with ranges, as object storage does. `cutAt`: the first answer ends there. */
function storage({ etag = '"one"', cutAt, file = FILE } = {}) {
  let isFirst = true;
  return ({ headers }) => {
    const from = headers.range !== undefined && headers["if-range"] === etag ? Number(/^bytes=(\d+)-$/.exec(headers.range)[1]) : 0;
    if (from >= file.length) return { status: 416 };
    const range = from === 0 ? {} : { "content-range": `bytes ${from}-${file.length - 1}/${file.length}` };
    const all = { ...range, ...(etag === null ? {} : { etag }), "content-length": file.length - from };
    if (cutAt === undefined || !isFirst) return { status: from === 0 ? 200 : 206, headers: all, body: file.subarray(from) };
    isFirst = false;
    return (response) => {
      response.writeHead(200, all);
      response.write(file.subarray(0, cutAt), () => response.destroy());
    };
  };
}

/** Downloads into a new folder, and answers what is in it afterwards. */
async function downloaded(t, url, more = {}) {
  const dir = folder(t);
  const kit = spindrift(options("https://updates.example", dir, { enabled: false }));
  const to = join(dir, "notes.deb");
  const path = await kit.download({ url, to, sha256, ...more });
  assert.equal(path, to);
  assert.deepEqual(readdirSync(dir), ["notes.deb"]);
  return readFileSync(to);
}

test("a file has its name once its digest is correct", async (t) => {
  const { url } = await service(t, storage());
  const seen = [];
  const bytes = await downloaded(t, url, { length: FILE.length, sha256: sha256.toUpperCase(), onProgress: (...call) => seen.push(call) });
  assert.ok(bytes.equals(FILE));
  assert.deepEqual([seen[0], seen.at(-1)], [[0, FILE.length], [FILE.length, FILE.length]]);
});

test("another digest leaves nothing, and is reported", async (t) => {
  const { url } = await service(t, storage());
  const reports = await service(t);
  const dir = folder(t);
  const kit = spindrift(options(reports.url, dir));
  const to = join(dir, "notes.deb");
  await assert.rejects(kit.download({ url, to, sha256: "0".repeat(64) }), DigestError);
  await kit.flush();
  kit.exiting();
  assert.deepEqual(readdirSync(dir), ["spindrift"]);
  assert.deepEqual(reports.requests.map(reportOf).map(({ type, reason }) => [type, reason]), [["update_failure", "download.digest"]]);
});

test("a download that is cut continues where it stopped", async (t) => {
  const { url, requests } = await service(t, storage({ cutAt: 150_000 }));
  assert.ok((await downloaded(t, url)).equals(FILE));
  assert.equal(requests.length, 2);
  const [, { headers }] = requests;
  const from = Number(/^bytes=(\d+)-$/.exec(headers.range)[1]);
  assert.ok(from > 0 && from <= 150_000, headers.range);
  assert.equal(headers["if-range"], '"one"');
});

test("without a strong tag it starts again", async (t) => {
  for (const etag of [null, 'W/"weak"']) {
    const { url, requests } = await service(t, storage({ cutAt: 150_000, etag }));
    assert.ok((await downloaded(t, url)).equals(FILE));
    assert.deepEqual(requests.map(({ headers }) => headers.range), [undefined, undefined]);
  }
});

test("a part of another file is not continued", async (t) => {
  for (const tag of [`${"0".repeat(64)}\n"one"`, `${sha256}\n"older"`, "garbage", ""]) {
    const { url } = await service(t, storage());
    const dir = folder(t);
    const to = join(dir, "notes.deb");
    writeFileSync(`${to}.part`, randomBytes(1000));
    writeFileSync(`${to}.part.tag`, tag);
    await download(fetch, { url, to, sha256 });
    assert.ok(readFileSync(to).equals(FILE));
  }
});

test("a complete part needs only its digest", async (t) => {
  const { url } = await service(t, storage());
  const to = join(folder(t), "notes.deb");
  writeFileSync(`${to}.part`, FILE);
  writeFileSync(`${to}.part.tag`, `${sha256}\n"one"`);
  await download(fetch, { url, to, sha256 });
  assert.ok(readFileSync(to).equals(FILE));
});

test("answers that are too long end the download", async (t) => {
  for (const answer of [endless, () => ({ headers: { "content-length": 10 ** 6 }, body: Buffer.alloc(10 ** 6) })]) {
    const { url, requests } = await service(t, answer === endless ? () => endless : answer);
    const to = join(folder(t), "notes.deb");
    await assert.rejects(download(fetch, { url, to, sha256, length: FILE.length }), /more than 200000 bytes/);
    assert.deepEqual([requests.length, existsSync(to)], [1, false]);
  }
});

test("a download that receives nothing is interrupted, and given up after a few attempts", async (t) => {
  const silent = (response) => {
    response.writeHead(200, { "content-length": FILE.length });
    response.flushHeaders();
  };
  const { url, requests } = await service(t, () => silent);
  const to = join(folder(t), "notes.deb");
  await assert.rejects(download(fetch, { url, to, sha256 }, 20), /nothing received for 20 ms/);
  assert.equal(requests.length, 3);
});

test("statuses: those of the client end it, those of the server do not at once", async (t) => {
  for (const [status, attempts] of [[404, 1], [403, 1], [503, 3]]) {
    const { url, requests } = await service(t, () => ({ status }));
    const error = await download(fetch, { url: `${url}/file?token=secret`, to: join(folder(t), "x"), sha256 }).then(assert.fail, (reason) => reason);
    assert.ok(error instanceof EndpointError);
    assert.equal(error.statusCode, status);
    assert.doesNotMatch(error.message, /secret/);
    assert.equal(requests.length, attempts);
  }
});

test("a redirect to another origin loses the caller's headers", async (t) => {
  const target = await service(t, storage());
  const origin = await service(t, () => ({ status: 302, headers: { location: `${target.url}/file` } }));
  const same = await service(t, ({ path }) => (path === "/" ? { status: 307, headers: { location: "/file" } } : storage()({ headers: {} })));
  const headers = { authorization: "Bearer x" };
  assert.ok((await downloaded(t, origin.url, { headers })).equals(FILE));
  assert.deepEqual([origin.requests[0].headers.authorization, target.requests[0].headers.authorization], ["Bearer x", undefined]);
  assert.ok((await downloaded(t, same.url, { headers })).equals(FILE));
  assert.equal(same.requests[1].headers.authorization, "Bearer x");
});

test("loops and unsafe redirects end it", async (t) => {
  const loop = await service(t, ({ path }) => ({ status: 301, headers: { location: `${path}x` } }));
  await assert.rejects(download(fetch, { url: loop.url, to: join(folder(t), "x"), sha256 }), /more than 5 redirects/);
  assert.equal(loop.requests.length, 6);
  for (const location of ["ftp://a.example/", "file:///etc/passwd", "javascript:alert(1)"]) {
    const { url } = await service(t, () => ({ status: 302, headers: { location } }));
    await assert.rejects(download(fetch, { url, to: join(folder(t), "x"), sha256 }), RequestFailedError);
  }
  // From https to http, with a stand-in for the network.
  const asked = [];
  const insecure = async (url) => {
    asked.push(String(url));
    return new Response(null, { status: 302, headers: { location: "http://a.example/file" } });
  };
  await assert.rejects(download(insecure, { url: "https://a.example/", to: join(folder(t), "x"), sha256 }), /other than https/);
  assert.deepEqual(asked, ["https://a.example/"]);
});

test("an invalid digest, and a folder that is missing, are errors at once", async (t) => {
  const { url, requests } = await service(t, storage());
  await assert.rejects(download(fetch, { url, to: join(folder(t), "x"), sha256: "abc" }), ValidationError);
  assert.deepEqual(requests, []);
  await assert.rejects(download(fetch, { url, to: join(folder(t), "missing", "x"), sha256 }), { code: "ENOENT" });
  assert.equal(requests.length, 1);
});

test("a download can be cancelled, and continued later", async (t) => {
  const { url, requests } = await service(t, storage());
  const to = join(folder(t), "notes.deb");
  const cancel = new AbortController();
  const stop = (bytes) => bytes > 0 && cancel.abort(new Error("cancelled"));
  await assert.rejects(download(fetch, { url, to, sha256, signal: cancel.signal, onProgress: stop }), /cancelled/);
  assert.equal(requests.length, 1);
  await download(fetch, { url, to, sha256 });
  assert.ok(readFileSync(to).equals(FILE));
});
