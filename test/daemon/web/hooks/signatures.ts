import { createHmac } from 'node:crypto';
import type { HookForm } from '../../../../src/model/hook-forms.js';

/** 2026-11-29T12:00:00Z */
export const NOW_S = 1_795_953_600;
export const NOW_MS = NOW_S * 1_000;
export const SECRET = 'a-secret-of-the-vendor';
export const PUBLIC = 'https://sync.example.com';

/** A request as a vendor sends it to `/hooks/acme/SOURCE`. */
export interface VendorRequest {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

const HIBOB_BODY =
  '{"companyId":1,"type":"employee.updated","triggeredBy":"system","triggeredAt":"2026-11-29T11:40:00.123456","version":"v2","data":{"employeeId":"42"}}';

/** A valid request for each form at `NOW_S`. The signatures were computed with Python's `hmac`. */
export const RIGHT: Readonly<Record<HookForm, VendorRequest>> = {
  generic: {
    headers: {
      'webhook-id': 'msg_1',
      'webhook-timestamp': String(NOW_S),
      'webhook-signature': 'v1,R8JXxy5pIm6AOs49iF7VtqrcB8Tvb1l5CFpdlBK0KwM=',
    },
    body: '{"changed":true}',
  },
  hubspot: {
    headers: {
      'x-hubspot-request-timestamp': String(NOW_MS),
      'x-hubspot-signature-v3': 'W1lWzcIvHMB52m38r3jd4cxRaLRPVKj1bseZCVXHvSc=',
    },
    body: '[{"eventId":1,"subscriptionType":"contact.creation","objectId":123}]',
  },
  hibob: {
    headers: {
      'bob-signature': 'DxhNgzcJ9jOX4GaP+1dTkU9kf4Qn9AK7LWnpX0Swb9EB5673A2YiNYIjnCxYb/k/WCHg8JQvh5MqKXmQnJHPgg==',
    },
    body: HIBOB_BODY,
  },
  bamboohr: {
    headers: {
      'x-bamboohr-timestamp': String(NOW_S),
      'x-bamboohr-signature': '1d22afb7f05ebaf3360d9f74d1ab62890ccc091ff5a4e3540cd98c60b0f0dfe9',
    },
    body: '{"employees":[{"id":"123","action":"Updated"}]}',
  },
  graph: {
    headers: { 'content-type': 'application/json' },
    body: `{"value":[{"subscriptionId":"s1","clientState":"${SECRET}","changeType":"updated","resource":"users/1"},{"subscriptionId":"s1","clientState":"${SECRET}","changeType":"updated","resource":"users/2"}]}`,
  },
  google: {
    headers: {
      'x-goog-channel-id': '01234567-89ab-cdef-0123456789ab',
      'x-goog-channel-token': SECRET,
      'x-goog-message-number': '10',
      'x-goog-resource-state': 'update',
    },
    body: '',
  },
  personio: {
    headers: { authorization: SECRET, 'content-type': 'application/json' },
    body: '{"company_id":"1","event_name":"person.updated","occurred_at":"2026-11-29T12:00:00Z","payload":{}}',
  },
};

/** A request in the generic form. */
export function signGeneric(body: string, atS = NOW_S, id = 'msg_1', secret = SECRET): VendorRequest {
  const signature = createHmac('sha256', secret).update(`${id}.${atS}.${body}`).digest('base64');
  const headers = {
    'webhook-id': id,
    'webhook-timestamp': String(atS),
    'webhook-signature': `v1,${signature}`,
  };
  return { headers, body };
}
