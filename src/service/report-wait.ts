import type { Clock } from '../base/clock.js';
import type { LinkCall, ReadCall } from './call.js';
import { buildStopped } from './network-error.js';
import { ServiceError, type ServiceErrorInit } from './service-error.js';
import type { ServiceFile } from './service-file.js';
import type { ReportProgress } from './wire-report.js';

export interface ReportTools {
  readonly call: ReadCall;
  readonly openLink: LinkCall;
  readonly clock: Clock;
  readonly baseUrl: string;
}

export interface ReportWait {
  /** The pause before the first check, in milliseconds; 1,000 by default. Each further pause is 1.5 times as long. */
  readonly firstPauseMs?: number;
  /** Milliseconds; 15,000 by default. */
  readonly longestPauseMs?: number;
  /** How long to wait for a report in total, in milliseconds; half an hour by default. */
  readonly longestMs?: number;
  /** Called for every answer. */
  readonly onProgress?: (report: ReportProgress) => void;
}

interface Poll {
  /** Reads the report's current state. */
  get(reportId: string, signal?: AbortSignal): Promise<ReportProgress>;
  readonly signal?: AbortSignal | undefined;
  readonly wait?: ReportWait;
}

/** Waits for the report, then opens its file. */
export async function fetchReport(tools: ReportTools, started: ReportProgress, poll: Poll): Promise<ServiceFile> {
  return downloadReport(tools, await waitForReport(tools, started, poll), poll);
}

/**
 * Polls until the report is finished.
 * @throws ServiceError if that takes too long; the report may still finish later.
 */
async function waitForReport(tools: ReportTools, started: ReportProgress, poll: Poll): Promise<ReportProgress> {
  const { firstPauseMs = 1_000, longestPauseMs = 15_000, longestMs = 1_800_000, onProgress } = poll.wait ?? {};
  const { clock } = tools;
  const untilMs = clock.now() + longestMs;
  let report = started;
  onProgress?.(report);
  for (let pauseMs = firstPauseMs; report.state !== 'finished'; pauseMs = Math.min(longestPauseMs, pauseMs * 1.5)) {
    if (clock.now() >= untilMs) {
      const what = `was not finished within ${Math.round(longestMs / 1_000)} s: its state is '${report.state}'`;
      throw buildReportError(tools, report, what, { code: 'SYNC_REPORT_UNFINISHED' });
    }
    await clock.sleep(Math.ceil(pauseMs), poll.signal).catch(() => {
      throw buildStopped({ method: 'GET', baseUrl: tools.baseUrl, path: '' }, 'not_sent');
    });
    report = await poll.get(report.id, poll.signal);
    onProgress?.(report);
  }
  return report;
}

/** Opens the signed URL of a finished report immediately, because it expires. If the link is rejected, asks once for a new one. */
export async function downloadReport(
  tools: ReportTools,
  report: ReportProgress,
  { get, signal }: Partial<Poll>,
): Promise<ServiceFile> {
  try {
    return await tools.openLink(readLink(tools, report), signal);
  } catch (error) {
    const refused = error instanceof ServiceError && error.fault === 'status' && error.outcome === 'refused';
    if (!refused) throw error;
    if (get === undefined) throw buildReportError(tools, report, 'has an expired link', { cause: error });
    return tools.openLink(readLink(tools, await get(report.id, signal)), signal);
  }
}

function readLink(tools: ReportTools, report: ReportProgress): URL {
  const { url } = report;
  const link = url !== null && URL.canParse(url, tools.baseUrl) ? new URL(url, tools.baseUrl) : null;
  if (link !== null && (link.protocol === 'https:' || link.protocol === 'http:')) return link;
  const found = url === null ? 'no file yet' : 'a file under an address that cannot be fetched';
  throw buildReportError(tools, report, `has ${found}: its state is '${report.state}'`);
}

function buildReportError(
  { baseUrl }: ReportTools,
  report: ReportProgress,
  what: string,
  more: Partial<Pick<ServiceErrorInit, 'code' | 'cause'>> = {},
): ServiceError {
  return new ServiceError({
    code: 'SYNC_SERVICE_DOWN',
    message: `The report ${report.id} ${what}.`,
    method: 'GET',
    baseUrl,
    path: '',
    fault: 'answer',
    outcome: 'unknown',
    ...more,
  });
}
