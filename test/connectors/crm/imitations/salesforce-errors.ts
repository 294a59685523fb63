import { Refusal, type VendorReply } from './vendor-server.js';

export function notFound(): Refusal {
  return refusal(404, 'NOT_FOUND', 'The requested resource does not exist');
}

/** Salesforce sends errors as a list. */
export function refusal(status: number, errorCode: string, message: string): Refusal {
  return new Refusal({ status, body: [{ message, errorCode }] });
}

const CODES: Readonly<Record<number, string>> = {
  401: 'INVALID_SESSION_ID',
  403: 'REQUEST_LIMIT_EXCEEDED',
  404: 'NOT_FOUND',
  503: 'SERVER_UNAVAILABLE',
};

export function refuse(status: number): VendorReply {
  return refusal(status, CODES[status] ?? 'UNKNOWN_EXCEPTION', 'imitated fault').reply;
}
