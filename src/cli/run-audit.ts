import { closeSync, fsyncSync, writeSync } from 'node:fs';
import { resolve } from 'node:path';
import { type ExportFormat, exportLog } from '../audit/export-log.js';
import { EVERY_LINE, findLine, type LogFilter, type LogLine, readLog } from '../audit/read-log.js';
import { verifyChain } from '../audit/verify-chain.js';
import type { Clock } from '../clock.js';
import { messageOf, SyncError } from '../errors.js';
import { foldKey } from '../model/observed.js';
import { openNewSync } from '../new-file.js';
import { withStores } from '../operations/with-stores.js';
import { parseSelector } from '../planning/only.js';
import { plural } from '../report/sections/words.js';
import { renderEntry, renderLine, renderVerification } from '../report/texts/audit-text.js';
import { worded } from '../report/writers/style.js';
import type { Stores } from '../store/open-stores.js';
import type { CommandContext, CommandResult, CommonOptions } from './context.js';
import { parseMoment } from './parse-moment.js';
import { printPiece } from './print.js';

export interface AuditFlags extends CommonOptions {
  readonly run?: string;
  readonly last?: number;
  readonly who?: string;
  readonly since?: string;
}

export interface VerifyFlags extends CommonOptions {
  readonly head?: string;
}

export interface ExportFlags extends CommonOptions {
  readonly format?: ExportFormat;
  readonly from?: string;
  readonly to?: string;
  readonly run?: string;
  readonly out?: string;
}

/** `audit verify`: walks the whole chain, and looks for a head that was noted earlier. */
export function runAuditVerify(context: CommandContext, flags: VerifyFlags): Promise<CommandResult> {
  const head = flags.head === undefined ? null : flags.head.trim().toLowerCase();
  return withStores(context, ({ audit }) => {
    if (head !== null && !/^[0-9a-f]{12,64}$/.test(head)) throw noHead(head);
    const verification = verifyChain(audit, head);
    const { known, broken, ...rest } = verification;
    const json = { ...rest, ...(known === null ? {} : { known }), ...(broken === null ? {} : { broken }) };
    return { json, text: renderVerification(verification), exitCode: verification.ok ? 0 : 1 };
  });
}

/** `audit list`: every entry with its calls' request ids, oldest first. */
export function runAuditList(context: CommandContext, flags: AuditFlags): Promise<CommandResult> {
  return withStores(context, ({ audit }) => {
    const { run, who, since } = flags;
    const filter: LogFilter = {
      ...EVERY_LINE,
      run: run ?? null,
      who: who === undefined ? null : parseWho(who),
      from: since === undefined ? null : parseMoment(since, '--since', context.clock.now()),
    };
    const entries = takeLast(readLog(audit, filter), flags.last ?? null);
    const isFiltered = [run, who, since].some((flag) => flag !== undefined);
    const none = isFiltered ? '  no entry is like that' : '  no entry yet';
    const text = entries.length === 0 ? none : entries.map(renderLine).join('\n');
    return { json: { entries }, text };
  });
}

/** `audit show`: all that one entry tells, or the entries of a run or change. */
export function runAuditShow(context: CommandContext, { entry }: { readonly entry: string }): Promise<CommandResult> {
  return withStores(context, (stores) => {
    const entries = findEntries(stores, entry.trim());
    return { json: { entries }, text: entries.map(renderEntry).join('\n\n') };
  });
}

/** `audit export`: the log as a stream, to stdout or into a file. */
export function runAuditExport(context: CommandContext, flags: ExportFlags): Promise<CommandResult | null> {
  return withStores(context, async ({ audit }) => {
    const { format = 'jsonl', out } = flags;
    if (out === undefined && flags.json === true) throw exportToStdout();
    let entries = 0;
    const count = function* (lines: Iterable<LogLine>): Iterable<LogLine> {
      for (const line of lines) {
        entries += 1;
        yield line;
      }
    };
    const text = exportLog(count(readLog(audit, readRange(flags, context.clock))), format);
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

function readRange({ from, to, run }: ExportFlags, clock: Clock): LogFilter {
  const moment = (text: string | undefined, option: string): string | null =>
    text === undefined ? null : parseMoment(text, option, clock.now());
  return { ...EVERY_LINE, run: run ?? null, from: moment(from, '--from'), to: moment(to, '--to') };
}

/** `jane@example.com` is anything of that name, `customer:C1` one kind of object. */
function parseWho(text: string): NonNullable<LogFilter['who']> {
  return /^\s*[a-z_]+:/i.test(text) ? parseSelector(text, '--who') : { entity: null, words: foldKey(text) };
}

function takeLast<T>(items: Iterable<T>, count: number | null): readonly T[] {
  const kept: T[] = [];
  for (const item of items) {
    kept.push(item);
    if (count !== null && kept.length > 2 * count) kept.splice(0, kept.length - count);
  }
  return count === null ? kept : kept.slice(-count);
}

function findEntries({ audit }: Stores, what: string): readonly LogLine[] {
  if (/^\d{1,10}$/.test(what)) {
    const line = findLine(audit, Number(what));
    const checkpoint = audit.checkpoint();
    if (line !== null) return [line];
    // An id may begin with nothing but digits.
    const ofChange = what.length >= 6 ? [...readLog(audit, { ...EVERY_LINE, change: what })] : [];
    if (ofChange.length > 0) return ofChange;
    const isGone = checkpoint !== null && Number(what) >= 1 && Number(what) <= checkpoint.seq;
    throw noEntry(
      isGone
        ? `Entry ${what} was removed as audit.keep says: the log begins after entry ${checkpoint.seq}.`
        : `There is no entry ${what} in the audit.`,
    );
  }
  const isRun = what.startsWith('r');
  const wanted = isRun ? { run: what } : { change: what };
  const entries = [...readLog(audit, { ...EVERY_LINE, ...wanted })];
  if (entries.length > 0 && (isRun || what.length >= 6)) return entries;
  throw noEntry(`No entry of the audit is of a ${isRun ? 'run' : 'change'} "${what}".`);
}

/** Under its name from the first line on: an export that is cut short is seen to be, by the count that is not told. */
async function writeFile(file: string, text: AsyncIterable<string>): Promise<void> {
  let handle: number | null = null;
  try {
    handle = openNewSync(file);
    for await (const part of text) writeSync(handle, part);
    fsyncSync(handle);
  } catch (error) {
    throw new SyncError('SYNC_AUDIT_EXPORT', {
      message: `The audit cannot be written there: ${messageOf(error)}.`,
      place: file,
      remedy: 'Name a file that is not there yet, in a folder that may be written to and has room.',
      cause: error,
    });
  } finally {
    if (handle !== null) closeSync(handle);
  }
}

function noEntry(message: string): SyncError {
  return new SyncError('SYNC_NOT_FOUND', {
    message,
    place: 'audit show',
    remedy: '`talent-sync audit list` gives the number of each entry; a run and a change are named by their ids.',
  });
}

function noHead(head: string): SyncError {
  return new SyncError('SYNC_CLI_USAGE', {
    message: `"${head}" is no head of an audit.`,
    place: '--head',
    remedy:
      'Give the hash that a run, `status` or `audit verify` has printed: its 64 digits, or at least the first 12.',
  });
}

function exportToStdout(): SyncError {
  return new SyncError('SYNC_CLI_USAGE', {
    message: '--json describes an export into a file; the export itself is already for machines.',
    place: 'audit export --json',
    remedy: 'Name the file with --out, or leave --json out.',
  });
}
