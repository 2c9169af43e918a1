// Reports of failures, as the service reads them.

import { MAX_DETAILS_BYTES, MAX_REASON_CHARS } from "./limits.js";
import type { Settings } from "./options.js";

export const EVENT_TYPES = ["crash", "startup_failure", "update_failure", "install_failure", "rollback_failure"] as const;
export type EventType = (typeof EVENT_TYPES)[number];

export interface Failure {
  type: EventType;
  /** Short and constant: equal reasons are counted together. Other characters than letters, digits, `.`, `_` and `-` become `_`. */
  reason: string;
  /** The version that failed, if it is not the running one. */
  version?: string;
  /** For debugging. Nothing that says something about the user. */
  details?: Record<string, unknown>;
}

export type Report = Required<Pick<Failure, "type" | "reason" | "version">> & Pick<Failure, "details">;

/** A report that the service accepts, or nothing. */
export function readReport(value: unknown, runningVersion: string): Report | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const { type, reason, version = runningVersion, details } = value as Record<string, unknown>;
  if (!EVENT_TYPES.includes(type as EventType) || typeof version !== "string" || version === "") return undefined;
  const report: Report = { type: type as EventType, reason: asReason(reason), version };
  if (typeof details === "object" && details !== null && !Array.isArray(details)) {
    const length = Buffer.byteLength(JSON.stringify(details));
    if (length <= MAX_DETAILS_BYTES) report.details = details as Record<string, unknown>;
  }
  return report;
}

/** A text in the form of a reason. */
export function asReason(value: unknown): string {
  const text = typeof value === "string" ? value.replace(/[^A-Za-z0-9._-]+/g, "_").slice(0, MAX_REASON_CHARS) : "";
  return text === "" ? "unknown" : text;
}

/** The name of an error. Its message can contain paths, and so the name of the user. */
export function nameOf(error: unknown): string {
  const { code, domain, name } = (error ?? {}) as { code?: unknown; domain?: unknown; name?: unknown };
  // Errors of macOS have a number in a domain.
  if (typeof domain === "string" && typeof code === "number") return asReason(`${domain}.${code}`);
  return asReason(typeof code === "string" && code !== "" ? code : name);
}

/** The body of `POST /reports/ingest`. */
export function reportBody(settings: Pick<Settings, "app" | "channel" | "platform" | "arch">, report: Report): string {
  const { type, reason, version, details } = report;
  return JSON.stringify({
    application: { name: settings.app, version, channel: settings.channel },
    system: { platform: settings.platform, arch: settings.arch },
    event: { type, reason },
    ...(details === undefined ? {} : { details: packDetails(details) }),
  });
}

export function packDetails(details: object): object {
  const { gzipSync } = require("node:zlib") as typeof import("node:zlib");
  const payload = gzipSync(JSON.stringify(details)).toString("base64");
  return { encoding: "gzip+base64", content_type: "application/json", payload };
}
