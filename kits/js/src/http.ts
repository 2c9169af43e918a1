// Requests with a time limit, and bodies with a size limit. No redirect is followed here: a service that answers a
// call with a redirect is not the service.

import { CALL_TIMEOUT_MS, MAX_RETRY_AFTER_MS } from "./limits.js";

export type Fetch = typeof globalThis.fetch;

/** Ends with any of these. */
export function anySignal(signals: (AbortSignal | undefined)[]): AbortSignal {
  const controller = new AbortController();
  for (const signal of signals) {
    if (signal === undefined) continue;
    const end = (): void => controller.abort(signal.reason);
    if (signal.aborted) end();
    else signal.addEventListener("abort", end, { once: true, signal: controller.signal });
  }
  return controller.signal;
}

/** Sends a request. The time limit includes reading the body. */
export function send(fetch: Fetch, url: string, init: RequestInit = {}, timeoutMs = CALL_TIMEOUT_MS): Promise<Response> {
  const signal = anySignal([init.signal ?? undefined, AbortSignal.timeout(timeoutMs)]);
  return fetch(url, { ...init, signal, redirect: "manual" });
}

/** Sends a request and drops the body of its answer. */
export async function sendForStatus(fetch: Fetch, url: string, init: RequestInit): Promise<Response> {
  const answer = await send(fetch, url, init);
  await answer.body?.cancel().catch(() => undefined);
  return answer;
}

/** The JSON object of an answer of at most so many bytes. */
export async function readObject(answer: Response, maxBytes: number): Promise<Record<string, unknown>> {
  const parts: Uint8Array[] = [];
  let length = 0;
  if (answer.body !== null) {
    const reader = answer.body.getReader();
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      const bytes = part.value as Uint8Array;
      length += bytes.byteLength;
      if (length > maxBytes) {
        await reader.cancel().catch(() => undefined);
        throw new Error(`the answer has more than ${maxBytes} bytes`);
      }
      parts.push(bytes);
    }
  }
  const value: unknown = JSON.parse(Buffer.concat(parts).toString("utf8"));
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw new Error("the answer is not an object");
  return value as Record<string, unknown>;
}

/** The pause that an answer asks for. */
export function retryAfterMs(answer: Response): number {
  const text = answer.headers.get("retry-after") ?? "";
  const ms = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - Date.now();
  return Number.isFinite(ms) ? Math.min(Math.max(ms, 0), MAX_RETRY_AFTER_MS) : 0;
}
