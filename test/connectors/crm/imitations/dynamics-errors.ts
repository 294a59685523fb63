import { Refusal, type VendorReply } from './vendor-server.js';

/** The error codes of the Web API. */
export const CODES = {
  malformed: '0x80060888',
  invalid: '0x80040203',
  absent: '0x80040217',
  changed: '0x80060882',
  expiredVersion: '0x80044352',
  tooMany: '0x80072322',
} as const;

export function refusal(status: number, code: string, message: string, headers = {}): Refusal {
  return new Refusal({ status, body: { error: { code, message } }, headers });
}

export function malformed(message: string): Refusal {
  return refusal(400, CODES.malformed, message);
}

export function tooMany(retryAfterSeconds: number): Refusal {
  const message = 'Number of requests exceeded the limit of 6000 over time window of 300 seconds.';
  return refusal(429, CODES.tooMany, message, { 'retry-after': String(retryAfterSeconds) });
}

/** The answer has no body; the header names the authority. */
export function unauthorized(url: string): Refusal {
  const authority = `Bearer authorization_uri=${url}/tenant/oauth2/authorize, resource_id=${url}/`;
  return new Refusal({ status: 401, headers: { 'www-authenticate': authority } });
}

export function refuse(status: number): VendorReply {
  if (status === 429) return tooMany(7).reply;
  if (status === 401) return unauthorized('https://login.example.com').reply;
  return refusal(status, '0x80040216', 'imitated fault').reply;
}
