import type { DeliveryRecord } from '../../model/delivery.js';
import type { Sqlite } from '../sqlite.js';
import { createStatements, jsonOrNull, parseOrNull, type RowOf } from '../statements.js';
import { reportDeliveries } from './state-schema.js';

const NOTHING: DeliveryRecord = { anchor: null, work: null, last: null, failure: null };

/** What is remembered of reports that are delivered by a schedule. */
export function createDeliveryStore(sqlite: Sqlite) {
  const { one, upsert } = createStatements(sqlite);
  const find = one<RowOf<typeof reportDeliveries>>('SELECT * FROM report_deliveries WHERE report = $report');
  const save = upsert(reportDeliveries);

  function of(report: string): DeliveryRecord {
    const row = find({ report });
    if (row === null) return NOTHING;
    return {
      anchor: parseOrNull(row.anchor),
      work: parseOrNull(row.work),
      last: parseOrNull(row.last),
      failure: parseOrNull(row.failure),
    };
  }

  return {
    /** Of a report that was never seen: nothing in any part. */
    of,
    /** The parts that are given; the others stay as they are. */
    save(report: string, parts: Partial<DeliveryRecord>): void {
      const { anchor, work, last, failure } = { ...of(report), ...parts };
      save({
        report,
        anchor: jsonOrNull(anchor),
        work: jsonOrNull(work),
        last: jsonOrNull(last),
        failure: jsonOrNull(failure),
      });
    },
  };
}
