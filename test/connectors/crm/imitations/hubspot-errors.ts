import { Refusal, type VendorReply } from './vendor-server.js';

const CORRELATION = '5a1f6f0e-8f43-4d5c-9a53-1f0f9f4c1c11';

export function invalid(message: string): Refusal {
  return refusal(400, 'VALIDATION_ERROR', { message });
}

export function refusal(status: number, category: string, rest: object = {}): Refusal {
  const body = { status: 'error', message: category, correlationId: CORRELATION, category, ...rest };
  return new Refusal({ status, body });
}

/** A rule set by the account’s administrators. Dated versions put the reason in a list. */
export function refuseUnmetRule(property: string): Refusal {
  const context = { propertyName: [property] };
  const errors = [{ message: `${property} is required`, code: 'REQUIRED_PROPERTY_MISSING', context }];
  return refusal(400, 'VALIDATION_ERROR', { message: 'Validation rules were not met.', errors });
}

/** There is no Retry-After; the policy implies the length of its window. */
export function tooMany(policyName: 'SECONDLY' | 'TEN_SECONDLY_ROLLING' | 'DAILY'): VendorReply {
  const message = `You have reached your ${policyName.toLowerCase()} limit.`;
  return {
    status: 429,
    body: { status: 'error', message, errorType: 'RATE_LIMIT', correlationId: CORRELATION, policyName },
  };
}

const CATEGORIES: Readonly<Record<number, string>> = {
  400: 'VALIDATION_ERROR',
  401: 'INVALID_AUTHENTICATION',
  403: 'MISSING_SCOPES',
  404: 'OBJECT_NOT_FOUND',
};

export function refuse(status: number): VendorReply {
  if (status === 429) return tooMany('TEN_SECONDLY_ROLLING');
  return refusal(status, CATEGORIES[status] ?? 'INTERNAL_ERROR').reply;
}
