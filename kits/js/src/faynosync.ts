// The names that applications with the JavaScript library of faynoSync already use. Moving is a change of the import.

import { askForUpdate, offerOf, packagesOf, staticPath } from "./check.js";
import { CheckError, EndpointError, KitError, ValidationError } from "./errors.js";
import { type Fetch, anySignal, readObject, send } from "./http.js";
import { CALL_TIMEOUT_MS, MAX_ANSWER_BYTES } from "./limits.js";
import { baseUrl } from "./options.js";
import { EVENT_TYPES, type EventType, packDetails } from "./report.js";

export { CheckError, EndpointError, RequestFailedError, ValidationError } from "./errors.js";
export { KitError as FaynoSyncError };

export class UnsupportedUpdaterError extends ValidationError {
  constructor(readonly updater: string) {
    super(`unsupported updater: ${updater}`);
  }
}

export const ErrMissingBaseURL = new ValidationError("missing base URL");
export const ErrInvalidBaseURL = new ValidationError("invalid base URL");
export const ErrInvalidEdgeURL = new ValidationError("invalid edge URL");
export const ErrMissingOwner = new ValidationError("missing owner");
export const ErrMissingAppName = new ValidationError("missing app name");
export const ErrMissingVersion = new ValidationError("missing version");
export const ErrMissingReportKey = new ValidationError("missing report key");
export const ErrMissingDeviceId = new ValidationError("missing device id");
export const ErrMissingChannel = new ValidationError("missing channel");
export const ErrMissingPlatform = new ValidationError("missing platform");
export const ErrMissingArch = new ValidationError("missing arch");
export const ErrInvalidEventType = new ValidationError("invalid event type");
export const ErrInvalidReason = new ValidationError("invalid event reason");

export interface Config {
  readonly baseURL: string;
  readonly edgeURL?: string;
  readonly fetch?: Fetch;
  readonly timeoutMs?: number;
}

export interface CheckOptions {
  readonly owner: string;
  readonly appName: string;
  readonly version: string;
  readonly channel?: string;
  readonly platform?: string;
  readonly arch?: string;
  readonly deviceId?: string;
}

export const NATIVE_UPDATERS = ["squirrel_darwin", "squirrel_windows"] as const;
export type NativeUpdater = (typeof NATIVE_UPDATERS)[number];

export interface NativeFeedOptions extends CheckOptions {
  readonly updater: NativeUpdater;
}

export interface NativeFeedResult {
  readonly updateAvailable: boolean;
  readonly feedURL: string;
  readonly source: "unknown" | "edge" | "api";
  readonly url?: string;
}

export interface UpdateResponse {
  readonly updateAvailable: boolean;
  readonly updateUrl: string;
  readonly changelog: string;
  readonly critical: boolean;
  readonly isIntermediateRequired: boolean;
  readonly possibleRollback: boolean;
  readonly packageUrls: readonly { readonly package: string; readonly url: string }[];
  readonly source: "unknown" | "edge" | "api";
}

export interface ReportOptions {
  readonly reportKey: string;
  readonly deviceId: string;
  readonly appName: string;
  readonly version: string;
  readonly channel: string;
  readonly platform: string;
  readonly arch: string;
  readonly event: { readonly type: EventType; readonly reason: string };
  readonly details?: Readonly<Record<string, unknown>>;
}

export interface ReportResponse {
  readonly status: string;
  readonly groupHash: string;
  readonly storedDetails: boolean;
}

const REASON = /^[a-zA-Z0-9._-]{1,128}$/;

export class Client {
  readonly #config: Config;
  readonly #fetch: Fetch;
  readonly #timeoutMs: number;

  constructor(config: Config) {
    this.#config = config;
    this.#fetch = config.fetch ?? ((...call) => globalThis.fetch(...call));
    this.#timeoutMs = config.timeoutMs ?? CALL_TIMEOUT_MS;
  }

  async checkForUpdates(options: CheckOptions, signal?: AbortSignal): Promise<UpdateResponse> {
    const base = this.#base();
    requireOptions([options.owner, ErrMissingOwner], [options.appName, ErrMissingAppName], [options.version, ErrMissingVersion]);
    const ask = (source: "edge" | "api", url: string): Promise<UpdateResponse> => {
      const headers: Record<string, string> = source === "api" && options.deviceId ? { "x-device-id": options.deviceId } : {};
      return askForUpdate(this.#fetch, source, url, headers, signal, this.#timeoutMs).then((answer) => responseOf(answer, source));
    };
    let edgeError: Error | undefined;
    if (this.#config.edgeURL) {
      const edge = valid(ErrInvalidEdgeURL, this.#config.edgeURL);
      const { owner, appName, channel = "", platform = "", arch = "", version } = options;
      try {
        const response = await ask("edge", `${edge}/${staticPath([owner, appName, channel, platform, arch], "manual", version)}`);
        if (options.deviceId) void this.#countDevice(base, options);
        return response;
      } catch (error) {
        edgeError = error as Error;
        if (signal?.aborted === true) throw new CheckError(edgeError);
      }
    }
    try {
      return await ask("api", `${base}/checkVersion?${queryOf(options, "manual")}`);
    } catch (error) {
      throw new CheckError(edgeError, error as Error);
    }
  }

  async reportEvent(options: ReportOptions, signal?: AbortSignal): Promise<ReportResponse> {
    const url = `${this.#base()}/reports/ingest`;
    requireOptions(
      [options.reportKey, ErrMissingReportKey],
      [options.deviceId, ErrMissingDeviceId],
      [options.appName, ErrMissingAppName],
      [options.version, ErrMissingVersion],
      [options.channel, ErrMissingChannel],
      [options.platform, ErrMissingPlatform],
      [options.arch, ErrMissingArch],
    );
    if (!EVENT_TYPES.includes(options.event.type)) throw ErrInvalidEventType;
    if (!REASON.test(options.event.reason)) throw ErrInvalidReason;
    const headers = {
      authorization: `Bearer ${options.reportKey}`,
      "content-type": "application/json",
      "x-device-id": options.deviceId,
    };
    const { appName: name, version, channel, platform, arch, event, details } = options;
    const body = JSON.stringify({
      application: { name, version, channel },
      system: { platform, arch },
      event: { type: event.type, reason: event.reason },
      ...(details === undefined ? {} : { details: packDetails(details) }),
    });
    let answer: Response | undefined;
    try {
      answer = await send(this.#fetch, url, { method: "POST", headers, body, signal: anySignal([signal]) }, this.#timeoutMs);
      if (answer.status === 202) {
        const read = await readObject(answer, MAX_ANSWER_BYTES);
        return {
          status: String(read["status"] ?? ""),
          groupHash: String(read["group_hash"] ?? ""),
          storedDetails: read["stored_details"] === true,
        };
      }
    } catch (error) {
      throw new EndpointError("report", url, undefined, error);
    }
    await answer.body?.cancel().catch(() => undefined);
    throw new EndpointError("report", url, answer.status);
  }

  buildNativeFeedURL(options: NativeFeedOptions): string {
    const base = this.#base();
    requireOptions(
      [options.owner, ErrMissingOwner],
      [options.appName, ErrMissingAppName],
      [options.version, ErrMissingVersion],
      [options.platform, ErrMissingPlatform],
      [options.arch, ErrMissingArch],
    );
    if (!NATIVE_UPDATERS.includes(options.updater)) throw new UnsupportedUpdaterError(options.updater);
    const { owner, appName, channel = "", platform = "", arch = "", version, updater } = options;
    const folders = [owner, appName, channel || "default", platform, arch, version].map(encodeURIComponent).join("/");
    return `${base}/update/${folders}${updater === "squirrel_darwin" ? "/squirrel.json" : ""}`;
  }

  /** The service answers native updaters itself, so the URL of the feed is all that they need. */
  async resolveNativeFeed(options: NativeFeedOptions, signal?: AbortSignal): Promise<NativeFeedResult> {
    const feedURL = this.buildNativeFeedURL(options);
    if (options.updater === "squirrel_windows") return { updateAvailable: true, feedURL, source: "api" };
    let answer: Response;
    try {
      answer = await send(this.#fetch, feedURL, { signal: anySignal([signal]) }, this.#timeoutMs);
      if (answer.status === 200) {
        const { url } = await readObject(answer, MAX_ANSWER_BYTES);
        return typeof url === "string" ? { updateAvailable: true, feedURL, source: "api", url } : { updateAvailable: false, feedURL, source: "api" };
      }
    } catch (error) {
      throw new EndpointError("api", feedURL, undefined, error);
    }
    await answer.body?.cancel().catch(() => undefined);
    if (answer.status === 204) return { updateAvailable: false, feedURL, source: "api" };
    throw new EndpointError("api", feedURL, answer.status);
  }

  #base(): string {
    if (!this.#config.baseURL?.trim()) throw ErrMissingBaseURL;
    return valid(ErrInvalidBaseURL, this.#config.baseURL);
  }

  /** An edge counts nobody. That it is not counted does not change the answer. */
  async #countDevice(base: string, options: CheckOptions): Promise<void> {
    const url = `${base}/telemetry/beacon?${queryOf({ channel: "default", platform: "default", arch: "default", ...options })}`;
    const headers = { "x-device-id": options.deviceId ?? "" };
    await send(this.#fetch, url, { headers }, this.#timeoutMs).then((answer) => answer.body?.cancel(), () => undefined);
  }
}

export function systemPlatform(): string {
  return process.platform;
}

export function systemArch(): string {
  return process.arch;
}

function requireOptions(...options: [string | undefined, ValidationError][]): void {
  for (const [value, error] of options) if (!value) throw error;
}

function valid(error: ValidationError, url: string): string {
  try {
    return baseUrl("url", url);
  } catch {
    throw error;
  }
}

function queryOf(options: CheckOptions, updater?: NativeUpdater | "manual"): URLSearchParams {
  const { appName: app_name, version, channel, platform, arch, owner } = options;
  const values = Object.entries({ app_name, version, channel, platform, arch, owner, updater });
  return new URLSearchParams(values.filter((pair): pair is [string, string] => Boolean(pair[1])));
}

function responseOf(answer: Record<string, unknown>, source: "edge" | "api"): UpdateResponse {
  const offer = offerOf(answer);
  const text = (name: string): string => (typeof offer[name] === "string" ? (offer[name] as string) : "");
  const links = Object.entries(packagesOf(offer)).map(([name, url]) => ({ package: name, url }));
  return {
    updateAvailable: offer["update_available"] === true,
    updateUrl: text("update_url"),
    changelog: text("changelog"),
    critical: offer["critical"] === true,
    isIntermediateRequired: offer["is_intermediate_required"] === true,
    possibleRollback: answer["possible_rollback"] === true,
    packageUrls: links.sort((one, other) => (one.package < other.package ? -1 : 1)),
    source,
  };
}
