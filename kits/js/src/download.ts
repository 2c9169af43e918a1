// Downloads of files whose SHA-256 is known. The bytes go to a temporary file beside the target, which gets the
// target's name once the digest is correct. An interrupted download continues where it stopped.

import { createHash } from "node:crypto";
import { type FileHandle, open, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { DigestError, EndpointError, RequestFailedError, ValidationError } from "./errors.js";
import { type Fetch, anySignal } from "./http.js";
import { CALL_TIMEOUT_MS, MAX_FILE_BYTES, MAX_IDLE_ATTEMPTS, MAX_REDIRECTS, STALL_TIMEOUT_MS } from "./limits.js";

export interface Download {
  url: string;
  /** Path of the file. Only the application may have write access to its folder. */
  to: string;
  /** In hex, from a source that the publisher has signed or that is part of the application. */
  sha256: string;
  /** Size in bytes, if it is known. */
  length?: number;
  /** Sent to the origin of `url` only. */
  headers?: Record<string, string>;
  onProgress?: (bytes: number, total: number | undefined) => void;
  signal?: AbortSignal;
}

const REDIRECTS = [301, 302, 303, 307, 308];

/** Downloads a file, and answers its path. */
export async function download(fetch: Fetch, what: Download, stallMs = STALL_TIMEOUT_MS): Promise<string> {
  const sha256 = String(what.sha256).toLowerCase();
  if (!/^[0-9a-f]{64}$/.test(sha256)) throw new ValidationError("sha256 is invalid");
  const part = `${what.to}.part`;
  for (let idle = 0; ; ) {
    const before = await sizeOf(part);
    try {
      await receive(fetch, what, part, sha256, stallMs);
      break;
    } catch (error) {
      what.signal?.throwIfAborted();
      const status = error instanceof EndpointError ? error.statusCode : undefined;
      const isFinal = !(error instanceof EndpointError) || (status !== undefined && status < 500);
      idle = (await sizeOf(part)) > before ? 0 : idle + 1;
      if (isFinal || idle >= MAX_IDLE_ATTEMPTS) throw error;
    }
  }
  const found = await digestOf(part);
  if (found !== sha256) {
    await forgetPart(part);
    throw new DigestError(`SHA-256 is ${found}, not ${sha256}`);
  }
  await rename(part, what.to);
  await forgetPart(part);
  return what.to;
}

/** Receives what is missing of the file. */
async function receive(fetch: Fetch, what: Download, part: string, sha256: string, stallMs: number): Promise<void> {
  const limit = Math.min(what.length ?? MAX_FILE_BYTES, MAX_FILE_BYTES);
  const etag = await etagOf(part, sha256);
  const have = etag === undefined ? 0 : await sizeOf(part);
  const range: Record<string, string> = have === 0 ? {} : { range: `bytes=${have}-`, "if-range": etag ?? "" };
  const stalled = new AbortController();
  const signal = anySignal([what.signal, stalled.signal]);
  let timer = setTimeout(() => stalled.abort(new Error("no answer in time")), CALL_TIMEOUT_MS);
  try {
    const answer = await follow(fetch, what.url, range, what.headers ?? {}, signal);
    if (answer.status === 416 && have > 0) {
      // The file ends where ours does, or is another one: the digest decides.
      await answer.body?.cancel();
      return;
    }
    const from = answer.status === 206 && startOf(answer) === have ? have : 0;
    if (answer.status !== 200 && from === 0) throw new EndpointError("download", what.url, answer.status);
    await keepEtag(part, sha256, answer.headers.get("etag"));
    const length = Number(answer.headers.get("content-length") ?? NaN);
    const total = Number.isFinite(length) ? from + length : what.length;
    if (total !== undefined && total > limit) throw new RequestFailedError(`the file has more than ${limit} bytes`);
    const file = await open(part, from === 0 ? "w" : "a");
    try {
      await copy(answer, file, from, limit, (bytes) => {
        clearTimeout(timer);
        timer = setTimeout(() => stalled.abort(new Error(`nothing received for ${stallMs} ms`)), stallMs);
        what.onProgress?.(bytes, total);
      });
    } finally {
      await file.close();
    }
  } catch (error) {
    // `fetch` hides system calls in a cause, so an error that names one is of the disk. Trying again would not help.
    if (error instanceof RequestFailedError || (error as { syscall?: unknown }).syscall !== undefined) throw error;
    throw new EndpointError("download", what.url, undefined, stalled.signal.aborted ? stalled.signal.reason : error);
  } finally {
    clearTimeout(timer);
  }
}

async function copy(answer: Response, file: FileHandle, from: number, limit: number, progress: (bytes: number) => void): Promise<void> {
  let bytes = from;
  progress(bytes);
  if (answer.body === null) return;
  const reader = answer.body.getReader();
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    const piece = part.value as Uint8Array;
    bytes += piece.byteLength;
    if (bytes > limit) {
      await reader.cancel().catch(() => undefined);
      throw new RequestFailedError(`the file has more than ${limit} bytes`);
    }
    await file.writeFile(piece);
    progress(bytes);
  }
}

/** Follows redirects: not from https to http, and without the caller's headers at another origin. */
async function follow(
  fetch: Fetch,
  from: string,
  headers: Record<string, string>,
  secrets: Record<string, string>,
  signal: AbortSignal,
): Promise<Response> {
  let url = new URL(from);
  let isHome = true;
  for (let count = 0; count <= MAX_REDIRECTS; count += 1) {
    const all = { accept: "*/*", "accept-encoding": "identity", ...(isHome ? secrets : {}), ...headers };
    const answer = await fetch(url, { headers: all, redirect: "manual", signal });
    const location = answer.headers.get("location");
    if (!REDIRECTS.includes(answer.status) || location === null) return answer;
    await answer.body?.cancel();
    const next = new URL(location, url);
    const isSafe = next.protocol === "https:" || (next.protocol === "http:" && url.protocol === "http:");
    if (!isSafe) throw new RequestFailedError("a redirect to something other than https");
    isHome &&= next.origin === url.origin;
    url = next;
  }
  throw new RequestFailedError(`more than ${MAX_REDIRECTS} redirects`);
}

function startOf(answer: Response): number | undefined {
  const start = /^bytes (\d+)-/.exec(answer.headers.get("content-range") ?? "")?.[1];
  return start === undefined ? undefined : Number(start);
}

async function sizeOf(path: string): Promise<number> {
  return stat(path).then((file) => file.size, () => 0);
}

async function digestOf(path: string): Promise<string> {
  const hash = createHash("sha256");
  const file = await open(path);
  try {
    for await (const bytes of file.createReadStream({ autoClose: false })) hash.update(bytes as Buffer);
  } finally {
    await file.close();
  }
  return hash.digest("hex");
}

/** A strong tag of the bytes that are there, if they are of the same file. */
async function etagOf(part: string, sha256: string): Promise<string | undefined> {
  const [kept, etag] = (await readFile(`${part}.tag`, "utf8").catch(() => "")).split("\n", 2);
  return kept === sha256 && etag?.startsWith('"') === true ? etag : undefined;
}

async function keepEtag(part: string, sha256: string, etag: string | null): Promise<void> {
  if (etag?.startsWith('"') === true) await writeFile(`${part}.tag`, `${sha256}\n${etag}`);
  else await rm(`${part}.tag`, { force: true });
}

async function forgetPart(part: string): Promise<void> {
  await rm(part, { force: true });
  await rm(`${part}.tag`, { force: true });
}
