// The memory of the kit from run to run, besides the device id: the last version, and the day on which the device was
// last counted.

import type { Folder } from "./folder.js";

const NAME = "state.json";

export class State {
  #values: Record<string, unknown> | undefined;

  constructor(private readonly folder: Folder | undefined) {}

  get(name: "version" | "counted"): string | undefined {
    this.#values ??= this.folder?.readObject(NAME) ?? {};
    const value = this.#values[name];
    return typeof value === "string" ? value : undefined;
  }

  set(name: "version" | "counted", value: string): void {
    if (this.get(name) === value) return;
    this.#values = { ...this.#values, [name]: value };
    this.folder?.write(NAME, JSON.stringify(this.#values));
  }

  forget(): void {
    this.#values = undefined;
  }
}
