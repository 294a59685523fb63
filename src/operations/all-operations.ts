import { APPROVALS, APPROVE, REVOKE_APPROVAL } from './approve.js';
import { CONFIRM_UNDO } from './confirm-undo.js';
import { ACKNOWLEDGE, FORGET_ACKNOWLEDGEMENT, RESOLVE, REVOKE_RESOLUTION } from './decide-hold.js';
import { DECLINE, DECLINES, REVOKE_DECLINE } from './decline.js';
import { PLAN } from './describe-plan.js';
import { STATUS } from './describe-status.js';
import { EXPLAIN_STORED } from './explain-stored.js';
import { HOLD, HOLDS } from './find-hold.js';
import { FIND_PEOPLE } from './find-people.js';
import { MESSAGES } from './list-messages.js';
import { RUN, RUNS } from './list-runs.js';
import { NOTE_ASSISTANT } from './note-assistant.js';
import type { TenantOperation } from './operation.js';
import { PAUSE, RESUME } from './pause.js';
import { PREVIEW } from './preview/preview.js';
import { AUDIT, AUDIT_ENTRY, AUDIT_PROOF } from './read-audit.js';
import { RELEASE_PINS } from './release-pins.js';
import { SHOW_OBJECT } from './show-object.js';
import { ANSWER, ERASE, EXPLAIN, PREVIEW_ERASURE } from './under-lock.js';

const ALL = [
  ...[STATUS, RUNS, RUN, PLAN, HOLDS, HOLD, MESSAGES, APPROVALS, DECLINES, AUDIT, AUDIT_ENTRY, AUDIT_PROOF],
  ...[
    APPROVE,
    REVOKE_APPROVAL,
    DECLINE,
    REVOKE_DECLINE,
    ACKNOWLEDGE,
    FORGET_ACKNOWLEDGEMENT,
    RESOLVE,
    REVOKE_RESOLUTION,
  ],
  ...[PAUSE, RESUME, CONFIRM_UNDO, RELEASE_PINS],
  ...[SHOW_OBJECT, FIND_PEOPLE, EXPLAIN, EXPLAIN_STORED, ANSWER, NOTE_ASSISTANT, PREVIEW, PREVIEW_ERASURE, ERASE],
] as readonly unknown[] as readonly TenantOperation<unknown, object>[];

export const OPERATION_NAMES: readonly string[] = ALL.map(({ name }) => name);

/** Finds an operation that another process requests by name; null if this version does not know it. */
export function findOperation(name: string): TenantOperation<unknown, object> | null {
  return ALL.find((one) => one.name === name) ?? null;
}
