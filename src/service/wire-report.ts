import * as z from 'zod';
import { count, identifier, readId, text } from './wire-values.js';

/** The progress of a report, in one shape for both kinds; the service names their fields differently (spec, Report records). */
export interface ReportProgress {
  readonly id: string;
  /** `started` or `finished`. */
  readonly state: string;
  /** 0 to 100; null if not shown. */
  readonly percent: number | null;
  /** Signed and short-lived; null until finished. */
  readonly url: string | null;
}

const file = z.object({ url: z.string().nullish() }).nullish();
const common = { id: identifier, state: text };

export const WireProjectReport = z.preprocess(
  readId,
  z
    .object({ ...common, percentProcessed: count, processed: count, total: count, file })
    .transform((report) => showProgress(report, report.percentProcessed, report.file)),
);

export const WireCvReport = z.preprocess(
  readId,
  z
    .object({ ...common, percent_complete: count, cv_report: file })
    .transform((report) => showProgress(report, report.percent_complete, report.cv_report)),
);

function showProgress(
  { id, state }: z.infer<z.ZodObject<typeof common>>,
  percent: z.infer<typeof count>,
  where: z.infer<typeof file>,
): ReportProgress {
  return { id, state: state ?? '', percent: percent ?? null, url: where?.url ?? null };
}
