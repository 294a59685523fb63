import { SyncError } from '../../base/errors.js';
import { hideSecrets } from '../../base/secrets/secret.js';
import type { Column, Columns } from '../../model/column.js';
import type { Json, JsonObject } from '../../model/json.js';
import type { SourceWrite, WriteOutcome } from '../../model/write-back.js';
import { BadCell } from '../cells/cells.js';
import { compileEncoder } from '../cells/encode-cell.js';
import type { HttpAnswer } from './http-call.js';

/** A record with the values to set, by the system's own property names. */
export interface SentRecord {
  readonly record: string;
  readonly cells: JsonObject;
}

type TakeOutcome = (outcome: WriteOutcome) => void;

/** The functions that send records to one stream of a system. */
export interface RecordCalls {
  readonly perCall: number;
  /** The name of the call, for records that are rejected before the call is sent. */
  readonly at: string;
  /** Converts a record to the system's form, or returns the reason why it cannot be sent. */
  readonly translate: (write: SourceWrite) => SentRecord | string;
  /**
   * Reports the outcome of every record. If something stops the call, records without an outcome were not attempted.
   *
   * @returns the error that ended a call with an unknown outcome; undefined if the outcome is known
   * @throws if nothing more should be attempted
   */
  send(records: readonly SentRecord[], onOutcome: TakeOutcome, signal?: AbortSignal): Promise<unknown>;
}

/** A single call without a response may be the fault of a record. This many in a row are the fault of the system. */
const MOST_LOST_IN_A_ROW = 2;

/** @throws the error that stopped the sending */
export async function sendRecords(
  { perCall, at, translate, send }: RecordCalls,
  writes: Iterable<SourceWrite>,
  onOutcome: TakeOutcome,
  signal?: AbortSignal,
): Promise<void> {
  let lostInARow = 0;
  for (const batch of batchWrites(writes, perCall)) {
    signal?.throwIfAborted();
    const records: SentRecord[] = [];
    for (const write of batch) {
      const sent = translate(write);
      if (typeof sent !== 'string') records.push(sent);
      else onOutcome({ record: write.record, status: 'refused', at, requestId: null, message: sent });
    }
    const lostTo = records.length === 0 ? undefined : await send(records, onOutcome, signal);
    lostInARow = lostTo === undefined ? 0 : lostInARow + 1;
    if (lostInARow >= MOST_LOST_IN_A_ROW) throw lostTo;
  }
}

function* batchWrites(writes: Iterable<SourceWrite>, size: number): Iterable<readonly SourceWrite[]> {
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

/**
 * Converts records of a stream to the system's form. A column that cannot be written rejects its record.
 *
 * @param whyNot returns the reason why a column cannot be written; null if it can
 * @param spell converts a column and a value of its type to the system's form
 */
export function compileTranslation(
  { columns }: { readonly columns: Columns },
  timezone: string,
  whyNot: (name: string) => string | null,
  spell: (name: string, value: Json, column: Column) => readonly [string, Json] = (name, value) => [name, value],
): RecordCalls['translate'] {
  const known = new Map(
    Object.entries(columns).map(([name, column]) => {
      const encode = compileEncoder(column, timezone);
      return [name, { why: whyNot(name), encode, spell: (value: Json) => spell(name, value, column) }] as const;
    }),
  );
  return ({ record, cells }) => {
    if (isUnfitForPath(record)) return `It cannot be written: the key "${record}" cannot be in an address.`;
    const spelled: (readonly [string, Json])[] = [];
    for (const [name, value] of Object.entries(cells)) {
      const column = known.get(name);
      if (column === undefined || column.why !== null) {
        return `\`${name}\` cannot be written: ${column?.why ?? 'there is no such column'}.`;
      }
      const encoded = column.encode(value);
      if (encoded instanceof BadCell) return `\`${name}\` would be ${encoded.found}, expected ${encoded.expected}.`;
      spelled.push(column.spell(encoded));
    }
    return { record, cells: Object.fromEntries(spelled) };
  };
}

/** True for a key that an address would treat as a parent path or as all records. */
function isUnfitForPath(record: string): boolean {
  return /^\.{0,2}$/.test(record);
}

/**
 * Reports records as lost, because the call may have been carried out. A system that is down may answer the next call;
 * after any other error, no further calls are sent.
 *
 * @returns the error, if the system is down
 * @throws any other error
 */
export function loseRecords(
  records: readonly SentRecord[],
  at: string,
  { lost, error }: { readonly lost: string; readonly error: unknown },
  onOutcome: TakeOutcome,
): unknown {
  const message = `It is not known if the record was accepted: ${lost}.`;
  for (const { record } of records) onOutcome({ record, status: 'lost', at, requestId: null, message });
  if (error instanceof SyncError && error.code === 'SYNC_SOURCE_DOWN') return error;
  throw error;
}

/** The maximum length of a request id. The longest known ids have some 60 characters. */
const LONGEST_ID = 200;
const ID_HEADERS = [
  'x-request-id',
  'x-hubspot-correlation-id',
  'x-ms-service-request-id',
  'request-id',
  'x-correlation-id',
  'x-okta-request-id',
];

/** Returns the system's own id for a request, for its operators. */
export function readRequestId({ headers, body }: HttpAnswer): string | null {
  const inHeader = ID_HEADERS.map((name) => headers.get(name)).find((value) => value !== null);
  if (inHeader !== undefined && inHeader !== null) return hideSecrets(inHeader).slice(0, LONGEST_ID);
  const inBody = typeof body === 'object' && body !== null && 'correlationId' in body ? body.correlationId : null;
  return typeof inBody === 'string' ? hideSecrets(inBody).slice(0, LONGEST_ID) : null;
}

/** Shortens a system's message to one line of limited length, without the final full stop. */
export function quoteWords(words: Json | undefined): string | null {
  if (typeof words !== 'string' || words.trim() === '') return null;
  const line = hideSecrets(words).replaceAll(/\s+/g, ' ').trim().replace(/\.$/, '');
  return line.length > 300 ? `${line.slice(0, 300)}…` : line;
}

/** Returns a message such as `HubSpot answered 400: Property does not exist`. */
export function describeRefusal(system: string, status: number, words: string | null): string {
  return `${system} answered ${status}${words === null ? '' : `: ${words}`}`;
}
