// What electron-updater uses of Electron, over Node's own HTTP client: `net.request` with Electron's rules for redirects,
// and an `autoUpdater` that does what Squirrel.Mac does with a feed.

import { createHash } from "node:crypto";
import { EventEmitter } from "node:events";
import http from "node:http";
import https from "node:https";

const REDIRECTS = [301, 302, 303, 307, 308];

/** Every request that was sent, in order: `{method, url, status, range, stagingId, received}`. */
export const requests = [];

function send(method, url, headers, onResponse, onError) {
  const entry = { method, url: url.href, status: 0, range: null, stagingId: null, received: 0 };
  for (const [name, value] of Object.entries(headers)) {
    if (name.toLowerCase() === "range") entry.range = value;
    if (name.toLowerCase() === "x-user-staging-id") entry.stagingId = value;
  }
  requests.push(entry);
  // A connection of its own for each request: a kept one could be closed by the server just before it is used.
  const request = (url.protocol === "https:" ? https : http).request(url, { method, headers, agent: false });
  request.on("error", onError);
  request.on("response", (response) => {
    entry.status = response.statusCode;
    response.on("data", (chunk) => (entry.received += chunk.length));
    response.pause();
    onResponse(response);
  });
  return request;
}

/** `net.request`: see Electron's documentation of ClientRequest. */
class ClientRequest extends EventEmitter {
  #method;
  #url;
  #headers;
  #redirect;
  #body = [];
  #sent = null;
  #aborted = false;
  #follow = false;

  constructor(options) {
    super();
    const { protocol = "http:", hostname, port, path = "/" } = options;
    this.#method = (options.method ?? "GET").toUpperCase();
    this.#url = new URL(`${protocol}//${hostname}${port ? `:${port}` : ""}${path}`);
    this.#headers = { ...options.headers };
    this.#redirect = options.redirect ?? "follow";
  }

  setHeader(name, value) {
    this.#headers[name] = value;
  }

  write(chunk) {
    this.#body.push(Buffer.from(chunk));
  }

  end(chunk) {
    if (chunk != null) this.write(chunk);
    this.#start();
  }

  abort() {
    this.#aborted = true;
    this.#sent?.destroy();
  }

  /** Only within a `redirect` event. */
  followRedirect() {
    this.#follow = true;
  }

  #start() {
    const onError = (error) => {
      if (!this.#aborted) this.emit("error", error);
    };
    this.#sent = send(this.#method, this.#url, this.#headers, (response) => this.#answered(response), onError);
    this.#sent.end(Buffer.concat(this.#body));
  }

  #answered(response) {
    const location = response.headers.location;
    if (location == null || !REDIRECTS.includes(response.statusCode)) {
      this.emit("response", response);
      response.resume();
      return;
    }
    response.resume();
    const next = new URL(location, this.#url);
    const method = response.statusCode === 303 && this.#method !== "HEAD" ? "GET" : this.#method;
    this.#follow = this.#redirect === "follow";
    if (this.#redirect !== "error") this.emit("redirect", response.statusCode, method, next.href, response.headers);
    if (this.#aborted) return;
    if (!this.#follow) {
      this.emit("error", new Error("Redirect was cancelled"));
      return;
    }
    this.#method = method;
    this.#url = next;
    this.#start();
  }
}

/** Electron's own updater on macOS: asks the feed, downloads what it names, says so. */
class AutoUpdater extends EventEmitter {
  #feed = null;
  /** SHA-512 and size of what was downloaded. */
  downloaded = null;

  setFeedURL(feed) {
    this.#feed = feed;
  }

  checkForUpdates() {
    this.#check().then(
      () => this.emit("update-downloaded"),
      (error) => this.emit("error", error),
    );
  }

  async #check() {
    const feed = await fetch(this.#feed.url, { headers: { accept: "application/json", ...this.#feed.headers } });
    if (feed.status !== 200) throw new Error(`Squirrel.Mac: status ${feed.status}`);
    const { url } = await feed.json();
    const file = await fetch(url, { headers: { accept: "application/zip", ...this.#feed.headers } });
    if (file.status !== 200) throw new Error(`Squirrel.Mac: status ${file.status}`);
    const bytes = Buffer.from(await file.arrayBuffer());
    this.downloaded = { sha512: createHash("sha512").update(bytes).digest("base64"), size: bytes.length };
  }
}

export const autoUpdater = new AutoUpdater();

/** The module that `require("electron")` answers. */
export const electron = {
  autoUpdater,
  net: { request: (options) => new ClientRequest(options) },
  session: { fromPartition: () => ({}) },
};
