import { Deadline } from '../base/http/deadline.js';
import type { HttpResponse } from '../base/http/http-response.js';
import type { SocketRequest, Sockets } from '../base/http/sockets.js';
import { asError, buildNetworkError, buildStopped, type Origin } from './network-error.js';
import { ServiceError } from './service-error.js';

export interface Ask {
  readonly origin: Origin;
  readonly request: Omit<SocketRequest, 'signal'>;
  readonly signal: AbortSignal | undefined;
  /** The sockets that send the request. */
  readonly sockets: Sockets;
  /** Explains errors that are not about the network; null for all others. */
  readonly explain?: (error: Error) => ServiceError | null;
}

/** @param read must release the deadline once it has the body or has given up. */
export type Exchange = <T>(
  ask: Ask,
  read: (response: HttpResponse, deadline: Deadline, explain: (error: unknown) => ServiceError) => Promise<T>,
) => Promise<T>;

/** Sends one request and reads its answer, within the timeout of a call. */
export function createExchange(timeoutMs: number): Exchange {
  return async ({ origin, request, signal, sockets, explain: know = () => null }, read) => {
    if (signal?.aborted) throw buildStopped(origin, 'not_sent');
    const deadline = new Deadline(timeoutMs, signal);
    const explain = (thrown: unknown): ServiceError => {
      if (thrown instanceof ServiceError) return nameEnd(thrown, deadline, timeoutMs);
      const error = asError(thrown);
      return know(error) ?? nameEnd(buildNetworkError(origin, error), deadline, timeoutMs);
    };
    try {
      return await read(await sockets.send({ ...request, signal: deadline.signal }), deadline, explain);
    } catch (error) {
      deadline.release();
      throw explain(error);
    }
  };
}

/** Explains a connection that this side ended, either by the timeout or because the caller stopped it. */
function nameEnd(error: ServiceError, deadline: Deadline, timeoutMs: number): ServiceError {
  const ended = deadline.ended();
  if (error.fault !== 'network' || ended === null) return error;
  if (ended === 'stopped') return buildStopped(error.init, 'unknown');
  return new ServiceError({ ...error.init, message: `No answer within ${timeoutMs} ms.`, cause: error.cause });
}
