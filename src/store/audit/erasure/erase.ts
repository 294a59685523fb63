import type { Json } from '../../../model/json.js';
import type { Traces } from '../../erasure-store.js';
import type { Stores } from '../../open-stores.js';
import { removePreviewCopy } from '../../preview-copy.js';
import type { AuditEntry } from '../audit-entry.js';
import { appendEvent, parseRow } from '../audit-log.js';
import type { AuditEvent, Restated } from '../events.js';
import { contentOf } from '../log-filter.js';
import { rememberErased } from './erased-people.js';
import { type Person, PersonFinder } from './person.js';
import { findPersonFiles, type PersonFiles, removeFiles } from './person-files.js';

/** Data that an erasure has found or removed. */
export interface ErasureFindings {
  /** Number of audit entries about the person. */
  readonly entries: number;
  /** Number of audit entries about others that name the person. They are restated without the name. */
  readonly restated: number;
  /** Numbers of rows in state.db and mirror.db, by table. */
  readonly rows: Traces;
  readonly files: PersonFiles;
  /** Number of calls about the person with an unknown outcome. Nothing may be erased until the next run has checked them. */
  readonly openIntents: number;
}

/**
 * Returns true if a database file in the state folder mentions the person. The store provides this function, because
 * only the store opens databases.
 */
export type LookInDatabase = (file: string, person: PersonFinder) => boolean;

/** Stored before anything is erased, so that an interrupted erasure can be finished. */
export interface ErasureOrder {
  readonly erasure: string;
  readonly at: string;
  readonly by: string;
  readonly reason: string;
  /** Number of the person's delivered documents that have already been removed. */
  readonly documents?: number;
  /** Null once only the files remain to be shrunk, because the order itself must not name the person. */
  readonly person: Person | null;
  /** True if only the files' logs remain to be emptied. */
  readonly isRewritten?: boolean;
}

/** The last completed step of an erasure. The process may end after any step. */
export type ErasureStep = 'written down' | 'files' | 'mirror' | 'state' | 'shrunk' | 'log busy' | 'done';

/** Searches everywhere without changing anything. */
export function findErasure(stores: Stores, person: Person, look: LookInDatabase): ErasureFindings {
  const finder = new PersonFinder(person);
  const { own, others } = findEntries(stores, finder);
  const rows = addUp(stores.erasure.find('state', finder), stores.erasure.find('mirror', finder));
  const openIntents = stores.journal.open().filter(({ change }) => finder.mentions(change as unknown as Json)).length;
  const files = findPersonFiles(stores.folder, finder, look);
  return { entries: own.length, restated: others.length, rows, files, openIntents };
}

/**
 * Erases in steps. After each step, `finishErasure` can continue:
 *
 *     order on disk → files → mirror.db → state.db, with its entry in the audit → both files without free pages → done
 *
 * The transaction that erases from state.db also removes the person from the order. A repeated step searches again and
 * only erases what is left.
 */
export function* eraseInSteps(stores: Stores, order: ErasureOrder): Generator<ErasureStep> {
  const { erasure } = stores;
  const { person } = order;
  if (person !== null) {
    const finder = new PersonFinder(person);
    erasure.setPending(JSON.stringify(order));
    yield 'written down';
    removePreviewCopy(stores.folder);
    removeFiles(stores.folder, findPersonFiles(stores.folder, finder, () => false).remove);
    yield 'files';
    erasure.erase('mirror', finder, ({ objects = 0 }) => {
      if (objects > 0) erasure.forgetReads();
      erasure.forgetNameless();
    });
    yield 'mirror';
    erasure.erase('state', finder, () => {
      eraseEntries(stores, person, finder, order);
      erasure.setPending(JSON.stringify({ ...order, person: null }));
    });
    yield 'state';
  }
  if (order.isRewritten !== true) {
    erasure.rewrite();
    erasure.setPending(JSON.stringify({ ...order, person: null, isRewritten: true }));
  }
  yield 'shrunk';
  // A process that is reading the databases keeps their logs from being emptied. The next run or erasure tries again. A
  // replicator never stops reading, so the files are not rewritten each time.
  if (!erasure.emptyLogs()) return yield 'log busy';
  erasure.setPending(null);
  yield 'done';
}

/** Finishes an erasure that was interrupted by a crash or blocked by a reader. */
export function finishErasure(stores: Stores): ErasureStep | 'nothing to do' {
  const text = stores.erasure.pending();
  if (text === null) return 'nothing to do';
  let last: ErasureStep = 'written down';
  for (const step of eraseInSteps(stores, JSON.parse(text) as ErasureOrder)) last = step;
  return last;
}

interface OwnAndOthers {
  readonly own: readonly number[];
  readonly others: readonly { readonly seq: number; readonly entry: Restated['entry'] }[];
}

function findEntries({ audit }: Stores, finder: PersonFinder): OwnAndOthers {
  const own: number[] = [];
  const others: { seq: number; entry: Restated['entry'] }[] = [];
  for (const row of audit.rows()) {
    const line = parseRow(row);
    if (line === null) continue;
    const content = contentOf(line);
    // These entries do not name the person, and the chain depends on them.
    if (content.kind === 'person erased' || content.kind === 'entries expired' || content.kind === 'restated') continue;
    if (isOwnEntry(content, finder)) own.push(row.seq);
    else if (finder.mentions(content as unknown as Json))
      others.push({ seq: row.seq, entry: finder.redact(content as unknown as Json) as unknown as Restated['entry'] });
  }
  return { own, others };
}

/** True if the entry is about something that belongs to the person. */
function isOwnEntry(content: AuditEntry | AuditEvent, finder: PersonFinder): boolean {
  switch (content.kind) {
    case 'change':
      return finder.isOwn(content.entity, content.key, content.target);
    case 'source told':
      return finder.isOwn(content.entity, content.key, null);
    case 'document delivered':
    case 'document removed':
      return finder.isOwn(content.entity, null, content.target);
    default:
      return false;
  }
}

function eraseEntries(
  stores: Stores,
  person: Person,
  finder: PersonFinder,
  { erasure, at, by, reason, documents = 0 }: ErasureOrder,
): void {
  const { audit } = stores;
  const { own, others } = findEntries(stores, finder);
  const seqs = [...own, ...others.map(({ seq }) => seq)].sort((a, b) => a - b);
  audit.erase(seqs);
  for (const { seq, entry } of others) appendEvent(audit, { kind: 'restated', at, of: seq, entry });
  const files = documents > 0 ? { documents } : {};
  const counts = { entries: seqs.length, restated: others.length, ...files };
  appendEvent(audit, { kind: 'person erased', at, by, erasure, reason, erased: listStretches(seqs), ...counts });
  rememberErased(stores, person, { erasure, at, by, reason });
}

/** `[3, 4, 5, 9]` becomes `[[3, 5], [9, 9]]`. */
function listStretches(seqs: readonly number[]): readonly (readonly [number, number])[] {
  const stretches: [number, number][] = [];
  for (const seq of seqs) {
    const last = stretches.at(-1);
    if (last !== undefined && last[1] + 1 === seq) last[1] = seq;
    else stretches.push([seq, seq]);
  }
  return stretches;
}

function addUp(a: Traces, b: Traces): Traces {
  const sum: Record<string, number> = { ...a };
  for (const [table, count] of Object.entries(b)) sum[table] = (sum[table] ?? 0) + count;
  return sum;
}
