import type { ReferenceReportDelivery } from '../../config/resolve-deliveries.js';
import type { Json } from '../../model/json.js';
import type { Deliverable } from './deliverable.js';
import { buildClauses } from './filter-clauses.js';
import { countPolls, forecastReports, hashQuestion } from './report-calls.js';

/** Describes a reference report. It always has one part, because the spec limits the size of CV reports only. */
export function describeReferenceReport(report: ReferenceReportDelivery): Deliverable {
  const { stage, owned, format, filter } = report;
  return {
    of: 'reference',
    joined: format === 'csv' ? 'one table' : 'a file each',
    forecast: (last) => forecastReports('startProjectReport', 'getProjectReport', last),
    async listParts(tools) {
      const { reader, mirror, signal } = tools;
      const must = buildClauses(report.at, filter, mirror);
      const query = { format, stage, owned, ...(must.length === 0 ? {} : { must }) };
      return [
        {
          question: hashQuestion({ kind: 'reference', ...query } as Json),
          begin: async () => (await reader.reports.startProjectReport({ ...query, signal })).id,
          fetch: (ticket) => reader.reports.fetchProjectReport(ticket, countPolls(tools), signal),
        },
      ];
    },
  };
}
