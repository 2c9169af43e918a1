// The check of clients that install updates themselves.

import { CheckError, EndpointError, type EndpointSource } from "./errors.js";
import type { Facts } from "./feeds.js";
import { type Fetch, readObject, send } from "./http.js";
import { MAX_ANSWER_BYTES } from "./limits.js";
import type { Settings } from "./options.js";

/** The links of a release, and what there is to know about it. */
export interface Update {
  version: string;
  /** The file without an extension. */
  url: string | undefined;
  /** Files by package: `deb`, `exe`, ... */
  packages: Record<string, string>;
  critical: boolean;
  changelog: string;
  signature: string | undefined;
  /** Install it, then check again. */
  isIntermediateRequired: boolean;
}

export interface CheckResult {
  /** The update on offer. */
  update: Update | null;
  /** The running version was withdrawn, for this reason. Show it as plain text. */
  withdrawn: string | null;
  shutOff: boolean;
  source: "edge" | "api";
}

export type CheckAnswer = Record<string, unknown>;

/** Asks the edge, if there is one, and then the service. */
export async function check(
  settings: Settings,
  facts: Facts,
  deviceId: string | null,
  signal: AbortSignal | undefined,
): Promise<CheckResult> {
  const { url, edgeUrl, owner, app, channel, platform, arch, version, fetch } = settings;
  const said = Object.entries(facts).filter(([, value]) => value !== "");
  let edgeError: Error | undefined;
  if (edgeUrl !== undefined && facts.interactive === "") {
    try {
      const path = staticPath([owner, app, channel, platform, arch], "manual", version);
      const answer = await askForUpdate(fetch, "edge", `${edgeUrl}/${path}`, {}, signal);
      // The edge knows nothing about this copy. Where that matters, the service decides.
      const varies = Array.isArray(answer["varies_with"]) ? answer["varies_with"] : [];
      const isForAll = !isForPart(answer) && !said.some(([name]) => varies.includes(name));
      if (isForAll || deviceId === null) return resultOf(answer, "edge");
    } catch (error) {
      edgeError = error as Error;
    }
  }
  const names = { app_name: app, version, channel, platform, arch, owner, updater: "manual" };
  const query = new URLSearchParams({ ...names, ...Object.fromEntries(said) });
  const headers: Record<string, string> = deviceId === null ? {} : { "x-device-id": deviceId };
  try {
    return resultOf(await askForUpdate(fetch, "api", `${url}/checkVersion?${query}`, headers, signal), "api");
  } catch (error) {
    throw new CheckError(edgeError, error as Error);
  }
}

/** Asks for an answer to a check: a JSON object with status 200. */
export async function askForUpdate(
  fetch: Fetch,
  source: EndpointSource,
  url: string,
  headers: Record<string, string>,
  signal: AbortSignal | undefined,
  timeoutMs?: number,
): Promise<CheckAnswer> {
  let answer: Response;
  try {
    answer = await send(fetch, url, { headers: { accept: "application/json", ...headers }, ...(signal && { signal }) }, timeoutMs);
    if (answer.status === 200) return await readObject(answer, MAX_ANSWER_BYTES);
  } catch (error) {
    throw new EndpointError(source, url, undefined, error);
  }
  await answer.body?.cancel().catch(() => undefined);
  throw new EndpointError(source, url, answer.status);
}

function resultOf(answer: CheckAnswer, source: "edge" | "api"): CheckResult {
  const withdrawn = answer["withdrawn"] as { reason?: unknown } | null | undefined;
  const reason = typeof withdrawn === "object" && withdrawn !== null ? String(withdrawn.reason ?? "") : null;
  return { update: updateOf(offerOf(answer)), withdrawn: reason, shutOff: answer["shut_off"] === true, source };
}

function isForPart(answer: CheckAnswer): boolean {
  return typeof answer["rollout"] === "object" && answer["rollout"] !== null;
}

/**
 * The offer of an answer. Without a device, a release that is rolled out to a part of the devices is not for this one,
 * but its `fallback` is for everybody.
 */
export function offerOf(answer: CheckAnswer): CheckAnswer {
  if (!isForPart(answer)) return answer;
  const { fallback } = answer;
  if (typeof fallback !== "object" || fallback === null) return { update_available: false };
  return { ...fallback, update_available: true };
}

export function updateOf(offer: CheckAnswer): Update | null {
  if (offer["update_available"] !== true) return null;
  const text = (name: string): string | undefined => {
    const value = offer[name];
    return typeof value === "string" && value !== "" ? value : undefined;
  };
  return {
    version: text("version") ?? "",
    url: text("update_url"),
    packages: packagesOf(offer),
    critical: offer["critical"] === true,
    changelog: text("changelog") ?? "",
    signature: text("signature"),
    isIntermediateRequired: offer["is_intermediate_required"] === true,
  };
}

/** The links `update_url_<package>`. */
export function packagesOf(offer: CheckAnswer): Record<string, string> {
  const prefix = "update_url_";
  const links = Object.entries(offer).filter(([name, value]) => name.startsWith(prefix) && typeof value === "string");
  return Object.fromEntries(links.map(([name, value]) => [name.slice(prefix.length), value as string]));
}

/** The path of a static answer at an edge. */
export function staticPath(parts: readonly string[], updater: string, version: string): string {
  const folders = [...parts.map((part) => part || "default"), updater].map(encodeURIComponent).join("/");
  return `responses/${folders}/${encodeURIComponent(version)}.json`;
}
