import type { Column } from '../../model/column.js';
import type { Json } from '../../model/json.js';
import type { WriteOutcome } from '../../model/write-back.js';
import type { HttpAnswer, HttpCall } from '../http/http-call.js';
import type { SentRecord } from '../http/send-records.js';
import type { ListedStreamConfig, ListedStreamShape } from './listed-stream.js';

/** The outcome of one record, according to a response. */
export type RecordVerdict = Pick<WriteOutcome, 'status' | 'message' | 'mayBeRepeated'>;

/** A response that rejects an entire call, with its message and the properties named as the cause. */
export interface CallRefusal {
  readonly message: string;
  readonly properties: readonly string[];
  /** True if the rejection is temporary and no record is at fault. */
  readonly mayBeRepeated?: true;
}

/** The rules for writing records to one kind of system. */
export interface WriteStrategy {
  readonly perCall: number;
  /** Returns the name of the call in forecasts, such as `PATCH /v1/deals/{key}`. */
  name(stream: ListedStreamConfig): string;
  build(stream: ListedStreamConfig, records: readonly SentRecord[]): HttpCall;
  /** Returns the outcome of each record, if the call itself was accepted. */
  judge(body: Json, records: readonly SentRecord[]): readonly RecordVerdict[];
  /** Returns the reason why the entire call was rejected. In this case, nothing was changed. */
  refusal(answer: HttpAnswer): CallRefusal;
  /** Converts a value of the column's type to the system's form. */
  encode(value: Json, column: Column): Json;
  /** Returns the name of a column in calls and rejections. */
  property(place: string, column: string): string;
  whyNotWritable(stream: ListedStreamShape, column: string, place: string): string | null;
  /** Returns the reason why the stream's key cannot identify records in calls; null if it can. */
  findKeyProblem(stream: ListedStreamShape, place: string): string | null;
}

export const DONE: RecordVerdict = { status: 'done' };

export function placeOf(stream: ListedStreamShape, column: string): string {
  return stream.columns[column]?.from ?? `/${column.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

/** Joins a list into one text, with the separator of its column. */
export function joinLists(value: Json, column: Column): Json {
  return Array.isArray(value) ? value.map(String).join(column.separator) : value;
}
