import { SyncError } from '../../errors.js';
import type { Json } from '../../model/json.js';
import type { SourceWrite, WriteOutcome } from '../../model/write-back.js';
import { hideSecrets } from '../../secrets/secret.js';
import type { HttpAnswer } from './http-source.js';

/** What became of some records that were told together. */
export interface SendResult {
  /** Of all of them, unless something stopped it halfway: those without one were not tried. */
  readonly outcomes: readonly WriteOutcome[];
  /** What ended the tries of a call whose outcome is not known. */
  readonly lostTo?: unknown;
  /** Why nothing more is to be tried. */
  readonly stop?: unknown;
}

/** One call without an answer may be one record's fault; so many in a row are the system's. */
const MOST_LOST_IN_A_ROW = 2;

/**
 * Tells record after record, so many at a time.
 *
 * @throws what stopped it
 */
export async function sendRecords(
  writes: Iterable<SourceWrite>,
  perCall: number,
  tell: (records: readonly SourceWrite[]) => Promise<SendResult>,
  onOutcome: (outcome: WriteOutcome) => void,
  signal?: AbortSignal,
): Promise<void> {
  let lostInARow = 0;
  for (const records of batch(writes, perCall)) {
    signal?.throwIfAborted();
    const { outcomes, lostTo, stop } = await tell(records);
    for (const outcome of outcomes) onOutcome(outcome);
    if (stop !== undefined) throw stop;
    lostInARow = lostTo === undefined ? 0 : lostInARow + 1;
    if (lostInARow >= MOST_LOST_IN_A_ROW) throw lostTo;
  }
}

function* batch(writes: Iterable<SourceWrite>, size: number): Iterable<readonly SourceWrite[]> {
  let records: SourceWrite[] = [];
  for (const write of writes) {
    if (Object.keys(write.cells).length === 0) continue;
    records.push(write);
    if (records.length < size) continue;
    yield records;
    records = [];
  }
  if (records.length > 0) yield records;
}

/** Of a call that may have been taken. A system that is down may answer the next one; one that has locked us out stays closed. */
export function loseRecords(
  records: readonly { readonly record: string }[],
  at: string,
  problem: string,
  error: unknown,
): SendResult {
  const outcomes = records.map(
    ({ record }): WriteOutcome => ({
      record,
      status: 'lost',
      at,
      requestId: null,
      message: `Whether it was taken is not known: ${problem}.`,
    }),
  );
  const isDown = error instanceof SyncError && error.code === 'SYNC_SOURCE_DOWN';
  return isDown ? { outcomes, lostTo: error } : { outcomes, stop: error };
}

/** A key that an address would take for a step upwards, or for all records at once. */
export function findKeyFault(record: string): string | null {
  return /^\.{0,2}$/.test(record) ? `the key "${record}" cannot be in an address` : null;
}

/** The longest request ids are traces of some 60 characters. */
const LONGEST_ID = 200;
const ID_HEADERS = [
  'x-request-id',
  'x-hubspot-correlation-id',
  'x-ms-service-request-id',
  'request-id',
  'x-correlation-id',
  'x-okta-request-id',
];

/** The system's own id of a request, for its operators. */
export function readRequestId({ headers, body }: HttpAnswer): string | null {
  const inHeader = ID_HEADERS.map((name) => headers.get(name)).find((value) => value !== null);
  if (inHeader !== undefined && inHeader !== null) return hideSecrets(inHeader).slice(0, LONGEST_ID);
  const inBody = typeof body === 'object' && body !== null && 'correlationId' in body ? body.correlationId : null;
  return typeof inBody === 'string' ? hideSecrets(inBody).slice(0, LONGEST_ID) : null;
}

/** Words of a system, in one line of bearable length, without the stop at the end. */
export function quoteWords(words: Json | undefined): string | null {
  if (typeof words !== 'string' || words.trim() === '') return null;
  const line = hideSecrets(words).replaceAll(/\s+/g, ' ').trim().replace(/\.$/, '');
  return line.length > 300 ? `${line.slice(0, 300)}…` : line;
}
