import type { DeliveryRecord } from '../../model/delivery.js';
import type { Sqlite } from '../sqlite.js';
import { createStatements, jsonOrNull, parseOrNull, type RowOf } from '../statements.js';
import { reportDeliveries } from './state-schema.js';

const NOTHING: DeliveryRecord = { anchor: null, work: null, last: null, failure: null };

/** Stores the progress of reports that are delivered on a schedule. */
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
    /** Returns the progress of a report; all parts are null if the report is unknown. */
    of,
    /** Stores the given parts and leaves the others unchanged. */
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
