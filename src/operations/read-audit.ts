import { SyncError } from '../base/errors.js';
import { createTally, type ListedCounts, type LogCounts } from '../store/audit/count-log.js';
import { EVERY_LINE, type LogFilter, type WantedObject } from '../store/audit/log-filter.js';
import { findLine, type LogLine, readLog, readLogInTurns } from '../store/audit/read-log.js';
import { type Verification, verifyChainMeanwhile } from '../store/audit/verify-chain.js';
import type { Stores } from '../store/open-stores.js';
import { findMeant, type MeantObjects, readEntity, selectorOf } from './meant-objects.js';
import type { TenantOperation } from './operation.js';
import { withStores } from './with-stores.js';

/** Criteria for the entries to list; null for all. */
export interface AuditQuestion extends Omit<LogFilter, 'who' | 'change' | 'isVeiled'> {
  /** `jane@example.com` or `Jane Doe` finds anything with that name; `customer:C1` finds only one kind of object. */
  readonly who: string | null;
  /** Number of newest entries. */
  readonly last: number | null;
  /** True to count the entries as well. */
  readonly counts: boolean;
}

/** The document of `audit list --json`. */
export interface AuditListing {
  /** Oldest first. */
  readonly entries: readonly LogLine[];
  /** Number of older entries that are left out. */
  readonly earlier?: number;
  readonly counts?: ListedCounts;
}

export const AUDIT: TenantOperation<AuditQuestion, AuditListing> = {
  name: 'listAudit',
  needs: 'a copy',
  perform: (context, { last, counts, ...asked }) =>
    withStores(context, async (stores) => {
      const filter = await readLogFilter(stores, asked, context.isVeiled);
      const tally = createTally();
      const { kept, earlier } = await takeLast(readLogInTurns(stores.audit, filter), last, (line) => tally.add(line));
      const left = earlier === 0 ? {} : { earlier };
      return { entries: kept, ...left, ...(counts ? { counts: tellCounts(tally.read()) } : {}) };
    }),
};

/**
 * Converts the question to a filter for the log.
 *
 * @throws SyncError SYNC_CLI_USAGE for an unknown kind of object, or if several objects match
 */
export async function readLogFilter(
  stores: Stores,
  { who, entity, ...asked }: Omit<AuditQuestion, 'last' | 'counts'>,
  isVeiled = false,
): Promise<LogFilter> {
  const about = who === null ? null : requireOne(who, await findMeant(stores, { words: who, isVeiled }), isVeiled);
  return { ...EVERY_LINE, ...asked, entity: entity === null ? null : readEntity(entity), who: about, isVeiled };
}

function tellCounts({ changes, kinds }: Pick<LogCounts, 'changes' | 'kinds'>): ListedCounts {
  return {
    changes: Object.fromEntries([...changes].map(([entity, actions]) => [entity, Object.fromEntries(actions)])),
    kinds: Object.fromEntries(kinds),
  };
}

/** @throws SyncError SYNC_CLI_USAGE if several objects match, because a program must not confuse them */
function requireOne(asked: string, { who, several }: MeantObjects, isVeiled: boolean): WantedObject {
  if (who !== null) return who;
  const names = several.map((one) => (isVeiled ? selectorOf(one) : `${selectorOf(one)} (${one.label})`));
  throw new SyncError('SYNC_CLI_USAGE', {
    message: `"${asked}" matches several objects: ${listFirst(names, 10)}.`,
    place: '--who',
    remedy: `Name one of them by kind and key, as in ${several.slice(0, 1).map(selectorOf).join('')}.`,
  });
}

function listFirst(names: readonly string[], most: number): string {
  const others = names.length - most;
  return others > 0 ? `${names.slice(0, most).join(', ')} and ${others} more` : names.join(', ');
}

/** Reads one entry, or the entries of a run or change. */
export const AUDIT_ENTRY: TenantOperation<{ readonly entry: string }, AuditListing> = {
  name: 'readAuditEntry',
  needs: 'a copy',
  perform: (context, { entry }) => withStores(context, (stores) => ({ entries: findEntries(stores, entry.trim()) })),
};

/** The document of `audit verify --json`. */
export interface AuditProof extends Omit<Verification, 'known' | 'broken'> {
  readonly known?: NonNullable<Verification['known']>;
  readonly broken?: NonNullable<Verification['broken']>;
}

/** Verifies the entire chain, and looks for a head that was noted earlier. */
export const AUDIT_PROOF: TenantOperation<{ readonly head: string | null }, AuditProof> = {
  name: 'verifyAudit',
  needs: 'a copy',
  perform: (context, { head: typed }) =>
    withStores(context, async ({ audit }) => {
      const { known, broken, ...rest } = await verifyChainMeanwhile(audit, typed === null ? null : parseHead(typed));
      return { ...rest, ...(known === null ? {} : { known }), ...(broken === null ? {} : { broken }) };
    }),
};

/**
 * Parses a noted head.
 * @throws SyncError SYNC_CLI_USAGE if the text is not a head
 */
export function parseHead(typed: string): string {
  const head = typed.trim().toLowerCase();
  if (!/^[0-9a-f]{12,64}$/.test(head)) throw noHead(head);
  return head;
}

async function takeLast<T>(
  items: AsyncIterable<T>,
  count: number | null,
  look: (item: T) => void,
): Promise<{ readonly kept: readonly T[]; readonly earlier: number }> {
  const kept: T[] = [];
  let all = 0;
  for await (const item of items) {
    all += 1;
    look(item);
    kept.push(item);
    if (count !== null && kept.length > 2 * count) kept.splice(0, kept.length - count);
  }
  const last = count === null ? kept : kept.slice(-count);
  return { kept: last, earlier: all - last.length };
}

function findEntries({ audit }: Stores, what: string): readonly LogLine[] {
  if (/^\d{1,10}$/.test(what)) {
    const line = findLine(audit, Number(what));
    const checkpoint = audit.checkpoint();
    if (line !== null) return [line];
    // An id may begin with digits only.
    const ofChange = what.length >= 6 ? [...readLog(audit, { ...EVERY_LINE, change: what })] : [];
    if (ofChange.length > 0) return ofChange;
    const isGone = checkpoint !== null && Number(what) >= 1 && Number(what) <= checkpoint.seq;
    throw noEntry(
      isGone
        ? `Entry ${what} was removed as audit.keep specifies: the log begins after entry ${checkpoint.seq}.`
        : `There is no entry ${what} in the audit log.`,
    );
  }
  const isRun = what.startsWith('r');
  const wanted = isRun ? { run: what } : { change: what };
  const entries = [...readLog(audit, { ...EVERY_LINE, ...wanted })];
  if (entries.length > 0 && (isRun || what.length >= 6)) return entries;
  throw noEntry(`The audit log has no entry of a ${isRun ? 'run' : 'change'} "${what}".`);
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
    message: `"${head}" is not a head of the audit log.`,
    place: '--head',
    remedy: 'Give the hash that a run, `status` or `audit verify` printed: its 64 digits, or at least the first 12.',
  });
}
