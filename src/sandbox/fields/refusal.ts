/** An error response. When a handler throws it, the transaction is rolled back. */
export class Refusal extends Error {
  readonly status: number;
  readonly extras: Readonly<Record<string, unknown>>;
  /** Seconds to wait, as an integer, for a 429. */
  readonly retryAfter: number | undefined;

  constructor(
    status: number,
    message: string,
    extras: Readonly<Record<string, unknown>> = {},
    retryAfter: number | undefined = undefined,
  ) {
    super(message);
    this.status = status;
    this.extras = extras;
    this.retryAfter = retryAfter;
  }
}

export function refuse(status: number, message: string, extras: Readonly<Record<string, unknown>> = {}): never {
  throw new Refusal(status, message, extras);
}

export function buildErrorBody(message: string, extras: Readonly<Record<string, unknown>> = {}): object {
  return { error: message, errors: [message], ...extras };
}
