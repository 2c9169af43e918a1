// The kit of an application.

import { setMaxListeners } from "node:events";
import { Beacon } from "./beacon.js";
import type { CheckResult } from "./check.js";
import { Device } from "./device.js";
import type { Download } from "./download.js";
import { ValidationError } from "./errors.js";
import { type Facts, type FeedUpdater, feedUrl } from "./feeds.js";
import { Folder } from "./folder.js";
import { type Options, type Settings, readOptions } from "./options.js";
import { type Failure, asReason, readReport } from "./report.js";
import { Reporter } from "./reporter.js";
import { Run } from "./run.js";
import { Spool } from "./spool.js";
import { State } from "./state.js";
import { type Attached, attachElectronUpdater, attachNative, isAutoUpdater, isElectronUpdater } from "./updaters.js";
import { isOlder } from "./versions.js";

const FOLDER = "spindrift";

/** The parts that have something to do while the kit is on. */
interface Parts {
  settings: Settings;
  folder: Folder | undefined;
  device: Device;
  state: State;
  spool: Spool;
  run: Run;
  reporter: Reporter;
  beacon: Beacon;
}

/** Only the promises of `check` and `download` can fail. Nothing else throws. */
export class Kit {
  /** Why the kit does nothing, or reports nothing, if an option is invalid. */
  readonly problem: string | null = null;
  readonly #parts: Parts | undefined;
  readonly #log: (line: string) => void;
  readonly #attached: Attached[] = [];
  #enabled = false;
  #userAsked = false;
  #isWatching = false;
  #isBegun = false;
  #stop = new AbortController();
  #startTimer: NodeJS.Timeout | undefined;

  constructor(options: Options) {
    this.#log = (line) => {
      try {
        options.log?.(`spindrift: ${line}`);
      } catch {
        // A log that fails is not a reason to fail.
      }
    };
    try {
      const settings = readOptions(options);
      this.problem = settings.problem;
      if (settings.problem !== null) this.#log(settings.problem);
      this.#parts = this.#build(settings);
      if (options.enabled !== false) this.#start(this.#parts);
    } catch (error) {
      this.problem = error instanceof Error ? error.message : String(error);
      this.#log(this.problem);
    }
  }

  get enabled(): boolean {
    return this.#enabled;
  }

  /** The device id; `null` while the kit is off. */
  get deviceId(): string | null {
    return this.#try(() => (this.#enabled ? this.#parts?.device.id : undefined)) ?? null;
  }

  /** Connects `autoUpdater` of electron-updater or of Electron. `feed: false` leaves its URL alone. */
  attach(updater: unknown, { feed = true }: { feed?: boolean } = {}): this {
    this.#try(() => {
      if (!isAutoUpdater(updater)) return this.#log("attach: this is not an autoUpdater");
      const host = {
        deviceId: () => this.deviceId ?? "",
        feedUrl: (name: FeedUpdater) => this.feedUrl(name),
        counted: () => void this.#try(() => this.#enabled && this.#parts?.beacon.counted()),
        answered: () => this.#setUserAsked(false),
        failed: (failure: Failure) => this.report(failure),
      };
      const isElectrons = isElectronUpdater(updater);
      if (this.#parts !== undefined) this.#attached.push(isElectrons ? attachElectronUpdater(updater, host, feed) : attachNative(updater, host));
    });
    return this;
  }

  /** The URL of the feed, for applications that set it themselves. */
  feedUrl(updater: FeedUpdater): string {
    return this.#try(() => this.#parts && feedUrl(this.#parts.settings, updater, this.#facts(), this.deviceId ?? "")) ?? "";
  }

  /** The next check is one that the user has asked for. */
  userAsked(): void {
    this.#setUserAsked(true);
  }

  /** The application has started, and works. */
  started(): void {
    this.#try(() => {
      clearTimeout(this.#startTimer);
      this.#parts?.run.started();
    });
  }

  /** The application ends as it should. For exits that the kit does not see: signals, and codes other than 0. */
  exiting(): void {
    this.#try(() => this.#parts?.run.end());
  }

  /** Reports a failure, now or when the service can be reached. */
  report(failure: Failure): void {
    this.#try(() => {
      if (!this.#enabled || this.#parts?.settings.reportKey === undefined) return;
      const report = readReport(failure, this.#parts.settings.version);
      if (report === undefined) return this.#log("report: invalid type or version");
      this.#parts.spool.add(report);
      void this.#parts.reporter.send();
    });
  }

  /** Asks for an update, for applications that install it themselves. */
  async check({ interactive = false, signal }: { interactive?: boolean; signal?: AbortSignal } = {}): Promise<CheckResult> {
    if (this.#parts === undefined) throw new ValidationError(this.problem ?? "invalid options");
    const { settings, beacon } = this.#parts;
    const facts = { ...this.#facts(), interactive: interactive && this.#enabled ? "1" : "" };
    const { check } = await import("./check.js");
    const result = await check(settings, facts, this.deviceId, signal);
    if (result.source === "api" && this.#enabled) beacon.counted();
    return result;
  }

  /** Downloads a file and compares its SHA-256. A failure is reported, unless the device is offline. */
  async download(what: Download): Promise<string> {
    if (this.#parts === undefined) throw new ValidationError(this.problem ?? "invalid options");
    try {
      const { download } = await import("./download.js");
      return await download(this.#parts.settings.fetch, what);
    } catch (error) {
      if ((error as Error).name === "DigestError") this.report({ type: "update_failure", reason: "download.digest" });
      throw error;
    }
  }

  /** Sends what waits, for example before the application ends. Never rejects. */
  async flush(): Promise<void> {
    this.#afterStart();
    if (this.#enabled) await this.#parts?.reporter.send();
  }

  /** Makes another device id. */
  resetDevice(): void {
    this.#try(() => {
      if (!this.#enabled) return;
      this.#parts?.device.reset();
      for (const attached of this.#attached) attached.setFeed();
    });
  }

  /** Turns the kit off or on. Nothing is written or sent while it is off. */
  setEnabled(enabled: boolean): void {
    this.#try(() => {
      if (this.#parts === undefined || enabled === this.#enabled) return;
      if (enabled) this.#start(this.#parts);
      else this.#end(this.#parts);
      for (const attached of this.#attached) attached.setFeed();
    });
  }

  /** Turns the kit off, and deletes all that it has kept. */
  forget(): void {
    this.setEnabled(false);
    this.#try(() => {
      const { folder, device, state, spool } = this.#parts ?? {};
      folder?.delete();
      for (const part of [device, state, spool]) part?.forget();
    });
  }

  #build(settings: Settings): Parts {
    const folder = settings.dir === undefined ? undefined : new Folder(settings.dir).folder(FOLDER);
    const device = new Device(folder);
    const state = new State(folder);
    const spool = new Spool(folder?.folder("reports"), settings.version);
    const stopped = (): AbortSignal => this.#stop.signal;
    const reporter = new Reporter(settings, spool, device, stopped, this.#log);
    const beacon = new Beacon(settings, state, device, stopped, this.#log);
    return { settings, folder, device, state, spool, run: new Run(folder, settings.version), reporter, beacon };
  }

  #start(parts: Parts): void {
    this.#enabled = true;
    this.#stop = new AbortController();
    // Each report on its way listens to it.
    setMaxListeners(0, this.#stop.signal);
    const { settings, spool, run, beacon } = parts;
    if (settings.reportKey !== undefined) {
      // At once, because the application may crash in the next moment.
      for (const failure of run.begin(settings.startTimeoutMs > 0)) this.#keep(spool, failure);
      this.#watchSession(parts);
      if (settings.startTimeoutMs > 0) {
        const fail = (): void => this.#failStart(parts);
        this.#startTimer = setTimeout(fail, settings.startTimeoutMs).unref();
      }
    }
    beacon.start();
    this.#isBegun = false;
    setImmediate(() => this.#afterStart()).unref();
  }

  #end({ run, reporter, beacon }: Parts): void {
    run.end();
    this.#enabled = false;
    this.#stop.abort(new Error("turned off"));
    clearTimeout(this.#startTimer);
    reporter.stop();
    beacon.stop();
  }

  /** Everything that can wait until the application has begun. */
  #afterStart(): void {
    this.#try(() => {
      if (!this.#enabled || this.#isBegun || this.#parts === undefined) return;
      this.#isBegun = true;
      const { settings, state, spool, reporter } = this.#parts;
      const { version, reportKey } = settings;
      if (reportKey === undefined) return;
      const last = state.get("version");
      if (last !== undefined && isOlder(version, last)) {
        this.#keep(spool, { type: "rollback_failure", reason: asReason(`from.${last}`), version });
      }
      state.set("version", version);
      void reporter.send();
    });
  }

  #failStart({ run }: Parts): void {
    this.#try(() => {
      if (run.hasNotStarted()) this.report({ type: "startup_failure", reason: "start.timeout" });
    });
  }

  /** When a user of Windows logs off, the process ends without an exit. */
  #watchSession({ settings }: Parts): void {
    if (this.#isWatching) return;
    this.#isWatching = true;
    settings.electron?.on("browser-window-created", (_, window) => window.on("session-end", () => this.exiting()));
  }

  #keep(spool: Spool, failure: Failure): void {
    const report = readReport(failure, failure.version ?? "");
    if (report !== undefined) spool.add(report);
  }

  #facts(): Facts {
    if (!this.#enabled || this.#parts === undefined) return { group: "", os_version: "", interactive: "" };
    const { groups, osVersion } = this.#parts.settings;
    return { group: groups, os_version: osVersion, interactive: this.#userAsked ? "1" : "" };
  }

  #setUserAsked(asked: boolean): void {
    this.#try(() => {
      if (asked === this.#userAsked) return;
      this.#userAsked = asked;
      for (const attached of this.#attached) attached.setFeed();
    });
  }

  #try<T>(work: () => T): T | undefined {
    try {
      return work();
    } catch (error) {
      this.#log(String(error));
      return undefined;
    }
  }
}
