import type { CvReportType, ReportFormat } from '../model/report-kinds.js';
import { parseAnswer } from './answer.js';
import type { ReadCall } from './call.js';
import { buildProjectFilter, type ProjectQuery } from './project-search.js';
import { type ReportRow, readReportRows } from './report-rows.js';
import { downloadReport, fetchReport, type ReportTools, type ReportWait } from './report-wait.js';
import type { SearchClause } from './search-clauses.js';
import type { ServiceFile } from './service-file.js';
import { type ReportProgress, WireCvReport, WireProjectReport } from './wire-report.js';

export interface CvReportQuery {
  readonly type: CvReportType;
  /** `csv` by default. */
  readonly format?: ReportFormat;
  /** Internal ids; all offices by default. One report holds at most 10,000 CVs, so a larger account must be split by its offices. */
  readonly officeIds?: readonly string[];
  readonly must?: readonly SearchClause[];
  /** Languages of the account; all by default. */
  readonly languages?: readonly string[];
  readonly signal?: AbortSignal | undefined;
}

export type ProjectReportQuery = ProjectQuery & {
  /** `csv` by default. */
  readonly format?: ReportFormat;
  readonly offset?: number;
  readonly size?: number;
};

/** One kind of report: how to start it and how to read its progress. */
interface ReportKind<Query> {
  start(query: Query): Promise<ReportProgress>;
  get(reportId: string, signal?: AbortSignal): Promise<ReportProgress>;
}

/**
 * The service creates reports in the background (spec, Reports): the client starts one, polls until it is finished, and
 * fetches its signed URL. `download…` and `read…Rows` do all of that. Each poll counts against the account's rate, so
 * the client pauses between polls. Only country managers and administrators may create CV reports.
 */
export function createReportsReader(tools: ReportTools) {
  const cvs = followKind(tools, createCvReports(tools.call));
  const projects = followKind(tools, createProjectReports(tools.call));
  return {
    startCvReport: cvs.start,
    getCvReport: cvs.get,
    downloadCvReport: cvs.download,
    readCvReportRows: cvs.readRows,
    fetchCvReport: cvs.fetch,
    startProjectReport: (query: ProjectReportQuery = {}) => projects.start(query),
    getProjectReport: projects.get,
    downloadProjectReport: (query: ProjectReportQuery = {}, wait?: ReportWait) => projects.download(query, wait),
    readProjectReportRows: (query: ProjectReportQuery = {}, wait?: ReportWait) => projects.readRows(query, wait),
    fetchProjectReport: projects.fetch,
    /** Opens the file of a finished report without the API key, because its signed URL does not need one. */
    openFile: (report: ReportProgress, signal?: AbortSignal) => downloadReport(tools, report, { signal }),
  };
}

function createCvReports(call: ReadCall): ReportKind<CvReportQuery> {
  return {
    async start({ type, format = 'csv', officeIds, must, languages, signal }) {
      const query = { encoding: 'UTF-8', output_format: format, report_type: type, 'lang[]': languages };
      // An empty list of offices could mean "no offices".
      const body = { office_ids: officeIds, must };
      return parseAnswer(await call({ endpoint: 'startCvReport', query, body, signal }), WireCvReport);
    },
    async get(reportId, signal) {
      const answer = await call({ endpoint: 'getCvReport', path: [reportId], signal });
      return parseAnswer(answer, WireCvReport);
    },
  };
}

function createProjectReports(call: ReadCall): ReportKind<ProjectReportQuery> {
  return {
    async start({ format = 'csv', offset, size, signal, ...filter }) {
      const body = { offset, size, ...buildProjectFilter(filter), output_format: format };
      return parseAnswer(await call({ endpoint: 'startProjectReport', body, signal }), WireProjectReport);
    },
    async get(reportId, signal) {
      const answer = await call({ endpoint: 'getProjectReport', path: [reportId], signal });
      return parseAnswer(answer, WireProjectReport);
    },
  };
}

type AnyQuery = Pick<ProjectReportQuery, 'format' | 'signal'>;

function followKind<Query extends AnyQuery>(tools: ReportTools, { start, get }: ReportKind<Query>) {
  async function download(query: Query, wait: ReportWait = {}): Promise<ServiceFile> {
    return fetchReport(tools, await start(query), { get, signal: query.signal, wait });
  }
  return {
    start,
    get,
    download,
    async *readRows(query: Query, wait?: ReportWait): AsyncGenerator<ReportRow, void, undefined> {
      yield* readReportRows(await download({ ...query, format: 'csv' }, wait));
    },
    /** Waits for a report that this or another process started earlier, and opens its file. */
    fetch(reportId: string, wait: ReportWait = {}, signal?: AbortSignal): Promise<ServiceFile> {
      const started = { id: reportId, state: 'started', percent: null, url: null };
      return fetchReport(tools, started, { get, signal, wait });
    },
  };
}
