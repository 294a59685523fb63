import { randomUUID } from 'node:crypto';
import { closeSync, readdirSync, rmSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { asSyncError, describeError, messageOf, SyncError } from '../base/errors.js';
import { createDraft, makeFolderSync, openNewSync, refuseLinkedFolder, refuseSpecial } from '../base/new-file.js';
import { hideSecrets } from '../base/secrets/secret.js';
import type { Report } from '../report/sections/report.js';
import { renderCsv } from '../report/writers/csv.js';
import { renderHtml } from '../report/writers/html.js';
import { renderMarkdown } from '../report/writers/markdown.js';
import { worded } from '../report/writers/style.js';
import { type CommandResult, formatError } from './context.js';
import type { ReportFileFormat, ReportTarget } from './report-target.js';

export interface WrittenReport {
  readonly format: ReportFileFormat;
  readonly file: string;
  readonly bytes: number;
}

/** Number of reports kept in the state folder. A schedule that writes one per run produces 35,000 a year. */
const KEPT_REPORTS = 200;
const OF_OURS = /^[pr]\d{8}T[\w-]+\.(html|md|csv)$/;

export async function* renderAs(
  report: Report,
  { format, bom, plain }: Pick<ReportTarget, 'format' | 'bom' | 'plain'>,
): AsyncIterable<string> {
  const render = {
    html: renderHtml,
    md: renderMarkdown,
    csv: (of: Report) => renderCsv(of, { bom: bom === true, isPlain: plain === true }),
  };
  for await (const text of render[format](report)) yield hideSecrets(text);
}

/**
 * Streams a report to a file that only its owner can read, because it contains as much about people as the plan. The file
 * gets its final name once it is complete.
 *
 * @throws SyncError SYNC_REPORT_UNWRITABLE
 */
export async function writeReport(report: Report, target: ReportTarget, state: string): Promise<WrittenReport> {
  const folder = join(state, 'reports');
  const file = resolve(target.file ?? join(folder, `${report.id}.${target.format}`));
  let bytes = 0;
  try {
    makeFolderSync(dirname(file), 0o700);
    if (target.file === null) refuseLinkedFolder(folder);
    const draft = createDraft(file);
    try {
      for await (const text of renderAs(report, target)) bytes += draft.write(text);
      draft.finish();
    } finally {
      draft.discard();
    }
    if (target.file === null) pruneReports(folder);
  } catch (error) {
    throw error instanceof SyncError ? error : unwritable(file, error);
  }
  return { format: target.format, file, bytes };
}

/** Checks that reports can be written before anything is planned or sent. */
export function checkTargets(targets: readonly ReportTarget[], state: string): void {
  for (const { file, format } of targets) {
    const folder = file === null ? join(state, 'reports') : dirname(resolve(file));
    const probe = join(folder, `.talent-sync-${randomUUID()}.partial`);
    try {
      makeFolderSync(folder, 0o700);
      if (file === null) refuseLinkedFolder(folder);
      else refuseSpecial(file);
      closeSync(openNewSync(probe));
      rmSync(probe);
    } catch (error) {
      throw unwritable(file ?? join(folder, `*.${format}`), error);
    }
  }
}

function pruneReports(folder: string): void {
  const names = readdirSync(folder).filter((name) => OF_OURS.test(name));
  // Sorted by the time in the id, without its first letter.
  const byAge = names.sort((a, b) => (a.slice(1) < b.slice(1) ? -1 : 1));
  for (const name of byAge.slice(0, -KEPT_REPORTS)) rmSync(join(folder, name), { force: true });
}

function unwritable(file: string, error: unknown): SyncError {
  return new SyncError('SYNC_REPORT_UNWRITABLE', {
    message: `The report cannot be written: ${messageOf(error)}.`,
    place: file,
    remedy:
      'Name another file, or make its folder writable. The content of the report is not lost: `talent-sync export report` writes it later.',
    cause: error,
  });
}

/** Writes all requested reports after the work. A failed report affects neither the others nor the output of the command. */
export async function writeReports(
  targets: readonly ReportTarget[] | undefined,
  state: string,
  open: () => Promise<Report>,
): Promise<{ readonly written: readonly WrittenReport[]; readonly error: SyncError | null }> {
  const written: WrittenReport[] = [];
  let error: SyncError | null = null;
  if (targets === undefined) return { written, error };
  try {
    const report = await open();
    for (const target of targets) written.push(await writeReport(report, target, state));
  } catch (thrown) {
    error = asSyncError(thrown);
  }
  return { written, error };
}

/**
 * Adds the written reports to a command's result. A report that could not be written is an error, whatever else the command did.
 */
export function addReports(
  result: CommandResult,
  { written, error }: Awaited<ReturnType<typeof writeReports>>,
): CommandResult {
  const lines = written.map(({ format, file }) => worded`Report (${format}): ${file}\n`);
  const reports = written.length > 0 ? { reports: written } : {};
  const text = `${result.text}${lines.join('')}`;
  if (error === null) return { ...result, json: { ...(result.json as object), ...reports }, text };
  const json = { ...(result.json as object), ...reports, ...describeError(error) };
  return { json, text: `${text}${formatError(error)}`, exitCode: 1 };
}
