import { hintAtWay, readProxyAnswer } from '../base/http/open-agent.js';
import { hideSecrets } from '../base/secrets/secret.js';
import { ServiceError, type ServiceErrorInit } from './service-error.js';

/** What a call has in common with its errors. */
export interface Origin extends Pick<ServiceErrorInit, 'method' | 'baseUrl' | 'path'> {
  /** A proxy of the environment that is not used. */
  readonly unusedProxy?: string | null;
}

/** Connection never came about, so nothing was sent. `UND_ERR_…` is undici's, the TLS ones are OpenSSL's. */
const UNSENT =
  /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|(UND_ERR_)?CONNECT_TIMEOUT|CERT_.*|ERR_TLS_.*|UNABLE_TO_.*|SELF_SIGNED_.*|DEPTH_ZERO_.*)$/;

/** The caller gave up: before anything was sent, or while the answer was awaited. */
export function buildStopped(origin: Origin, outcome: 'not_sent' | 'unknown'): ServiceError {
  return new ServiceError({
    ...origin,
    code: 'SYNC_SERVICE_DOWN',
    message: outcome === 'not_sent' ? 'Stopped before the call was sent.' : 'Stopped while the answer was awaited.',
    fault: 'stopped',
    outcome,
  });
}

export function buildNetworkError(origin: Origin, error: Error): ServiceError {
  const { code, message } = causeOf(error);
  const proxyAnswer = readProxyAnswer(error);
  const unsent = UNSENT.test(code) || proxyAnswer !== null;
  const { unusedProxy = null } = origin;
  const hint = unsent ? hintAtWay({ code, proxyAnswer, unusedProxy }, 'service.') : null;
  const what = hideSecrets(code === '' ? message : `${code}: ${message}`);
  return new ServiceError({
    ...origin,
    code: 'SYNC_SERVICE_DOWN',
    message: unsent
      ? `The service could not be reached (${what}).`
      : `The connection broke before the answer was whole (${what}).`,
    fault: unsent ? 'unsent' : 'network',
    outcome: unsent ? 'not_sent' : 'unknown',
    // A copy: fetch's own errors may carry the request, and with it the header.
    cause: new Error(what),
    ...(hint !== null && { remedy: `${hint} The next run tries again.` }),
  });
}

function causeOf(error: Error): { readonly code: string; readonly message: string } {
  const causes = listCauses(error);
  const codes = causes.map((cause) => ('code' in cause ? cause.code : null)).filter((code) => typeof code === 'string');
  return { code: codes.at(-1) ?? '', message: causes.at(-1)?.message ?? '' };
}

/** The error and what is behind it: fetch wraps the reason, and a host of several addresses wraps that once more. */
export function listCauses(error: unknown): readonly Error[] {
  const causes: Error[] = [];
  for (let next = error; next instanceof Error && causes.length < 5; ) {
    causes.push(next);
    next = next instanceof AggregateError ? next.errors[0] : next.cause;
  }
  return causes;
}

export function asError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown));
}
