import { hintAtWay, readBroken } from '../base/http/broken-connection.js';
import { hideSecrets } from '../base/secrets/secret.js';
import { ServiceError, type ServiceErrorInit } from './service-error.js';

/** The details that a call shares with its errors. */
export interface Origin extends Pick<ServiceErrorInit, 'method' | 'baseUrl' | 'path'> {
  /** A proxy from the environment that is not used. */
  readonly unusedProxy?: string | null;
}

/** The error for a call that the caller stopped: before sending, or while waiting for the answer. */
export function buildStopped(origin: Origin, outcome: 'not_sent' | 'unknown'): ServiceError {
  return new ServiceError({
    ...origin,
    code: 'SYNC_SERVICE_DOWN',
    message: outcome === 'not_sent' ? 'Stopped before the call was sent.' : 'Stopped while waiting for the answer.',
    fault: 'stopped',
    outcome,
  });
}

export function buildNetworkError(origin: Origin, error: Error): ServiceError {
  const broken = readBroken(error);
  const { code, message, isUnsent } = broken;
  const hint = hintAtWay(broken, origin.unusedProxy ?? null, 'service.');
  const what = hideSecrets(code === '' ? message : `${code}: ${message}`);
  return new ServiceError({
    ...origin,
    code: 'SYNC_SERVICE_DOWN',
    message: isUnsent
      ? `The service could not be reached (${what}).`
      : `The connection broke before the answer was complete (${what}).`,
    fault: isUnsent ? 'unsent' : 'network',
    outcome: isUnsent ? 'not_sent' : 'unknown',
    // A new error, because fetch's own errors may contain the request, and with it the header.
    cause: new Error(what),
    ...(hint !== null && { remedy: `${hint} The next run tries again.` }),
  });
}

export function asError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown));
}
