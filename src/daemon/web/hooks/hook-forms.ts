import type { HookForm } from '../../../model/hook-forms.js';
import { isJsonObject } from '../../../model/json.js';
import { type HookProof, type HookRequest, headerOf, shared, signed } from './hook-proof.js';

interface FormRow {
  readonly prove: HookProof;
  /** Present if the request has a time that its signature covers. */
  readonly time?: {
    /** Milliseconds since the epoch; null if unreadable. */
    readonly at: (request: HookRequest) => number | null;
    /** Largest allowed difference from now. */
    readonly windowMs: number;
  };
  /** Recognises a connection test from a sender that knows the secret. */
  readonly isTrial?: (request: HookRequest) => boolean;
}

const MINUTE = 60_000;
/** Maximum number of signatures. A sender that replaces its secret signs with both. */
const MOST_SIGNATURES = 4;

/** Each form follows its vendor's documentation; docs/guides/hooks.md lists the pages. */
export const FORMS: Readonly<Record<HookForm, FormRow>> = {
  // Standard Webhooks: `v1,` and Base64, over ID.TIMESTAMP.BODY.
  generic: {
    prove: signed({
      hash: 'sha256',
      encoding: 'base64',
      given: (request) =>
        headerOf(request, 'webhook-signature')
          .split(' ', MOST_SIGNATURES)
          .map((one) => one.replace(/^v1,/, '')),
      parts: (request) => [
        `${headerOf(request, 'webhook-id')}.${headerOf(request, 'webhook-timestamp')}.`,
        request.body,
      ],
      key: (secret) => (secret.startsWith('whsec_') ? Buffer.from(secret.slice(6), 'base64') : secret),
    }),
    time: { at: (request) => readCount(headerOf(request, 'webhook-timestamp'), 1_000), windowMs: 5 * MINUTE },
  },
  hubspot: {
    prove: signed({
      hash: 'sha256',
      encoding: 'base64',
      given: (request) => [headerOf(request, 'x-hubspot-signature-v3')],
      parts: (request) => [
        `${request.method}${decodeSome(request.url)}`,
        request.body,
        headerOf(request, 'x-hubspot-request-timestamp'),
      ],
    }),
    time: { at: (request) => readCount(headerOf(request, 'x-hubspot-request-timestamp'), 1), windowMs: 5 * MINUTE },
  },
  hibob: {
    prove: signed({
      hash: 'sha512',
      encoding: 'base64',
      given: (request) => [headerOf(request, 'bob-signature')],
      parts: (request) => [request.body],
    }),
    // The time of the event, which is the same in each attempt to deliver the event.
    time: { at: ({ body }) => readMoment(parseObject(body)?.triggeredAt), windowMs: 60 * MINUTE },
  },
  bamboohr: {
    prove: signed({
      hash: 'sha256',
      encoding: 'hex',
      given: (request) => [headerOf(request, 'x-bamboohr-signature').toLowerCase()],
      parts: (request) => [request.body, headerOf(request, 'x-bamboohr-timestamp')],
    }),
    time: { at: (request) => readCount(headerOf(request, 'x-bamboohr-timestamp'), 1_000), windowMs: 5 * MINUTE },
  },
  graph: { prove: shared(({ body }) => readClientState(body)) },
  google: {
    prove: shared((request) => headerOf(request, 'x-goog-channel-token')),
    isTrial: (request) => headerOf(request, 'x-goog-resource-state') === 'sync',
  },
  // The vendor adds no scheme, so the header is the text as typed.
  personio: { prove: shared((request) => headerOf(request, 'authorization')) },
};

/** Converts a number of units since the epoch to milliseconds. */
function readCount(text: string, unitMs: number): number | null {
  return /^\d{1,15}$/.test(text) ? Number(text) * unitMs : null;
}

/** Milliseconds since the epoch; a time without a zone is in UTC. */
function readMoment(value: unknown): number | null {
  if (typeof value !== 'string' || !/^\d{4}-\d\d-\d\dT\d\d:\d\d/.test(value)) return null;
  const ms = Date.parse(/(?:Z|[+-]\d\d:?\d\d)$/i.test(value) ? value : `${value}Z`);
  return Number.isNaN(ms) ? null : ms;
}

const DECODED: ReadonlySet<string> = new Set([...":/?@!$'()*,;"].map(encodeSign));

function encodeSign(sign: string): string {
  return `%${sign.charCodeAt(0).toString(16).toUpperCase()}`;
}

/** Decodes some characters of an address. HubSpot signs the address with exactly these characters decoded. */
function decodeSome(url: string): string {
  return url.replace(/%[\da-f]{2}/gi, (code) => (DECODED.has(code.toUpperCase()) ? decodeURIComponent(code) : code));
}

/** The client state that all notifications of a request share. Empty if they differ, so that one request cannot try several. */
function readClientState(body: Buffer): string {
  const items = parseObject(body)?.value;
  if (!Array.isArray(items)) return '';
  const states = new Set(items.map((item) => (isJsonObject(item) ? item.clientState : null)));
  const [state] = states;
  return states.size === 1 && typeof state === 'string' ? state : '';
}

function parseObject(body: Buffer): Readonly<Record<string, unknown>> | null {
  if (countMarks(body) > MOST_MARKS) return null;
  try {
    const value: unknown = JSON.parse(body.toString('utf8'));
    return isJsonObject(value) ? value : null;
  } catch {
    return null;
  }
}

/**
 * Maximum number of commas and opening brackets. A body of brackets alone took 23 ms to parse; the largest real one has
 * about 10,000.
 */
const MOST_MARKS = 16_384;
const MARKS: ReadonlySet<number> = new Set(Buffer.from(',[{'));

function countMarks(body: Buffer): number {
  let marks = 0;
  for (let at = 0; at < body.length; at++) if (MARKS.has(body[at] ?? 0)) marks++;
  return marks;
}
