// Updaters that the kit is attached to.

import type { FeedUpdater } from "./feeds.js";
import { type Failure, nameOf } from "./report.js";

/** The parts of `autoUpdater` that the kit uses, of electron-updater or of Electron itself. */
export interface AutoUpdater {
  on(event: string, listener: (...args: never[]) => void): unknown;
  setFeedURL(options: never): unknown;
  checkForUpdates(): unknown;
  requestHeaders?: unknown;
}

/** The parts of the kit that an updater needs. */
export interface Host {
  /** The device id, or nothing while the kit is off. */
  deviceId(): string;
  feedUrl(updater: FeedUpdater): string;
  /** A check got an answer, and so the device was counted. */
  counted(): void;
  /** The check of the user is over. */
  answered(): void;
  failed(failure: Failure): void;
}

export interface Attached {
  /** Gives the updater its URL again, with other facts. */
  setFeed(): void;
}

type Headers = Record<string, string>;
type Phase = "check" | "download" | "install";

/** Our header, and the one in which electron-updater sends an id of its own. One id is enough. */
const DEVICE_HEADERS = ["X-Device-ID", "x-user-staging-id"] as const;
/** Being offline is not a failure of the application. Electron has these names in messages, Node in codes, Apple as a domain. */
const OFFLINE_MESSAGE = /^(Error: )?net::ERR_/;
const OFFLINE_CODE = /^(net::ERR_|ENOTFOUND|EAI_AGAIN|ECONN|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH|EPIPE|HTTP_ERROR_5)/;
const OFFLINE_DOMAIN = "NSURLErrorDomain";
/** A service that has no release for this copy, or has shut off updates. */
const NO_RELEASE_CODE = /^(HTTP_ERROR_|ERR_UPDATER_CHANNEL_FILE_NOT_FOUND)/;

/** Whether this is electron-updater. Otherwise it is Electron's own. */
export function isElectronUpdater(updater: AutoUpdater): boolean {
  return typeof (updater as { downloadUpdate?: unknown }).downloadUpdate === "function";
}

export function isAutoUpdater(value: unknown): value is AutoUpdater {
  const { on, setFeedURL, checkForUpdates } = (value ?? {}) as Record<string, unknown>;
  return [on, setFeedURL, checkForUpdates].every((part) => typeof part === "function");
}

export function attachElectronUpdater(updater: AutoUpdater, host: Host, setsFeed: boolean): Attached {
  const headersOf = (): Headers => ({ ...(updater.requestHeaders as Headers | null | undefined) });
  let ours = false;
  const removeHeaders = (): void => {
    if (!ours) return;
    const headers = headersOf();
    for (const name of DEVICE_HEADERS) delete headers[name];
    updater.requestHeaders = Object.keys(headers).length === 0 ? null : headers;
    ours = false;
  };
  // Downloads have the same headers, and go to the object storage, which need not know the device. An empty id is none.
  listen(updater, "checking-for-update", () => {
    const id = host.deviceId();
    updater.requestHeaders = { ...headersOf(), ...Object.fromEntries(DEVICE_HEADERS.map((name) => [name, id])) };
    ours = true;
  });
  for (const event of ["update-available", "update-not-available", "error"]) listen(updater, event, removeHeaders);
  const setFeed = (): void => {
    if (!setsFeed) return;
    // Object storage answers one range at a time.
    const feed = { provider: "generic", url: host.feedUrl("electron-builder"), useMultipleRangeRequest: false };
    updater.setFeedURL(feed as never);
  };
  setFeed();
  watch(updater, host, ["update-available", "update-not-available", "error"], true);
  return { setFeed };
}

export function attachNative(updater: AutoUpdater, host: Host): Attached {
  const name: FeedUpdater = process.platform === "darwin" ? "squirrel_darwin" : "squirrel_windows";
  const setFeed = (): void => {
    const id = host.deviceId();
    // Windows ignores these headers.
    const headers: Headers = id === "" ? {} : { "X-Device-ID": id };
    updater.setFeedURL({ url: host.feedUrl(name), headers } as never);
  };
  setFeed();
  // On macOS, another URL would end a download that has begun: it is set after it.
  // On Windows, nothing but a translated text says that a check failed because the device is offline.
  watch(updater, host, ["update-downloaded", "update-not-available", "error"], false);
  return { setFeed };
}

/** Adds a listener. Its errors would be thrown into the updater, so they end here. */
function listen<T>(updater: AutoUpdater, event: string, listener: (argument?: T) => void): void {
  updater.on(event, (...[argument]: T[]) => {
    try {
      listener(argument);
    } catch {
      // The next check tries it again.
    }
  });
}

/** Follows the events of an updater. Each end of a check ends what the user asked. */
function watch(updater: AutoUpdater, host: Host, ends: string[], reportsChecks: boolean): void {
  let phase: Phase = "check";
  let offered: string | undefined;
  listen(updater, "checking-for-update", () => (phase = "check"));
  listen(updater, "update-available", (info?: { version?: unknown }) => {
    phase = "download";
    offered = typeof info?.version === "string" ? info.version : undefined;
    host.counted();
  });
  listen(updater, "update-not-available", () => host.counted());
  listen(updater, "update-downloaded", () => (phase = "install"));
  listen(updater, "error", (error: unknown) => {
    if (!isFailure(error, phase) || (phase === "check" && !reportsChecks)) return;
    const type = phase === "install" ? "install_failure" : "update_failure";
    const details = offered === undefined || phase === "check" ? {} : { offered };
    host.failed({ type, reason: `${phase}.${nameOf(error)}`, details: { phase, ...details } });
  });
  for (const event of ends) listen(updater, event, () => host.answered());
}

function isFailure(error: unknown, phase: Phase): boolean {
  const { code, message, domain } = (error ?? {}) as { code?: unknown; message?: unknown; domain?: unknown };
  if (OFFLINE_CODE.test(String(code)) || OFFLINE_MESSAGE.test(String(message)) || domain === OFFLINE_DOMAIN) return false;
  return phase !== "check" || !NO_RELEASE_CODE.test(String(code));
}
