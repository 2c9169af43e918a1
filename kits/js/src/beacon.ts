// Counts this device once a day (UTC), if no check has done it.

import type { Device } from "./device.js";
import { sendForStatus } from "./http.js";
import { BEACON_DELAY_MS, BEACON_INTERVAL_MS } from "./limits.js";
import type { Settings } from "./options.js";
import type { State } from "./state.js";

export class Beacon {
  #timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly settings: Settings,
    private readonly state: State,
    private readonly device: Device,
    private readonly stopped: () => AbortSignal,
    private readonly log: (line: string) => void,
  ) {}

  start(): void {
    if (!this.settings.beacon) return;
    this.#timer = setTimeout(() => {
      void this.send();
      this.#timer = setInterval(() => void this.send(), BEACON_INTERVAL_MS).unref();
    }, BEACON_DELAY_MS).unref();
  }

  stop(): void {
    // This also ends an interval.
    clearTimeout(this.#timer);
  }

  /** A check has counted the device, or a beacon, or the service does not count. */
  counted(): void {
    this.state.set("counted", today());
  }

  /** Sends the beacon if it is due. Never rejects. */
  async send(): Promise<void> {
    const signal = this.stopped();
    try {
      if (signal.aborted || this.state.get("counted") === today()) return;
      // An id that is new in each run would count one device many times.
      if (!this.device.isKept) return;
      const { url, owner, app, channel, platform, arch, version, fetch } = this.settings;
      const query = new URLSearchParams({ app_name: app, version, channel, platform, arch, owner });
      const headers = { "x-device-id": this.device.id };
      const answer = await sendForStatus(fetch, `${url}/telemetry/beacon?${query}`, { headers, signal });
      // A service without telemetry, or without this application, is asked again tomorrow.
      if (!signal.aborted && (answer.ok || [403, 404].includes(answer.status))) this.counted();
      else this.log(`beacon: status ${answer.status}`);
    } catch (error) {
      this.log(`beacon: ${String(error)}`);
    }
  }
}

function today(): string {
  return new Date().toISOString().slice(0, "2026-01-01".length);
}
