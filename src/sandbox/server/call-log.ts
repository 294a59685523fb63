import type { FastifyRequest } from 'fastify';

/** One request. Its status is 0 if a fault suppressed the response. */
export interface LoggedCall {
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly requestId: string;
  readonly query?: string;
  /** The pattern of the route, such as `/api/v1/users/:user_id`; the path if no route matches. */
  readonly route: string;
  /** Time of the response by the account's clock, in milliseconds since the epoch. */
  readonly at: number;
  /** Milliseconds of real time from the request to its response. */
  readonly ms: number;
  /** Name of the key; empty if the key is unknown. */
  readonly by: string;
}

/** Keeps the newest calls and counts all of them, because a run over 100,000 users must not fill the memory. */
export class CallLog {
  readonly #limit: number;
  #calls: LoggedCall[] = [];
  #counts = new Map<string, number>();
  #total = 0;

  constructor(limit = 250_000) {
    this.#limit = limit;
  }

  add(call: LoggedCall): void {
    this.#calls.push(call);
    this.#total += 1;
    // Calls are removed rarely and in bulk, because each removal copies the list.
    if (this.#calls.length > this.#limit * 1.2) this.#calls = this.#calls.slice(-this.#limit);
    const name = `${call.method} ${call.route}`;
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1);
  }

  list(): readonly LoggedCall[] {
    return this.#calls.slice();
  }

  /** Number of calls that were ever added. It is also the number of the newest call. */
  get total(): number {
    return this.#total;
  }

  /** Lists the newest calls with a number above `after`, oldest first. */
  listAfter(after: number, most: number): readonly LoggedCall[] {
    const count = Math.min(this.#total - after, most, this.#calls.length);
    return count <= 0 ? [] : this.#calls.slice(-count);
  }

  count(): Readonly<Record<string, number>> {
    return Object.fromEntries([...this.#counts].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  clear(): void {
    this.#calls = [];
    this.#counts = new Map();
  }
}

/** The facts about a call that its request does not contain. */
export type LoggedOutcome = Pick<LoggedCall, 'status' | 'at' | 'ms' | 'by'>;

export function describeCall(request: FastifyRequest, outcome: LoggedOutcome): LoggedCall {
  const { method, url, id: requestId } = request;
  const [path = '', query] = url.split('?', 2);
  const call = { method, path, requestId, route: request.routeOptions.url ?? path, ...outcome };
  return query === undefined ? call : { ...call, query };
}
