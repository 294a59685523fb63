import { isJsonObject, type Json } from '../model/json.js';
import { foldKey } from '../model/observed.js';
import type { AuditRow, AuditStore } from '../store/state/audit-store.js';
import { type AuditEntry, type InChain, parseRow } from './audit-log.js';
import type { AuditEvent, SourceWritten } from './events.js';
import { emailOf, pseudonymOf } from './pseudonyms.js';

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
}

export const EVERY_LINE: LogFilter = { run: null, change: null, who: null, from: null, to: null };

/**
 * Lines oldest first, read in pages as they are asked for. An erased entry tells neither time nor run: it is listed where
 * the entry before it is, and by no question about an object.
 */
export function* readLog(store: AuditStore, filter: LogFilter = EVERY_LINE): Iterable<LogLine> {
  const wants = createFilter(store, filter);
  let wantedLast = wants === null || (filter.run === null && filter.change === null && filter.from === null);
  for (const row of store.rows()) {
    const line = toLine(row);
    if (line.kind === 'erased') {
      if (wantedLast && filter.who === null) yield line;
      continue;
    }
    wantedLast = wants === null || wants(line);
    if (wantedLast) yield line;
  }
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
  { run, change, who, from, to }: LogFilter,
): ((line: AuditEntry | AuditEvent) => boolean) | null {
  if (run === null && change === null && who === null && from === null && to === null) return null;
  const key = store.pseudonymKey();
  const names = new Set(who === null ? [] : [who.words, ...(key === null ? [] : [pseudonymOf(key, who.words)])]);
  return (line) => {
    const content = contentOf(line);
    if (from !== null && content.at < from) return false;
    if (to !== null && content.at >= to) return false;
    if (run !== null && !('run' in content && content.run === run)) return false;
    if (change !== null && !changesOf(content).some((id) => id.startsWith(change))) return false;
    return who === null || isAbout(content, who.entity, names);
  };
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
  const named = ['email', 'upn', 'external_unique_id', 'name'].flatMap((field) => [
    at(before, field),
    at(after, field),
  ]);
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
