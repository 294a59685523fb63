import * as z from 'zod';
import { count, identifier, readId, text } from './wire-values.js';

/** One form of both kinds of report; the service names their parts differently (spec, Report records). */
export interface ReportProgress {
  readonly id: string;
  /** `started` or `finished`. */
  readonly state: string;
  /** 0 to 100; null when not shown. */
  readonly percent: number | null;
  /** Signed and short-lived; null until finished. */
  readonly url: string | null;
}

const file = z.object({ url: z.string().nullish() }).nullish();

export const WireProjectReport = z.preprocess(
  readId,
  z.object({ id: identifier, state: text, percentProcessed: count, processed: count, total: count, file }).transform(
    (report): ReportProgress => ({
      id: report.id,
      state: report.state ?? '',
      percent: report.percentProcessed ?? null,
      url: report.file?.url ?? null,
    }),
  ),
);

export const WireCvReport = z.preprocess(
  readId,
  z.object({ id: identifier, state: text, percent_complete: count, cv_report: file }).transform(
    (report): ReportProgress => ({
      id: report.id,
      state: report.state ?? '',
      percent: report.percent_complete ?? null,
      url: report.cv_report?.url ?? null,
    }),
  ),
);
