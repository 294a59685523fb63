import type { AuditEntry } from '../../src/store/audit/audit-entry.js';
import type { Story } from '../scenarios/kit.js';
import { type Call, isKill } from './door.js';
import { Violation } from './violation.js';

export interface AuditCheck {
  /**
   * Compares the audit's entries since the last look with the service's own log of calls.
   *
   * @param isCut whether the run could not record how its last calls ended; the next one does
   */
  check(calls: readonly Call[], isCut?: boolean): Promise<void>;
  /** Once everything is settled, checks that every write that the service carried out has an entry. */
  settle(): Promise<void>;
  /** Forgets earlier entries: the state has been restored, and the log with it. */
  restart(): Promise<void>;
  /** The entries since that entry that have not been erased. */
  since(seq: number): Promise<readonly Placed[]>;
  /** The number of the last entry. */
  last(): Promise<number>;
}

type Placed = AuditEntry & { readonly seq: number };

/** Every `done` of the audit is in the service's own log of calls, and every answered write is in the audit. */
export function createAuditCheck(story: Story): AuditCheck {
  let looked = 0;
  let settled = 0;
  let passed: Call[] = [];
  const since = async (seq: number): Promise<readonly Placed[]> =>
    ((await story.audit()) as readonly Placed[]).filter((entry) => entry.seq > seq);
  const last = async (): Promise<number> => Math.max(0, ...(await since(0)).map(({ seq }) => seq));
  const readLog = (): Log => new Map(story.sandbox.calls().map((call) => [call.requestId, call]));
  return {
    since,
    last,
    async restart() {
      passed = [];
      looked = await last();
      settled = looked;
    },
    async check(calls, isCut = calls.some(({ fault }) => fault !== null && isKill(fault))) {
      passed.push(...calls);
      const entries = await since(looked);
      looked = Math.max(looked, ...entries.map(({ seq }) => seq));
      const log = readLog();
      for (const entry of entries) if (entry.result === 'done') checkDone(entry, log);
      if ((await story.verify()).json.ok !== true) throw new Violation('audit', 'the chain is broken');
      if (!isCut) expectTold(calls, entries);
    },
    async settle() {
      expectAllTold(passed, await since(settled), readLog());
      passed = [];
      settled = await last();
    },
  };
}

type Logged = ReturnType<Story['sandbox']['calls']>[number];
type Log = ReadonlyMap<string, Logged>;

/** The link is our own data, and no call knows it: a relink without a difference sends none. */
const WITHOUT_CALLS: readonly string[] = ['relink', 'link', 'unlink'];

function checkDone(entry: AuditEntry, log: Log): void {
  const where = `audit of ${entry.entity} ${entry.key}, ${entry.action}`;
  if (entry.calls.length === 0 && !isWithoutCalls(entry)) throw new Violation('audit', `${where}: done without a call`);
  for (const { call, status, request_id: id, proved_by: reading } of entry.calls) {
    if (id === null || reading !== undefined) {
      if (reading === undefined)
        throw new Violation('audit', `${where}: ${call} has neither a request id nor a reading`);
      const isThere = [...log.values()].some((one) => one.status < 300 && isCall(one, call));
      if (!isThere)
        throw new Violation('audit', `${where}: no call of the service's log is ${call}, proved by ${reading}`);
      continue;
    }
    const logged = log.get(id);
    if (logged === undefined) throw new Violation('audit', `${where}: no call of the service's log is ${id} (${call})`);
    if (status !== logged.status) {
      throw new Violation('audit', `${where}: ${call} answered ${status}, and the service says ${logged.status}`);
    }
  }
}

function isWithoutCalls({ action, before, after }: AuditEntry): boolean {
  const names = new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})]);
  names.delete('source_key');
  return WITHOUT_CALLS.includes(action) && names.size === 0;
}

/**
 * True if a logged call has that form. Each side has its own names for variable parts, and a failed call has its ids.
 */
function isCall({ method, route }: Logged, call: string): boolean {
  const shape = (text: string): string =>
    text.replace(/:\w+|\{\w+\}|\b[0-9a-f]{24}\b|\b[0-9a-f]{32}\b/g, '*').replace(/\/$/, '');
  return shape(`${method} ${route}`) === shape(call);
}

/** Expects an entry for each write that the door forwarded with a complete answer. */
function expectTold(calls: readonly Call[], entries: readonly AuditEntry[]): void {
  const told = idsIn(entries);
  for (const { isWrite, method, path, requestId, fault } of calls) {
    if (!isWrite || fault !== null || requestId === null || told.has(requestId)) continue;
    throw new Violation('audit', `${method} ${path} (${requestId}) is in no entry of the audit`);
  }
}

function idsIn(entries: readonly AuditEntry[]): ReadonlySet<string | null> {
  return new Set(entries.flatMap((entry) => entry.calls.map((call) => call.request_id)));
}

/**
 * The call log equals the audit. An entry has the id of each call that the service carried out. If the answer did not
 * arrive,
 * or no process was left to read it, an entry names such a call.
 */
function expectAllTold(calls: readonly Call[], entries: readonly AuditEntry[], log: Log): void {
  const told = idsIn(entries);
  for (const { isWrite, method, path, arrived } of calls) {
    const logged = arrived === null ? undefined : log.get(arrived);
    if (!isWrite || logged === undefined || logged.status >= 300 || told.has(logged.requestId)) continue;
    const isNamed = entries.some((entry) => entry.calls.some(({ call }) => isCall(logged, call)));
    if (!isNamed)
      throw new Violation('audit', `${method} ${path} (${arrived}) is in no entry of the audit, even later`);
  }
}
