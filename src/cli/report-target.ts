import { extname } from 'node:path';

export const FORMATS = ['html', 'md', 'csv'] as const;
export type ReportFileFormat = (typeof FORMATS)[number];

/** Target and format of a report. Without a file, the report is stored under its own name in the state's `reports/`. */
export interface ReportTarget {
  readonly format: ReportFileFormat;
  readonly file: string | null;
  /** Adds a byte order mark to a CSV, so that Excel recognises UTF-8. */
  readonly bom?: boolean;
  /** A CSV for programs. */
  readonly plain?: boolean;
}

export function isFormat(text: string): text is ReportFileFormat {
  return FORMATS.some((format) => format === text);
}

const ENDINGS: Readonly<Record<string, string>> = { htm: 'html', markdown: 'md' };

/** `html` → a page in the state folder; `out/plan.md` → that file, in the format of its extension. */
export function parseTarget(text: string): ReportTarget | null {
  if (isFormat(text)) return { format: text, file: null };
  const ending = extname(text).slice(1).toLowerCase();
  const format = ENDINGS[ending] ?? ending;
  return isFormat(format) ? { format, file: text } : null;
}
