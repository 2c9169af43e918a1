// Reports that wait to be sent: a folder with one file for each, or memory if the folder cannot be written.

import { type Folder, randomName } from "./folder.js";
import { DAY_MS, MAX_REPORT_AGE_MS, MAX_WAITING_REPORTS } from "./limits.js";
import { type Report, readReport } from "./report.js";

/** A time in milliseconds, then something random. */
const NAME = /^(\d{13})-[0-9a-f]{8}\.json$/;

export interface Waiting {
  name: string;
  report: Report;
}

export class Spool {
  readonly #inMemory = new Map<string, Report>();

  constructor(
    private readonly folder: Folder | undefined,
    private readonly version: string,
  ) {}

  /** Keeps a report until it is sent, unless an equal one waits or there are too many. */
  add(report: Report): void {
    const waiting = this.list();
    const isEqual = ({ report: { type, reason, version } }: Waiting): boolean =>
      type === report.type && reason === report.reason && version === report.version;
    if (waiting.length >= MAX_WAITING_REPORTS || waiting.some(isEqual)) return;
    const name = `${Date.now()}-${randomName()}.json`;
    if (this.folder?.write(name, JSON.stringify(report)) !== true) this.#inMemory.set(name, report);
  }

  /** The reports that wait, oldest first. Deletes files that are too old or not reports. */
  list(): Waiting[] {
    const waiting: Waiting[] = [];
    for (const name of this.folder?.list(NAME) ?? []) {
      const report = isFresh(name) ? readReport(this.folder?.readObject(name), this.version) : undefined;
      if (report === undefined || waiting.length >= MAX_WAITING_REPORTS) this.folder?.remove(name);
      else waiting.push({ name, report });
    }
    for (const [name, report] of this.#inMemory) waiting.push({ name, report });
    return waiting;
  }

  remove(name: string): void {
    if (!this.#inMemory.delete(name)) this.folder?.remove(name);
  }

  forget(): void {
    this.#inMemory.clear();
  }
}

/** A clock that was set back leaves reports from the future. */
function isFresh(name: string): boolean {
  const age = Date.now() - Number(NAME.exec(name)?.[1]);
  return age <= MAX_REPORT_AGE_MS && age >= -DAY_MS;
}
