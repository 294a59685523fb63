import { closeSync, fsyncSync, writeSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Clock } from '../base/clock.js';
import { messageOf, SyncError } from '../base/errors.js';
import { openNewSync } from '../base/new-file.js';
import { foldKey } from '../model/observed.js';
import { AUDIT, AUDIT_ENTRY, AUDIT_PROOF, type AuditQuestion, readLogFilter } from '../operations/read-audit.js';
import { withStores } from '../operations/with-stores.js';
import { plural } from '../report/sections/words.js';
import { listCounts, renderEntry, renderLine, renderVerification } from '../report/texts/audit-text.js';
import { worded } from '../report/writers/style.js';
import type { LogKind } from '../store/audit/entry-kinds.js';
import { type ExportFormat, exportLog } from '../store/audit/export-log.js';
import { type LogLine, readLog } from '../store/audit/read-log.js';
import type { AskFlags, AskingContext, CommandContext, CommandResult, CommonOptions } from './context.js';
import { parseMoment } from './parse-moment.js';
import { printPiece } from './print.js';

/** Filter options of `audit list` and `audit export`. */
interface ChoiceFlags {
  readonly run?: string;
  readonly who?: string;
  readonly by?: string;
  readonly kind?: LogKind;
  readonly entity?: string;
  readonly action?: string;
  readonly field?: string;
  readonly to?: string;
}

export interface AuditFlags extends AskFlags, ChoiceFlags {
  readonly last?: number;
  readonly since?: string;
  readonly counts?: boolean;
}

export interface VerifyFlags extends AskFlags {
  readonly head?: string;
}

export interface ExportFlags extends CommonOptions, ChoiceFlags {
  readonly format?: ExportFormat;
  readonly from?: string;
  readonly out?: string;
}

/** `audit verify`: checks the complete chain, and looks for a head that was noted earlier. */
export async function runAuditVerify(context: AskingContext, flags: VerifyFlags): Promise<CommandResult> {
  const json = await context.perform(AUDIT_PROOF, { head: flags.head ?? null });
  return { json, text: renderVerification({ known: null, broken: null, ...json }), exitCode: json.ok ? 0 : 1 };
}

/** `audit list`: entries with the request ids of their calls, oldest first. */
export async function runAuditList(context: AskingContext, flags: AuditFlags): Promise<CommandResult> {
  const { since, last = null, counts = false } = flags;
  const asked = readChoices(flags, { text: since, option: '--since' }, context.clock);
  const json = await context.perform(AUDIT, { ...asked, last, counts });
  const { entries, earlier = 0 } = json;
  const isFiltered = Object.values(asked).some((one) => one !== null);
  const none = isFiltered ? '  no entry matches' : '  no entry yet';
  // With `--last`, the user knows that there may be older entries.
  const left =
    earlier === 0 || last !== null
      ? []
      : [`  ${plural(earlier, 'older entry', 'older entries')} left out: use --since or --last to see them`];
  const counted = json.counts === undefined ? [] : listCounts(json.counts);
  return { json, text: entries.length === 0 ? none : [...left, ...entries.map(renderLine), ...counted].join('\n') };
}

function readChoices(
  flags: ChoiceFlags,
  from: { readonly text: string | undefined; readonly option: string },
  clock: Clock,
): Omit<AuditQuestion, 'last' | 'counts'> {
  const { run = null, who = null, by, kind = null, entity = null, action = null, field = null, to } = flags;
  const moment = (text: string | undefined, option: string): string | null =>
    text === undefined ? null : parseMoment(text, option, clock.now());
  return {
    ...{ run, who, by: by === undefined ? null : foldKey(by), kind, entity, action, field },
    ...{ from: moment(from.text, from.option), to: moment(to, '--to') },
  };
}

/** `audit show`: everything about one entry, or the entries of a run or change. */
export async function runAuditShow(
  context: AskingContext,
  { entry }: { readonly entry: string },
): Promise<CommandResult> {
  const json = await context.perform(AUDIT_ENTRY, { entry });
  return { json, text: json.entries.map(renderEntry).join('\n\n') };
}

/** `audit export`: streams the log to stdout or into a file. */
export function runAuditExport(context: CommandContext, flags: ExportFlags): Promise<CommandResult | null> {
  return withStores(context, async (stores) => {
    const { audit } = stores;
    const { format = 'jsonl', out } = flags;
    if (out === undefined && flags.json === true) throw exportToStdout();
    let entries = 0;
    const count = function* (lines: Iterable<LogLine>): Iterable<LogLine> {
      for (const line of lines) {
        entries += 1;
        yield line;
      }
    };
    const asked = readChoices(flags, { text: flags.from, option: '--from' }, context.clock);
    const filter = await readLogFilter(stores, asked);
    const text = exportLog(count(readLog(audit, filter)), format);
    if (out === undefined) {
      for await (const part of text) await printPiece(context.console.stdout, part);
      return null;
    }
    const file = resolve(out);
    await writeFile(file, text);
    const head = audit.last()?.hash ?? null;
    return {
      json: { file, format, entries, head },
      text: worded`Wrote ${plural(entries, 'entry', 'entries')} to ${file}; the log's head is ${head ?? 'none yet'}.`,
    };
  });
}

/** Writes under the final name from the first line. A truncated export is noticed because no count is printed. */
async function writeFile(file: string, text: AsyncIterable<string>): Promise<void> {
  let handle: number | null = null;
  try {
    handle = openNewSync(file);
    for await (const part of text) writeSync(handle, part);
    fsyncSync(handle);
  } catch (error) {
    throw new SyncError('SYNC_AUDIT_EXPORT', {
      message: `The audit log cannot be written to this file: ${messageOf(error)}.`,
      place: file,
      remedy: 'Name a file that does not exist yet, in a folder that you can write to and that has room.',
      cause: error,
    });
  } finally {
    if (handle !== null) closeSync(handle);
  }
}

function exportToStdout(): SyncError {
  return new SyncError('SYNC_CLI_USAGE', {
    message: 'With --json, the export must go into a file, because stdout has only the JSON document.',
    place: 'audit export --json',
    remedy: 'Name the file with --out, or leave out --json.',
  });
}
