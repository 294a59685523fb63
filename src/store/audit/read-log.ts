import { isJsonObject, type Json } from '../../model/json.js';
import { foldKey } from '../../model/observed.js';
import { askingNames } from '../../model/person-fields.js';
import type { AuditRow, AuditStore } from '../state/audit-store.js';
import type { AuditEntry } from './audit-entry.js';
import { type InChain, parseRow } from './audit-log.js';
import type { AuditEvent, Restated, SourceWritten } from './events.js';
import { emailOf, pseudonymiseEvent, pseudonymOf, veilEntry } from './pseudonyms.js';

/** All that is left of an entry after an erasure: its place. */
export interface ErasedLine {
  readonly kind: 'erased';
}

/** One line of the log as it is shown and exported. */
export type LogLine = (AuditEntry | AuditEvent | ErasedLine) & InChain;

/** Which lines are wanted; null for all. */
export interface LogFilter {
  readonly run: string | null;
  /** Change id, or the start of one. */
  readonly change: string | null;
  /** An object: its entity, or null for any, and folded words: key, id, e-mail, external id or label. */
  readonly who: { readonly entity: string | null; readonly words: string } | null;
  /** ISO 8601, inclusive. */
  readonly from: string | null;
  /** ISO 8601, exclusive. */
  readonly to: string | null;
  /** Who decided, started or approved it: a part of the name, folded. */
  readonly by?: string | null;
}

export const EVERY_LINE: LogFilter = { run: null, change: null, who: null, from: null, to: null };

/**
 * Lines oldest first, read in pages as they are asked for. An erased entry tells neither time nor run: it is listed where
 * the entry before it is, and by no question about an object.
 */
export function* readLog(store: AuditStore, filter: LogFilter = EVERY_LINE): Iterable<LogLine> {
  for (const line of walkLog(store, filter)) if (line !== null) yield line;
}

/** The same in turns: others get theirs while a rare name is looked for in a log of years. */
export async function* readLogInTurns(store: AuditStore, filter: LogFilter): AsyncIterable<LogLine> {
  for (const line of walkLog(store, filter)) {
    if (line === null) await new Promise((resolve) => setImmediate(resolve));
    else yield line;
  }
}

/** null after so many entries, wanted or not. */
function* walkLog(store: AuditStore, filter: LogFilter): Iterable<LogLine | null> {
  let looked = 0;
  const wants = createFilter(store, filter);
  let wantedLast = wants === null || (filter.run === null && filter.change === null && filter.from === null);
  for (const row of store.rows()) {
    looked += 1;
    if (looked % TURN === 0) yield null;
    const line = toLine(row);
    if (line.kind === 'erased') {
      if (wantedLast && filter.who === null) yield line;
      continue;
    }
    wantedLast = wants === null || wants(line);
    if (wantedLast) yield line;
  }
}

/** Newest lines that are wanted, and where to go on for older ones. */
export interface LogPage {
  /** Newest first. */
  readonly lines: readonly LogLine[];
  /** Entries before this one were not looked at; null where there are none. */
  readonly before: number | null;
}

/**
 * The newest lines before an entry. So many entries are looked at and no more, in turns, so that a rare name in a log of
 * years keeps nobody waiting: what is older is asked for with `before`.
 */
export async function readLogPage(
  store: AuditStore,
  filter: LogFilter,
  { before, most, mostLooked }: { readonly before: number | null; readonly most: number; readonly mostLooked: number },
): Promise<LogPage> {
  const wants = createFilter(store, filter);
  const lines: LogLine[] = [];
  let looked = 0;
  for (const row of store.rowsBefore(before ?? Number.MAX_SAFE_INTEGER)) {
    const line = toLine(row);
    if (wants === null || (line.kind !== 'erased' && wants(line))) lines.push(line);
    looked += 1;
    if (lines.length >= most || looked >= mostLooked) return { lines, before: row.seq };
    if (looked % TURN === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  return { lines, before: null };
}

const TURN = 500;

/** The same line with personal values as pseudonyms, for readers who see nobody's name. */
export function pseudonymiseLine(key: string, line: LogLine): LogLine {
  if (line.kind === 'erased') return line;
  if (line.kind === 'restated') return { ...line, entry: veilContent(key, line.entry) as Restated['entry'] };
  const { seq, hash } = line;
  return { ...veilContent(key, line), seq, hash };
}

function veilContent(key: string, content: AuditEntry | AuditEvent): AuditEntry | AuditEvent {
  if (content.kind !== 'change') return pseudonymiseEvent(key, content);
  return veilEntry(key, content);
}

export function findLine(store: AuditStore, seq: number): LogLine | null {
  const row = store.find(seq);
  return row === null ? null : toLine(row);
}

function toLine(row: AuditRow): LogLine {
  const { seq, hash } = row;
  return { seq, hash, ...(parseRow(row) ?? { kind: 'erased' }) };
}

/** What a line is about: of a restated one, the original's content. */
export function contentOf(line: AuditEntry | AuditEvent): AuditEntry | AuditEvent {
  return line.kind === 'restated' ? line.entry : line;
}

function createFilter(
  store: AuditStore,
  { run, change, who, from, to, by = null }: LogFilter,
): ((line: AuditEntry | AuditEvent) => boolean) | null {
  if ([run, change, who, from, to, by].every((one) => one === null)) return null;
  const key = store.pseudonymKey();
  const names = new Set(who === null ? [] : [who.words, ...(key === null ? [] : [pseudonymOf(key, who.words)])]);
  const isInTime = ({ at }: AuditEntry | AuditEvent): boolean =>
    (from === null || at >= from) && (to === null || at < to);
  return (line) => {
    const content = contentOf(line);
    if (!isInTime(content)) return false;
    if (run !== null && !('run' in content && content.run === run)) return false;
    if (change !== null && !changesOf(content).some((id) => id.startsWith(change))) return false;
    if (by !== null && !isBy(content, by)) return false;
    return who === null || isAbout(content, who.entity, names);
  };
}

function isBy(line: AuditEntry | AuditEvent, by: string): boolean {
  if ('by' in line && foldKey(line.by).includes(by)) return true;
  // `a1 by kim@example.com: ticket 4711`
  return 'approval' in line && line.approval !== null && foldKey(line.approval).includes(` by ${by}`);
}

function changesOf(line: AuditEntry | AuditEvent): readonly string[] {
  if (line.kind === 'change' || line.kind === 'source told') return [line.change];
  return 'changes' in line ? line.changes : [];
}

function isAbout(line: AuditEntry | AuditEvent, entity: string | null, names: ReadonlySet<string>): boolean {
  if (line.kind === 'document delivered' || line.kind === 'document removed')
    return (entity === null || line.entity === entity) && names.has(foldKey(line.target));
  if (line.kind !== 'change' && line.kind !== 'source told') return false;
  if (entity !== null && line.entity !== entity) return false;
  const { key, label, before, after } = line;
  const target = line.kind === 'change' ? line.target : line.record;
  const named = askingNames().flatMap((field) => [at(before, field), at(after, field)]);
  return [key, target, label, emailOf(label), ...named].some(
    (name) => typeof name === 'string' && names.has(foldKey(name)),
  );
}

function at(values: Json, field: string): Json {
  return isJsonObject(values) ? (values[field] ?? null) : null;
}

/** What one run did, oldest first; erased entries are left out. */
export function* readRunEntries(store: Pick<AuditStore, 'rows'>, run: string): Iterable<AuditEntry> {
  for (const entry of readRunLines(store, run)) if (entry.kind === 'change') yield entry;
}

/** What it wrote back to the sources. */
export function* readRunWrites(store: Pick<AuditStore, 'rows'>, run: string): Iterable<SourceWritten> {
  for (const entry of readRunLines(store, run)) if (entry.kind === 'source told') yield entry;
}

function* readRunLines(store: Pick<AuditStore, 'rows'>, run: string): Iterable<AuditEntry | SourceWritten> {
  // Looked for in the text first: of a log of years only the entries that may be meant are parsed.
  const mark = JSON.stringify(run);
  for (const { entry } of store.rows()) {
    if (entry === null || !entry.includes(mark)) continue;
    const parsed = JSON.parse(entry) as AuditEntry | AuditEvent;
    if ((parsed.kind === 'change' || parsed.kind === 'source told') && parsed.run === run) yield parsed;
  }
}
