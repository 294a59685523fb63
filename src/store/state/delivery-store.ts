import type { DeliveryRecord } from '../../model/delivery.js';
import type { Sqlite } from '../sqlite.js';

/** What is remembered of reports that are delivered by a schedule. */
export interface DeliveryStore {
  /** Of a report that was never seen: nothing in any part. */
  of(report: string): DeliveryRecord;
  /** The parts that are given; the others stay as they are. */
  save(report: string, parts: Partial<DeliveryRecord>): void;
}

const NOTHING: DeliveryRecord = { anchor: null, work: null, last: null, failure: null };

export function createDeliveryStore(sqlite: Sqlite): DeliveryStore {
  type Row = { readonly [Part in keyof DeliveryRecord]: string | null };
  const find = sqlite.prepare<[string], Row>(
    'SELECT anchor, work, last, failure FROM report_deliveries WHERE report = ?',
  );
  const save = sqlite.prepare(
    'INSERT OR REPLACE INTO report_deliveries (report, anchor, work, last, failure) VALUES (?, ?, ?, ?, ?)',
  );

  function of(report: string): DeliveryRecord {
    const row = find.get(report);
    if (row === undefined) return NOTHING;
    return { anchor: parse(row.anchor), work: parse(row.work), last: parse(row.last), failure: parse(row.failure) };
  }

  return {
    of,
    save(report, parts) {
      const { anchor, work, last, failure } = { ...of(report), ...parts };
      save.run(report, ...[anchor, work, last, failure].map((part) => (part === null ? null : JSON.stringify(part))));
    },
  };
}

function parse<T>(text: string | null): T | null {
  return text === null ? null : (JSON.parse(text) as T);
}
