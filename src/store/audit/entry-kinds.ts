import type { AuditEntry } from './audit-entry.js';
import type { AuditEvent } from './events.js';

/** The content of an entry; a restated entry has the content of its original. */
export type EntryContent = Exclude<AuditEntry | AuditEvent, { kind: 'restated' }>;

/** Reasons why an object gets a different record, or loses its record. */
const OF_IDENTITY: ReadonlySet<string> = new Set(['relinked', 'relinked_since_edit', 'by_hand']);

/** Results of a change that changed nothing. */
const FAILED: ReadonlySet<string> = new Set(['refused', 'lost']);

const ofKinds = (...kinds: readonly EntryContent['kind'][]) => {
  const all: ReadonlySet<string> = new Set(kinds);
  return ({ kind }: EntryContent): boolean => all.has(kind);
};

/** Groups of entries that auditors need. An entry may be in several: a relink is in both `changes` and `identity`. */
const ROWS = {
  changes: (line) => line.kind === 'change' && !FAILED.has(line.result),
  refused: (line) => (line.kind === 'change' || line.kind === 'source told') && FAILED.has(line.result),
  'written-back': (line) => line.kind === 'source told' && !FAILED.has(line.result),
  decisions: ofKinds(
    'approval asked',
    'approval given',
    'approval revoked',
    'approval lapsed',
    'decisions lapsed',
    'change declined',
    'decline revoked',
    'decline ended',
    'pins released',
    'paused',
    'resumed',
    'hold acknowledged',
    'acknowledgement revoked',
  ),
  conflicts: ofKinds('conflict resolved', 'conflict reopened'),
  identity: (line) => line.kind === 'change' && (line.action === 'relink' || OF_IDENTITY.has(line.cause.kind)),
  runs: ofKinds('run started'),
  reads: ofKinds('assistant read'),
  deliveries: ofKinds('report delivered', 'document delivered', 'document removed'),
  erasures: ofKinds('person erased'),
  state: ofKinds('entries expired', 'state restored', 'state moved'),
} satisfies Readonly<Record<string, (line: EntryContent) => boolean>>;

export type LogKind = keyof typeof ROWS;

export const ENTRY_KINDS = Object.keys(ROWS) as readonly LogKind[];

/** A restated entry has the kinds of its original, and also counts as an erasure. */
export function kindsOf(line: AuditEntry | AuditEvent): readonly LogKind[] {
  if (line.kind === 'restated') return [...new Set<LogKind>([...kindsOf(line.entry), 'erasures'])];
  return ENTRY_KINDS.filter((kind) => ROWS[kind](line));
}
