import type { AuditEntry } from '../../src/store/audit/audit-entry.js';
import type { Story } from '../scenarios/kit.js';
import { type Call, isKill } from './door.js';
import { Violation } from './violation.js';

export interface AuditCheck {
  /**
   * Holds what the audit says since the last look against the service's own log of calls.
   *
   * @param isCut whether the run could not write down how its last calls ended: the next one does
   */
  check(calls: readonly Call[], isCut?: boolean): Promise<void>;
  /** Once everything is settled: every write that the service carried out since the last settling is told of. */
  settle(): Promise<void>;
  /** Forgets what was told so far: the state has been restored, and with it the log. */
  restart(): Promise<void>;
  /** The entries since that entry, of those that have not been erased. */
  since(seq: number): Promise<readonly Placed[]>;
  /** The last entry. */
  last(): Promise<number>;
}

type Placed = AuditEntry & { readonly seq: number };

/** Every `done` of the audit is in the service's own log of calls, and every write that was answered is in the audit. */
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

/** The link is ours, and no call knows of it: a relink without a difference makes none. */
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

/** Whether a logged call is of that form: each side has names of its own for what varies, and a call that failed its ids. */
function isCall({ method, route }: Logged, call: string): boolean {
  const shape = (text: string): string =>
    text.replace(/:\w+|\{\w+\}|\b[0-9a-f]{24}\b|\b[0-9a-f]{32}\b/g, '*').replace(/\/$/, '');
  return shape(`${method} ${route}`) === shape(call);
}

/** A write that the door passed on and whose answer came through whole is told of. */
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
 * The call log equals the audit: what the service has carried out is told of by its id, or, where the answer did not come
 * through or nobody was left to read it, by an entry that names such a call.
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
