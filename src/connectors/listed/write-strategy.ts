import type { Column } from '../../model/column.js';
import type { Json } from '../../model/json.js';
import type { WriteOutcome } from '../../model/write-back.js';
import type { HttpAnswer, HttpCall } from '../http/http-call.js';
import type { SentRecord } from '../http/send-records.js';
import type { ListedStreamConfig, ListedStreamShape } from './listed-stream.js';

/** What an answer says of one record. */
export type RecordVerdict = Pick<WriteOutcome, 'status' | 'message' | 'mayBeRepeated'>;

/** An answer that refuses a whole call: what it says, and which properties it names as the cause. */
export interface CallRefusal {
  readonly message: string;
  readonly properties: readonly string[];
  /** What refused it passes, and is no record's fault. */
  readonly mayBeRepeated?: true;
}

/** How records are written to one kind of system. */
export interface WriteStrategy {
  readonly perCall: number;
  /** How the call is named in forecasts: `PATCH /v1/deals/{key}`. */
  name(stream: ListedStreamConfig): string;
  build(stream: ListedStreamConfig, records: readonly SentRecord[]): HttpCall;
  /** What became of each record, where the call was not refused as a whole. */
  judge(body: Json, records: readonly SentRecord[]): readonly RecordVerdict[];
  /** Why the call was refused as a whole; nothing of it was taken. */
  refusal(answer: HttpAnswer): CallRefusal;
  /** A value, of the column's type already, in the system's words. */
  encode(value: Json, column: Column): Json;
  /** What a column is called in a call, and in refusals. */
  property(place: string, column: string): string;
  whyNotWritable(stream: ListedStreamShape, column: string, place: string): string | null;
  /** Why the stream's key cannot name records in calls; null when it can. */
  findKeyProblem(stream: ListedStreamShape, place: string): string | null;
}

export const DONE: RecordVerdict = { status: 'done' };

export function placeOf(stream: ListedStreamShape, column: string): string {
  return stream.columns[column]?.from ?? `/${column.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

/** Lists as one text, as the stream's column splits it. */
export function joinLists(value: Json, column: Column): Json {
  return Array.isArray(value) ? value.map(String).join(column.separator) : value;
}
