import { APPROVALS, APPROVE, REVOKE_APPROVAL } from './approve.js';
import { ACKNOWLEDGE, FORGET_ACKNOWLEDGEMENT, RESOLVE } from './decide-hold.js';
import { DECLINE, DECLINES, REVOKE_DECLINE } from './decline.js';
import { PLAN } from './describe-plan.js';
import { STATUS } from './describe-status.js';
import { HOLD, HOLDS } from './find-hold.js';
import { FIND_PEOPLE } from './find-people.js';
import { MESSAGES } from './list-messages.js';
import { RUN, RUNS } from './list-runs.js';
import type { TenantOperation } from './operation.js';
import { PREVIEW } from './preview/preview.js';
import { AUDIT, AUDIT_ENTRY, AUDIT_PROOF } from './read-audit.js';
import { ANSWER, EXPLAIN } from './under-lock.js';

const ALL = [
  ...[STATUS, RUNS, RUN, PLAN, HOLDS, HOLD, MESSAGES, APPROVALS, DECLINES, AUDIT, AUDIT_ENTRY, AUDIT_PROOF],
  ...[APPROVE, REVOKE_APPROVAL, DECLINE, REVOKE_DECLINE, ACKNOWLEDGE, FORGET_ACKNOWLEDGEMENT, RESOLVE],
  ...[FIND_PEOPLE, EXPLAIN, ANSWER, PREVIEW],
] as readonly unknown[] as readonly TenantOperation<unknown, object>[];

export const OPERATION_NAMES: readonly string[] = ALL.map(({ name }) => name);

/** An operation that another process has asked for by its name; null: this version does not know it. */
export function findOperation(name: string): TenantOperation<unknown, object> | null {
  return ALL.find((one) => one.name === name) ?? null;
}
