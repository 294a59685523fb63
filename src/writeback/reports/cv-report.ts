import type { CvReportDelivery } from '../../config/resolve-deliveries.js';
import type { Json } from '../../model/json.js';
import { formatTemplate } from '../../service/endpoints.js';
import type { CvReportQuery } from '../../service/reports.js';
import type { Deliverable, DeliverablePart, DeliveryTools } from './deliverable.js';
import { buildClauses } from './filter-clauses.js';
import { countPolls, forecastReports, hashQuestion } from './report-calls.js';
import { listOffices, splitByOffice } from './split-by-office.js';

export function describeCvReport(report: CvReportDelivery): Deliverable {
  const { type, format, languages, filter } = report;
  return {
    of: `cv ${type}`,
    joined: format === 'csv' ? 'one table' : 'a file each',
    forecast(last) {
      const counts = 2 * (last?.parts ?? 1) - 1;
      return { [formatTemplate('searchCvs')]: counts, ...forecastReports('startCvReport', 'getCvReport', last) };
    },
    async listParts(tools) {
      const must = buildClauses(report.at, filter, tools.mirror);
      const offices = listOffices(report, tools.mirror);
      const query = { type, format, languages, ...(must.length === 0 ? {} : { must }) };
      const lots = await splitByOffice({ at: report.at, must, ...offices }, tools);
      return lots.map((officeIds) => buildPart({ ...query, ...(officeIds === null ? {} : { officeIds }) }, tools));
    },
  };
}

function buildPart(query: CvReportQuery, tools: DeliveryTools): DeliverablePart {
  const { reader, signal } = tools;
  return {
    question: hashQuestion({ kind: 'cv', ...query } as unknown as Json),
    begin: async () => (await reader.reports.startCvReport({ ...query, signal })).id,
    fetch: (ticket) => reader.reports.fetchCvReport(ticket, countPolls(tools), signal),
  };
}
