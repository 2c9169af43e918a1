// Notices how earlier runs ended. A running process has a marker, a file with its version, which a clean exit
// removes. A marker whose process is gone is that of a crash. So several processes can share a folder.

import type { Folder } from "./folder.js";
import { type Failure, asReason, nameOf } from "./report.js";

const NAME = /^run-(\d{1,10})\.json$/;

interface Marker {
  version: string;
  /** Whether the application said that it has started. `null`: it does not say so. */
  hasStarted: boolean | null;
  /** Why it ends, if that is known. */
  reason?: string;
  /** A failed start was reported already. */
  isReported?: boolean;
}

/** The runs of this process that are marked. */
const marked = new Set<Run>();
let isWatching = false;

export class Run {
  readonly #name = `run-${process.pid}.json`;
  #marker: Marker | undefined;

  constructor(
    private readonly folder: Folder | undefined,
    private readonly version: string,
  ) {}

  /** Marks this run, and answers the crashes of earlier ones. */
  begin(saysWhenStarted: boolean): Failure[] {
    const failures = this.folder?.list(NAME).flatMap((name) => this.#readEnded(name)) ?? [];
    marked.add(this);
    watchProcess();
    this.#write({ version: this.version, hasStarted: saysWhenStarted ? false : null });
    return failures;
  }

  /** The application has started. */
  started(): void {
    if (this.#marker?.hasStarted === false) this.#write({ ...this.#marker, hasStarted: true });
  }

  /** Whether this start took too long. The next run does not report it again. */
  hasNotStarted(): boolean {
    if (this.#marker?.hasStarted !== false) return false;
    this.#write({ ...this.#marker, isReported: true });
    return true;
  }

  /** The process has an error that nothing catches. */
  uncaught(error: unknown): void {
    if (this.#marker !== undefined) this.#write({ ...this.#marker, reason: asReason(`uncaught.${nameOf(error)}`) });
  }

  /** The process ends with this code. Only 0 is a clean exit. */
  exits(code: number): void {
    if (code === 0) this.end();
    else if (this.#marker !== undefined && this.#marker.reason === undefined) this.#write({ ...this.#marker, reason: `exit.${code}` });
  }

  /** A clean exit. */
  end(): void {
    if (this.#marker === undefined) return;
    this.#marker = undefined;
    marked.delete(this);
    this.folder?.remove(this.#name);
  }

  #write(marker: Marker): void {
    this.#marker = marker;
    this.folder?.write(this.#name, JSON.stringify(marker));
  }

  /** The failure of a run that is over. */
  #readEnded(name: string): Failure[] {
    const isOfThisProcess = [...marked].some((run) => run.#name === name && run.folder?.path === this.folder?.path);
    if (isOfThisProcess || isOtherProcess(Number(NAME.exec(name)?.[1]))) return [];
    const marker = this.folder?.readObject(name);
    this.folder?.remove(name);
    if (typeof marker?.["version"] !== "string") return [];
    const { version, hasStarted, reason, isReported } = marker;
    if (hasStarted !== false) return [{ type: "crash", reason: asReason(reason ?? "exit.unclean"), version: version as string }];
    if (isReported === true) return [];
    return [{ type: "startup_failure", reason: asReason(reason ?? "exit.before_started"), version: version as string }];
  }
}

/** Follows the end of the process. Nothing here changes how it ends, and errors of the folder are not thrown. */
function watchProcess(): void {
  if (isWatching) return;
  isWatching = true;
  process.on("exit", (code) => marked.forEach((run) => run.exits(code)));
  process.on("uncaughtExceptionMonitor", (error) => marked.forEach((run) => run.uncaught(error)));
}

/** Whether a process is running that is not this one: in containers, each run can have the same number. */
function isOtherProcess(pid: number): boolean {
  if (pid === process.pid || pid === 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // It belongs to another user.
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
