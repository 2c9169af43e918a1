// Errors of the calls whose results an application waits for. No other call of the kit fails.

export type EndpointSource = "unknown" | "edge" | "api" | "report" | "download";

/** Every error of the kit. */
export class KitError extends Error {
  constructor(message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = new.target.name;
  }
}

/** An option is missing or invalid. Nothing was sent. */
export class ValidationError extends KitError {}

/** Any request that failed. */
export class RequestFailedError extends KitError {}

/** One request failed. The URL is without its query, which can hold secrets. */
export class EndpointError extends RequestFailedError {
  readonly endpointUrl: string;

  constructor(
    readonly source: EndpointSource,
    url: string,
    readonly statusCode?: number,
    cause?: unknown,
  ) {
    const shown = url.split(/[?#]/, 1)[0] ?? "";
    const reason = statusCode === undefined ? describe(cause) : `status ${statusCode}`;
    super(`request failed: ${shown}: ${reason}`, { cause });
    this.endpointUrl = shown;
  }
}

/** A check failed at the edge, if there is one, and at the service. */
export class CheckError extends RequestFailedError {
  constructor(
    readonly edgeError?: Error,
    readonly apiError?: Error,
  ) {
    const parts = [edgeError, apiError].flatMap((error) => (error === undefined ? [] : [error.message]));
    super(`check failed: ${parts.join("; ")}`);
  }
}

/** A downloaded file is not the expected one. */
export class DigestError extends RequestFailedError {}

function describe(cause: unknown): string {
  if (!(cause instanceof Error)) return "no answer";
  // `fetch` says only "fetch failed", and the reason in the cause.
  return cause.cause instanceof Error ? `${cause.message}: ${cause.cause.message}` : cause.message;
}
