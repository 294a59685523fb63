import type { AuditRow, AuditStore } from '../state/audit-store.js';
import type { AuditEntry } from './audit-entry.js';
import { type InChain, parseRow } from './audit-log.js';
import type { AuditEvent, Restated, SourceWritten } from './events.js';
import { createFilter, EVERY_LINE, type LogFilter } from './log-filter.js';
import { pseudonymiseEvent, veilEntry } from './pseudonyms.js';

/** The position of an erased entry, without any content. */
export interface ErasedLine {
  readonly kind: 'erased';
}

/** One line of the log, as shown and exported. */
export type LogLine = (AuditEntry | AuditEvent | ErasedLine) & InChain;

/**
 * Yields lines oldest first and reads pages on demand. An erased entry has neither a time nor a run. It is listed if
 * the previous entry is listed, but never in a search for an object.
 */
export function* readLog(store: AuditStore, filter: LogFilter = EVERY_LINE): Iterable<LogLine> {
  for (const line of walkLog(store, filter)) if (line !== null) yield line;
}

/** Like `readLog`, but yields to other work while it searches a long log for a rare name. */
export async function* readLogInTurns(store: AuditStore, filter: LogFilter): AsyncIterable<LogLine> {
  for (const line of walkLog(store, filter)) {
    if (line === null) await new Promise((resolve) => setImmediate(resolve));
    else yield line;
  }
}

/** Yields null after every `TURN` entries, even if none of them match. */
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

/** The newest matching lines, and where to continue with older ones. */
export interface LogPage {
  /** Newest first. */
  readonly lines: readonly LogLine[];
  /** Entries before this one were not read; null if there are none. */
  readonly before: number | null;
}

/**
 * Returns the newest matching lines before an entry. It reads at most `mostLooked` entries and yields to other work, so
 * that a rare name does not block others. `before` allows reading older entries next.
 */
export async function readLogPage(
  store: AuditStore,
  filter: LogFilter,
  { before, most, mostLooked }: { readonly before: number | null; readonly most: number; readonly mostLooked: number },
): Promise<LogPage> {
  const wants = createFilter(store, filter);
  const lines: LogLine[] = [];
  for await (const { looked, line } of readLogBack(store, filter, before)) {
    if (wants === null || (line.kind !== 'erased' && wants(line))) lines.push(line);
    if (lines.length >= most || looked >= mostLooked) return { lines, before: line.seq };
  }
  return { lines, before: null };
}

/**
 * Yields every line of a time range, newest first, and yields to other work. Entries are ordered by time. A binary
 * search finds the newest, and reading ends at the first that is too old. Clocks may differ by a day. A restated entry
 * comes long after its own time, so after an erasure the search starts at the end.
 */
export async function* readLogBack(
  store: AuditStore,
  { from, to }: Pick<LogFilter, 'from' | 'to'>,
  before: number | null = null,
): AsyncIterable<{ readonly looked: number; readonly line: LogLine }> {
  const end = to === null || store.hasErasures() ? Number.MAX_SAFE_INTEGER : findAfter(store, shift(to, DAY_MS));
  const oldest = from === null ? null : shift(from, -DAY_MS);
  let looked = 0;
  for (const row of store.rowsBefore(Math.min(end, before ?? end))) {
    const line = toLine(row);
    if (oldest !== null && line.kind !== 'erased' && line.at < oldest) return;
    looked += 1;
    yield { looked, line };
    if (looked % TURN === 0) await new Promise((resolve) => setImmediate(resolve));
  }
}

/** Returns the number of the first entry that is not before a time. */
function findAfter(store: AuditStore, at: string): number {
  let [low, high] = [(store.checkpoint()?.seq ?? 0) + 1, (store.last()?.seq ?? 0) + 1];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const line = findLine(store, middle);
    if (line !== null && line.kind !== 'erased' && line.at < at) low = middle + 1;
    else high = middle;
  }
  return low;
}

const DAY_MS = 86_400_000;

function shift(iso: string, ms: number): string {
  return new Date(Date.parse(iso) + ms).toISOString();
}

const TURN = 500;

/** Returns the line with pseudonyms instead of personal values, for readers who may not see names. */
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

/** Yields the changes of one run, oldest first, without erased entries. */
export function* readRunEntries(store: Pick<AuditStore, 'rows'>, run: string): Iterable<AuditEntry> {
  for (const entry of readRunLines(store, run)) if (entry.kind === 'change') yield entry;
}

/** Yields the values that a run wrote back to the sources. */
export function* readRunWrites(store: Pick<AuditStore, 'rows'>, run: string): Iterable<SourceWritten> {
  for (const entry of readRunLines(store, run)) if (entry.kind === 'source told') yield entry;
}

function* readRunLines(store: Pick<AuditStore, 'rows'>, run: string): Iterable<AuditEntry | SourceWritten> {
  // Searches the text first, so that only entries that might match are parsed.
  const mark = JSON.stringify(run);
  for (const { entry } of store.rows()) {
    if (entry === null || !entry.includes(mark)) continue;
    const parsed = JSON.parse(entry) as AuditEntry | AuditEvent;
    if ((parsed.kind === 'change' || parsed.kind === 'source told') && parsed.run === run) yield parsed;
  }
}
