// Sends the reports that wait, and tries again later.

import type { Device } from "./device.js";
import { retryAfterMs, sendForStatus } from "./http.js";
import { FIRST_RETRY_MS, MAX_RETRY_MS } from "./limits.js";
import type { Settings } from "./options.js";
import { type Report, reportBody } from "./report.js";
import type { Spool } from "./spool.js";

/** Whether a report is done with, waits alone, or all of them wait. */
type Outcome = "done" | "later" | "all_later";

export class Reporter {
  #running: Promise<void> | undefined;
  #retryMs = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly settings: Settings,
    private readonly spool: Spool,
    private readonly device: Device,
    private readonly stopped: () => AbortSignal,
    private readonly log: (line: string) => void,
  ) {}

  /** Sends what waits. Never rejects. */
  send(): Promise<void> {
    this.#running ??= this.#sendAll()
      .catch((error: unknown) => this.log(`reports: ${String(error)}`))
      .finally(() => (this.#running = undefined));
    return this.#running;
  }

  /** Ends the pause before the next attempt. */
  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#retryMs = 0;
  }

  async #sendAll(): Promise<void> {
    const key = this.settings.reportKey;
    const stopped = this.stopped();
    if (key === undefined || stopped.aborted) return;
    clearTimeout(this.#timer);
    let pauseMs = 0;
    let isWaiting = false;
    for (const { name, report } of this.spool.list()) {
      const [outcome, askedMs] = await this.#sendOne(key, report, stopped);
      if (stopped.aborted) return;
      if (outcome === "done") this.spool.remove(name);
      else isWaiting = true;
      pauseMs = Math.max(pauseMs, askedMs);
      if (outcome === "all_later") break;
    }
    if (!isWaiting) return this.stop();
    this.#retryMs = Math.min(this.#retryMs === 0 ? FIRST_RETRY_MS : this.#retryMs * 2, MAX_RETRY_MS);
    this.#timer = setTimeout(() => void this.send(), Math.max(this.#retryMs, pauseMs)).unref();
  }

  async #sendOne(key: string, report: Report, signal: AbortSignal): Promise<[Outcome, number]> {
    const headers = {
      authorization: `Bearer ${key}`,
      "content-type": "application/json",
      "x-device-id": this.device.id,
    };
    const body = reportBody(this.settings, report);
    try {
      const url = `${this.settings.url}/reports/ingest`;
      const answer = await sendForStatus(this.settings.fetch, url, { method: "POST", headers, body, signal });
      if (answer.ok) return ["done", 0];
      this.log(`reports: status ${answer.status}`);
      // The limit of one group or key says nothing about the next report.
      if (answer.status === 429) return ["later", retryAfterMs(answer)];
      // Sending it again would have the same answer.
      if (answer.status >= 400 && answer.status < 500) return ["done", 0];
      return ["all_later", retryAfterMs(answer)];
    } catch (error) {
      this.log(`reports: ${String(error)}`);
      return ["all_later", 0];
    }
  }
}
