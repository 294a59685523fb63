import { SyncError } from '../base/errors.js';
import { foldKey } from '../model/observed.js';
import { parseSelector } from '../planning/only.js';
import {
  EVERY_LINE,
  findLine,
  type LogFilter,
  type LogLine,
  readLog,
  readLogInTurns,
} from '../store/audit/read-log.js';
import { type Verification, verifyChainMeanwhile } from '../store/audit/verify-chain.js';
import type { Stores } from '../store/open-stores.js';
import type { TenantOperation } from './operation.js';
import { withStores } from './with-stores.js';

/** Which entries are listed; null for all. */
export interface AuditQuestion extends Pick<LogFilter, 'run' | 'from' | 'to'> {
  /** `jane@example.com` is anything of that name, `customer:C1` one kind of object. */
  readonly who: string | null;
  /** The newest so many. */
  readonly last: number | null;
}

/** As `audit list --json` tells it. */
export interface AuditListing {
  /** Oldest first. */
  readonly entries: readonly LogLine[];
  /** So many older ones are left out. */
  readonly earlier?: number;
}

export const AUDIT: TenantOperation<AuditQuestion, AuditListing> = {
  name: 'listAudit',
  needs: 'a copy',
  perform: (context, { who, last, ...filter }) =>
    withStores(context, async ({ audit }) => {
      const wanted = { ...EVERY_LINE, ...filter, who: who === null ? null : parseWho(who) };
      const { kept, earlier } = await takeLast(readLogInTurns(audit, wanted), last);
      return { entries: kept, ...(earlier === 0 ? {} : { earlier }) };
    }),
};

/** One entry, or those of a run or change. */
export const AUDIT_ENTRY: TenantOperation<{ readonly entry: string }, AuditListing> = {
  name: 'readAuditEntry',
  needs: 'a copy',
  perform: (context, { entry }) => withStores(context, (stores) => ({ entries: findEntries(stores, entry.trim()) })),
};

/** As `audit verify --json` tells it. */
export interface AuditProof extends Omit<Verification, 'known' | 'broken'> {
  readonly known?: NonNullable<Verification['known']>;
  readonly broken?: NonNullable<Verification['broken']>;
}

/** Walks the whole chain, and looks for a head that was noted earlier. */
export const AUDIT_PROOF: TenantOperation<{ readonly head: string | null }, AuditProof> = {
  name: 'verifyAudit',
  needs: 'a copy',
  perform: (context, { head: typed }) =>
    withStores(context, async ({ audit }) => {
      const { known, broken, ...rest } = await verifyChainMeanwhile(audit, typed === null ? null : parseHead(typed));
      return { ...rest, ...(known === null ? {} : { known }), ...(broken === null ? {} : { broken }) };
    }),
};

/** A head as somebody noted it. @throws SyncError SYNC_CLI_USAGE for what is none */
export function parseHead(typed: string): string {
  const head = typed.trim().toLowerCase();
  if (!/^[0-9a-f]{12,64}$/.test(head)) throw noHead(head);
  return head;
}

/** @throws SyncError SYNC_CLI_USAGE for a kind that there is not */
export function parseWho(text: string): NonNullable<LogFilter['who']> {
  return /^\s*[a-z_]+:/i.test(text) ? parseSelector(text, '--who') : { entity: null, words: foldKey(text) };
}

async function takeLast<T>(
  items: AsyncIterable<T>,
  count: number | null,
): Promise<{ readonly kept: readonly T[]; readonly earlier: number }> {
  const kept: T[] = [];
  let all = 0;
  for await (const item of items) {
    all += 1;
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
