import { parseAnswer } from './answer.js';
import { buildProjectFilter, type ProjectQuery } from './project-search.js';
import { type ReportRow, readReportRows } from './report-rows.js';
import { downloadReport, type ReportTools, type ReportWait, waitForReport } from './report-wait.js';
import type { SearchClause } from './search-clauses.js';
import type { ServiceFile } from './service-file.js';
import { type Report, WireCvReport, WireProjectReport } from './wire-report.js';

/** What a CV report is about: its columns differ (spec, CV report columns). */
export const CV_REPORT_TYPES = [
  'user_report',
  'usage_report',
  'project_experiences',
  'certifications',
  'courses',
  'languages',
  'technologies',
  'key_qualifications',
  'educations',
  'work_experiences',
  'positions',
  'blogs',
  'cv_roles',
] as const;
export type CvReportType = (typeof CV_REPORT_TYPES)[number];

export type ReportFormat = 'csv' | 'xlsx';

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
  startCvReport(query: CvReportQuery): Promise<Report>;
  getCvReport(reportId: string, signal?: AbortSignal): Promise<Report>;
  downloadCvReport(query: CvReportQuery, wait?: ReportWait): Promise<ServiceFile>;
  readCvReportRows(query: CvReportQuery, wait?: ReportWait): AsyncGenerator<ReportRow, void, undefined>;
  startProjectReport(query?: ProjectReportQuery): Promise<Report>;
  getProjectReport(reportId: string, signal?: AbortSignal): Promise<Report>;
  downloadProjectReport(query?: ProjectReportQuery, wait?: ReportWait): Promise<ServiceFile>;
  readProjectReportRows(query?: ProjectReportQuery, wait?: ReportWait): AsyncGenerator<ReportRow, void, undefined>;
  /** Of a finished report, without the key, which its signed URL does not need. */
  openFile(report: Report, signal?: AbortSignal): Promise<ServiceFile>;
}

export function createReportsReader(tools: ReportTools): ReportsReader {
  const { call } = tools;

  async function startCvReport(query: CvReportQuery): Promise<Report> {
    const { type, format = 'csv', officeIds, must, languages, signal } = query;
    const options = { encoding: 'UTF-8', output_format: format, report_type: type, 'lang[]': languages };
    // An empty list of offices could be read as none of them.
    const body = {
      ...(officeIds === undefined ? {} : { office_ids: officeIds }),
      ...(must === undefined ? {} : { must }),
    };
    return parseAnswer(await call({ endpoint: 'startCvReport', query: options, body, signal }), WireCvReport);
  }

  async function startProjectReport(query: ProjectReportQuery = {}): Promise<Report> {
    const { format = 'csv', offset, size, signal } = query;
    const page = { ...(offset === undefined ? {} : { offset }), ...(size === undefined ? {} : { size }) };
    const body = { ...page, ...buildProjectFilter(query), output_format: format };
    return parseAnswer(await call({ endpoint: 'startProjectReport', body, signal }), WireProjectReport);
  }

  async function getCvReport(reportId: string, signal?: AbortSignal): Promise<Report> {
    const answer = await call({ endpoint: 'getCvReport', path: { report_id: reportId }, signal });
    return parseAnswer(answer, WireCvReport);
  }

  async function getProjectReport(reportId: string, signal?: AbortSignal): Promise<Report> {
    const answer = await call({ endpoint: 'getProjectReport', path: { report_id: reportId }, signal });
    return parseAnswer(answer, WireProjectReport);
  }

  async function downloadCvReport(query: CvReportQuery, wait: ReportWait = {}): Promise<ServiceFile> {
    const poll = { get: getCvReport, signal: query.signal, wait };
    return downloadReport(tools, await waitForReport(tools, await startCvReport(query), poll), poll);
  }

  async function downloadProjectReport(query: ProjectReportQuery = {}, wait: ReportWait = {}): Promise<ServiceFile> {
    const poll = { get: getProjectReport, signal: query.signal, wait };
    return downloadReport(tools, await waitForReport(tools, await startProjectReport(query), poll), poll);
  }

  return {
    startCvReport,
    getCvReport,
    downloadCvReport,
    async *readCvReportRows(query, wait) {
      yield* readReportRows(await downloadCvReport({ ...query, format: 'csv' }, wait));
    },
    startProjectReport,
    getProjectReport,
    downloadProjectReport,
    async *readProjectReportRows(query, wait) {
      yield* readReportRows(await downloadProjectReport({ ...query, format: 'csv' }, wait));
    },
    openFile: (report, signal) => downloadReport(tools, report, { signal }),
  };
}
