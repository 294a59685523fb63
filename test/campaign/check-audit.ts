import type { AuditEntry } from '../../src/audit/audit-log.js';
import type { Story } from '../scenarios/kit.js';
import { type Call, isKill } from './door.js';
import { Violation } from './violation.js';

export interface AuditCheck {
  /** Holds what the audit says since the last look against the service's own log of calls. */
  check(calls: readonly Call[]): Promise<void>;
}

/** Every `done` of the audit is in the service's own log of calls, and every write that was answered is in the audit. */
export function createAuditCheck(story: Story): AuditCheck {
  let looked = 0;
  return {
    async check(calls) {
      const entries = await story.audit();
      const fresh = entries.slice(looked);
      looked = entries.length;
      const log = new Map(story.sandbox.calls().map((call) => [call.requestId, call]));
      for (const entry of fresh) if (entry.result === 'done') checkDone(entry, log);
      if ((await story.verify()).json.ok !== true) throw new Violation('audit', 'the chain is broken');
      expectTold(calls, entries);
    },
  };
}

type Logged = ReturnType<Story['sandbox']['calls']>[number];
type Log = ReadonlyMap<string, Logged>;

function checkDone(entry: AuditEntry, log: Log): void {
  const where = `audit of ${entry.entity} ${entry.key}, ${entry.action}`;
  if (entry.calls.length === 0) throw new Violation('audit', `${where}: done without a call`);
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

/** Whether a logged call is of that form: each side has names of its own for what varies. */
function isCall({ method, route }: Logged, call: string): boolean {
  const shape = (text: string): string => text.replace(/:\w+|\{\w+\}/g, '*').replace(/\/$/, '');
  return shape(`${method} ${route}`) === shape(call);
}

/** A write that the door passed on and whose answer came through whole is told of. */
function expectTold(calls: readonly Call[], entries: readonly AuditEntry[]): void {
  const isKilled = calls.some(({ fault }) => fault !== null && isKill(fault));
  if (isKilled) return;
  const told = new Set(entries.flatMap((entry) => entry.calls.map((call) => call.request_id)));
  for (const { isWrite, method, path, requestId, fault } of calls) {
    if (!isWrite || fault !== null || requestId === null || told.has(requestId)) continue;
    throw new Violation('audit', `${method} ${path} (${requestId}) is in no entry of the audit`);
  }
}
