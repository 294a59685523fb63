import { SyncError } from '../base/errors.js';
import { openPlanReport, openRunReport } from '../operations/open-report.js';
import { withStores } from '../operations/with-stores.js';
import { plural } from '../report/sections/words.js';
import { worded } from '../report/writers/style.js';
import type { CommandContext, CommandResult, CommonOptions } from './context.js';
import { printPiece } from './print.js';
import { renderAs, writeReport } from './report-files.js';
import { FORMATS, parseTarget, type ReportFileFormat, type ReportTarget } from './report-target.js';

export interface ExportReportFlags extends CommonOptions {
  readonly kind?: string;
  readonly id?: string;
  readonly format?: ReportFileFormat;
  readonly out?: string;
  readonly bom?: boolean;
  readonly plain?: boolean;
}

/** `export report [KIND] [ID]`: a plan or a run as HTML, Markdown or CSV. Works during a run. */
export function runExportReport(context: CommandContext, flags: ExportReportFlags): Promise<CommandResult | null> {
  const { config, console } = context;
  const { kind, id } = chooseReport(flags);
  const target = chooseTarget(flags);
  return withStores(context, async (stores) => {
    const report = kind === 'plan' ? await openPlanReport(config, stores, id) : await openRunReport(config, stores, id);
    if (flags.out === '-') {
      for await (const text of renderAs(report, target)) await printPiece(console.stdout, text);
      return null;
    }
    const written = await writeReport(report, target, config.state);
    const { format, file, bytes } = written;
    return {
      json: { report: { kind: report.kind, id: report.id }, format, file, bytes },
      text: worded`Wrote ${report.kind} ${report.id} to ${file} (${plural(bytes, 'byte')})`,
    };
  });
}

/** `plan`, `run`, `run r2026…`, or an id alone: `p2026…` is a plan, `r2026…` a run. */
function chooseReport({ kind, id }: ExportReportFlags): { kind: 'plan' | 'run'; id: string | null } {
  if (kind === undefined || kind === 'plan') return { kind: 'plan', id: id ?? null };
  if (kind === 'run') return { kind: 'run', id: id ?? null };
  if (id === undefined && /^r\d{8}T/.test(kind)) return { kind: 'run', id: kind };
  if (id === undefined && (/^p\d{8}T/.test(kind) || kind.endsWith('.json'))) return { kind: 'plan', id: kind };
  throw new SyncError('SYNC_CLI_USAGE', {
    message: `"${kind}" is neither plan nor run, nor the id of one.`,
    place: 'export report',
    remedy: 'Write `export report plan`, `export report run`, or give an id that `plan` or `runs` has printed.',
  });
}

function chooseTarget({ format, out, bom, plain, json }: ExportReportFlags): ReportTarget {
  const named = out === undefined || out === '-' ? null : parseTarget(out);
  const chosen = format ?? (named?.file === null ? undefined : named?.format);
  if (chosen === undefined) {
    throw new SyncError('SYNC_CLI_USAGE', {
      message: 'The format of the report is not known.',
      place: '--format',
      remedy: `Give --format ${FORMATS.join(', ')}, or a file with such an ending.`,
    });
  }
  if (out === '-' && json === true) {
    throw new SyncError('SYNC_CLI_USAGE', {
      message: 'The report and the JSON document cannot both go to stdout.',
      place: '--out -',
      remedy: 'Leave out --json, or name a file.',
    });
  }
  return {
    format: chosen,
    file: out === undefined || out === '-' ? null : out,
    bom: bom === true,
    plain: plain === true,
  };
}
