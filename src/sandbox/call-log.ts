import type { FastifyRequest } from 'fastify';

/** One answered (or, by a fault, unanswered: status 0) request. */
export interface LoggedCall {
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly requestId: string;
  readonly query?: string;
  /** The pattern of the route, `/api/v1/users/:user_id`; the path itself where there is none. */
  readonly route: string;
}

/** Newest calls in full, all of them counted: a run over 100,000 users must not fill the memory. */
export class CallLog {
  readonly #limit: number;
  #calls: LoggedCall[] = [];
  #counts = new Map<string, number>();

  constructor(limit = 250_000) {
    this.#limit = limit;
  }

  add(call: LoggedCall): void {
    this.#calls.push(call);
    // Cut rarely and much: shifting one by one would cost the length of the list each time.
    if (this.#calls.length > this.#limit * 1.2) this.#calls = this.#calls.slice(-this.#limit);
    const name = `${call.method} ${call.route}`;
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1);
  }

  list(): readonly LoggedCall[] {
    return this.#calls.slice();
  }

  count(): Readonly<Record<string, number>> {
    return Object.fromEntries([...this.#counts].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  clear(): void {
    this.#calls = [];
    this.#counts = new Map();
  }
}

/** Status 0: the request got no answer. */
export function logCall(calls: CallLog, request: FastifyRequest, status: number): void {
  const [path = '', query] = request.url.split('?', 2);
  const call = { method: request.method, path, status, requestId: request.id, route: request.routeOptions.url ?? path };
  calls.add(query === undefined ? call : { ...call, query });
}
