// The options of the kit, and the values that stand in for those that are left out.

import { readFileSync } from "node:fs";
import { release } from "node:os";
import { type ElectronApp, electronApp } from "./electron.js";
import type { Fetch } from "./http.js";
import { MAX_GROUP_KEYS } from "./limits.js";

export interface Options {
  /** Base URL of the service. */
  url: string;
  owner: string;
  app: string;
  /** Left out for applications without channels. */
  channel?: string;
  /** The running version. In Electron, that of the application. */
  version?: string;
  /** A folder that outlives updates. In Electron, `userData`. Without it, nothing is kept on disk. */
  dir?: string;
  /** Without it, failures are neither noticed nor reported. */
  reportKey?: string;
  /** Up to 4 keys of groups. */
  group?: string | readonly string[];
  /** `false`: the kit writes and sends nothing. */
  enabled?: boolean;
  platform?: string;
  arch?: string;
  /** Version of the operating system. On Linux it is sent only if it is given here. */
  osVersion?: string;
  /** `false`: no daily beacon. */
  beacon?: boolean;
  /** A start that has not called `started()` after so many milliseconds has failed. */
  startTimeoutMs?: number;
  /** Base URL of an edge, which `check()` asks first. */
  edgeUrl?: string;
  /** In place of `globalThis.fetch`, such as `net.fetch` of Electron, which knows the proxies of the system. */
  fetch?: Fetch;
  /** Gets a line about each problem of the kit. */
  log?: (line: string) => void;
}

export interface Settings {
  url: string;
  edgeUrl: string | undefined;
  owner: string;
  app: string;
  channel: string;
  version: string;
  platform: string;
  arch: string;
  dir: string | undefined;
  reportKey: string | undefined;
  groups: string;
  osVersion: string;
  beacon: boolean;
  startTimeoutMs: number;
  fetch: Fetch;
  electron: ElectronApp | undefined;
  /** Something is wrong, but not so much that the updater should lose its URL. */
  problem: string | null;
}

/** The channel of requests and reports of an application without channels. */
const NO_CHANNEL = "default";
const PLATFORMS: Record<string, string> = { win32: "windows" };
const ARCHS: Record<string, string> = { x64: "amd64", ia32: "386" };
const REPORT_KEY = /^rpk_[0-9a-f]{64}$/i;
const MAC_VERSION_FILE = "/System/Library/CoreServices/SystemVersion.plist";

/** Reads the options. The error names the first one that is invalid. */
export function readOptions(options: Options): Settings {
  const electron = electronApp();
  const text = (name: "owner" | "app"): string => {
    const value = options[name];
    if (typeof value !== "string" || value === "") throw new Error(`${name} is missing`);
    return value;
  };
  const version = options.version ?? electron?.getVersion();
  if (typeof version !== "string" || version === "") throw new Error("version is missing");
  const isKey = options.reportKey === undefined || REPORT_KEY.test(options.reportKey);
  return {
    url: baseUrl("url", options.url),
    edgeUrl: options.edgeUrl === undefined ? undefined : baseUrl("edgeUrl", options.edgeUrl),
    owner: text("owner"),
    app: text("app"),
    channel: options.channel || NO_CHANNEL,
    version,
    platform: options.platform ?? PLATFORMS[process.platform] ?? process.platform,
    arch: options.arch ?? ARCHS[process.arch] ?? process.arch,
    dir: options.dir ?? electron?.getPath("userData"),
    reportKey: isKey ? options.reportKey : undefined,
    groups: [options.group ?? []].flat().slice(0, MAX_GROUP_KEYS).join(","),
    osVersion: numbers(options.osVersion ?? systemVersion()),
    beacon: options.beacon !== false,
    startTimeoutMs: options.startTimeoutMs ?? 0,
    fetch: options.fetch ?? ((...call) => globalThis.fetch(...call)),
    electron,
    problem: isKey ? null : "reportKey is invalid",
  };
}

/** A base URL without a slash at its end. */
export function baseUrl(name: string, value: string): string {
  const url = new URL(value);
  if (!/^https?:$/.test(url.protocol) || url.search !== "" || url.hash !== "") throw new Error(`${name} is invalid`);
  return url.href.replace(/\/+$/, "");
}

/** 1 to 4 numbers, or nothing. */
function numbers(version: string): string {
  return /^\d+(\.\d+){0,3}/.exec(version)?.[0] ?? "";
}

/** The version of the product. Kernels have other numbers, so macOS is read from its file. Linux has none. */
function systemVersion(): string {
  if (process.platform === "win32") return release();
  if (process.platform !== "darwin") return "";
  try {
    const file = readFileSync(MAC_VERSION_FILE, "utf8");
    return /<key>ProductVersion<\/key>\s*<string>([\d.]+)</.exec(file)?.[1] ?? "";
  } catch {
    return "";
  }
}
