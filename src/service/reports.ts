import type { CvReportType, ReportFormat } from '../model/report-kinds.js';
import { parseAnswer } from './answer.js';
import { buildProjectFilter, type ProjectQuery } from './project-search.js';
import { type ReportRow, readReportRows } from './report-rows.js';
import { downloadReport, fetchReport, type ReportTools, type ReportWait } from './report-wait.js';
import type { SearchClause } from './search-clauses.js';
import type { ServiceFile } from './service-file.js';
import { type ReportProgress, WireCvReport, WireProjectReport } from './wire-report.js';

export interface CvReportQuery {
  readonly type: CvReportType;
  /** `csv` unless told. */
  readonly format?: ReportFormat;
  /** Internal ids; all offices unless given. One report holds 10,000 CVs at most: split a bigger account by its offices. */
  readonly officeIds?: readonly string[];
  readonly must?: readonly SearchClause[];
  /** Languages of the account; all of them unless given. */
  readonly languages?: readonly string[];
  readonly signal?: AbortSignal | undefined;
}

export type ProjectReportQuery = ProjectQuery & {
  /** `csv` unless told. */
  readonly format?: ReportFormat;
  readonly offset?: number;
  readonly size?: number;
};

/**
 * Reports are made in the background (spec, Reports): start, ask until finished, fetch the signed URL. `download…` and
 * `read…Rows` go the whole way; every asking counts against the account's rate, so there are pauses between them. CV
 * reports are for country managers and administrators.
 */
export interface ReportsReader {
  startCvReport(query: CvReportQuery): Promise<ReportProgress>;
  getCvReport(reportId: string, signal?: AbortSignal): Promise<ReportProgress>;
  downloadCvReport(query: CvReportQuery, wait?: ReportWait): Promise<ServiceFile>;
  readCvReportRows(query: CvReportQuery, wait?: ReportWait): AsyncGenerator<ReportRow, void, undefined>;
  /** Waits for a report that was started before, by this process or another, and opens its file. */
  fetchCvReport(reportId: string, wait?: ReportWait, signal?: AbortSignal): Promise<ServiceFile>;
  startProjectReport(query?: ProjectReportQuery): Promise<ReportProgress>;
  getProjectReport(reportId: string, signal?: AbortSignal): Promise<ReportProgress>;
  downloadProjectReport(query?: ProjectReportQuery, wait?: ReportWait): Promise<ServiceFile>;
  readProjectReportRows(query?: ProjectReportQuery, wait?: ReportWait): AsyncGenerator<ReportRow, void, undefined>;
  fetchProjectReport(reportId: string, wait?: ReportWait, signal?: AbortSignal): Promise<ServiceFile>;
  /** Of a finished report, without the key, which its signed URL does not need. */
  openFile(report: ReportProgress, signal?: AbortSignal): Promise<ServiceFile>;
}

export function createReportsReader(tools: ReportTools): ReportsReader {
  const { call } = tools;

  async function startCvReport(query: CvReportQuery): Promise<ReportProgress> {
    const { type, format = 'csv', officeIds, must, languages, signal } = query;
    const options = { encoding: 'UTF-8', output_format: format, report_type: type, 'lang[]': languages };
    // An empty list of offices could be read as none of them.
    const body = {
      ...(officeIds === undefined ? {} : { office_ids: officeIds }),
      ...(must === undefined ? {} : { must }),
    };
    return parseAnswer(await call({ endpoint: 'startCvReport', query: options, body, signal }), WireCvReport);
  }

  async function startProjectReport(query: ProjectReportQuery = {}): Promise<ReportProgress> {
    const { format = 'csv', offset, size, signal } = query;
    const page = { ...(offset === undefined ? {} : { offset }), ...(size === undefined ? {} : { size }) };
    const body = { ...page, ...buildProjectFilter(query), output_format: format };
    return parseAnswer(await call({ endpoint: 'startProjectReport', body, signal }), WireProjectReport);
  }

  async function getCvReport(reportId: string, signal?: AbortSignal): Promise<ReportProgress> {
    const answer = await call({ endpoint: 'getCvReport', path: { report_id: reportId }, signal });
    return parseAnswer(answer, WireCvReport);
  }

  async function getProjectReport(reportId: string, signal?: AbortSignal): Promise<ReportProgress> {
    const answer = await call({ endpoint: 'getProjectReport', path: { report_id: reportId }, signal });
    return parseAnswer(answer, WireProjectReport);
  }

  async function downloadCvReport(query: CvReportQuery, wait: ReportWait = {}): Promise<ServiceFile> {
    return fetchReport(tools, await startCvReport(query), { get: getCvReport, signal: query.signal, wait });
  }

  async function downloadProjectReport(query: ProjectReportQuery = {}, wait: ReportWait = {}): Promise<ServiceFile> {
    return fetchReport(tools, await startProjectReport(query), { get: getProjectReport, signal: query.signal, wait });
  }

  return {
    startCvReport,
    getCvReport,
    downloadCvReport,
    async *readCvReportRows(query, wait) {
      yield* readReportRows(await downloadCvReport({ ...query, format: 'csv' }, wait));
    },
    fetchCvReport: (reportId, wait = {}, signal) =>
      fetchReport(tools, takeUp(reportId), { get: getCvReport, signal, wait }),
    startProjectReport,
    getProjectReport,
    downloadProjectReport,
    async *readProjectReportRows(query, wait) {
      yield* readReportRows(await downloadProjectReport({ ...query, format: 'csv' }, wait));
    },
    fetchProjectReport: (reportId, wait = {}, signal) =>
      fetchReport(tools, takeUp(reportId), { get: getProjectReport, signal, wait }),
    openFile: (report, signal) => downloadReport(tools, report, { signal }),
  };
}

/** What is known of a report before it is asked for. */
function takeUp(id: string): ReportProgress {
  return { id, state: 'started', percent: null, url: null };
}
