import * as z from 'zod';
import { ACTIONS } from '../../../../model/entity.js';
import { foldKey } from '../../../../model/observed.js';
import { APPROVALS, APPROVE, REVOKE_APPROVAL } from '../../../../operations/approve.js';
import { ACKNOWLEDGE, FORGET_ACKNOWLEDGEMENT, RESOLVE } from '../../../../operations/decide-hold.js';
import { DECLINE, DECLINES, REVOKE_DECLINE } from '../../../../operations/decline.js';
import { PLAN } from '../../../../operations/describe-plan.js';
import { STATUS } from '../../../../operations/describe-status.js';
import { HOLD, HOLDS } from '../../../../operations/find-hold.js';
import { MESSAGES } from '../../../../operations/list-messages.js';
import { RUN, RUNS } from '../../../../operations/list-runs.js';
import { PAUSE, RESUME } from '../../../../operations/pause.js';
import { MOST_TEXT, PREVIEW } from '../../../../operations/preview/preview.js';
import { AUDIT, AUDIT_ENTRY, AUDIT_PROOF } from '../../../../operations/read-audit.js';
import { ANSWER } from '../../../../operations/under-lock.js';
import { replaceWords } from '../../../../operations/veil-words.js';
import { ENTRY_KINDS } from '../../../../store/audit/entry-kinds.js';
import { type TenantRoute, tenantRoute } from './api-route.js';
import { mayReason, nothing, reason, text } from './inputs.js';
import { PEOPLE_API } from './people-api.js';
import * as schemas from './schemas.js';
import { veilHold, veilHolds, veilLog, veilRun, veilRuns, veilStatus } from './veil-documents.js';

/** Maximum number of audit entries or runs in one answer. */
const MOST_LISTED = 10_000;

const mayText = text.nullable().default(null);
const count = z.coerce.number().int().min(1).max(MOST_LISTED);
const time = z.iso.datetime({ offset: true }).transform((at) => new Date(at).toISOString());

/** Reads and decisions about one tenant, in the order in which people usually read them. */
export const TENANT_API: readonly TenantRoute[] = [
  tenantRoute({
    ...{ method: 'GET', path: '/status', audience: 'viewer' },
    summary: 'The last runs, everything pending, and how fresh the data is',
    ...{ operation: STATUS, input: nothing, answer: schemas.Status, veil: veilStatus },
  }),
  tenantRoute({
    ...{ method: 'GET', path: '/runs', audience: 'viewer', summary: 'The last runs, newest first' },
    ...{ operation: RUNS, input: z.strictObject({ last: count.default(20) }), answer: schemas.RunList, veil: veilRuns },
  }),
  tenantRoute({
    ...{ method: 'GET', path: '/runs/:run', audience: 'viewer', summary: 'One run, with its final document' },
    ...{ operation: RUN, input: z.strictObject({ run: text }), answer: schemas.Run, veil: veilRun },
  }),
  tenantRoute({
    ...{ method: 'GET', path: '/plans/:plan', audience: 'viewer' },
    summary: 'One saved plan in numbers, with its holds; `newest` for the newest from the sources',
    operation: PLAN,
    // Accepts only an id, because a plan file elsewhere may belong to another tenant.
    input: z.strictObject({ plan: text.regex(/^[\w-]+$/) }),
    answer: schemas.Plan,
    veil: (document) => replaceWords(document, null) as typeof document,
  }),
  ...PEOPLE_API,
  tenantRoute({
    ...{ method: 'GET', path: '/holds', audience: 'viewer', summary: 'Everything pending, and each hold' },
    ...{ operation: HOLDS, input: nothing, answer: schemas.HoldList, veil: veilHolds },
  }),
  tenantRoute({
    ...{ method: 'GET', path: '/holds/:hold', audience: 'viewer', summary: 'One hold: where, why, what to do' },
    ...{ operation: HOLD, input: z.strictObject({ hold: text }), answer: schemas.OneHold },
    veil: ({ hold }, key) => ({ hold: veilHold(hold, key) }),
  }),
  tenantRoute({
    ...{ method: 'POST', path: '/holds/:hold/resolve', audience: 'approver' },
    summary: 'Decide which side of a conflict is right',
    operation: RESOLVE,
    input: z.strictObject({ hold: text, take: z.enum(['source', 'service']), reason: mayReason }),
    answer: schemas.ResolvedHold,
  }),
  tenantRoute({
    ...{ method: 'POST', path: '/answers', audience: 'approver' },
    summary:
      'Decide whether the records of a hold, or of a guard, and their objects are the same; may take the run lock',
    operation: ANSWER,
    input: z
      .strictObject({
        hold: text.exactOptional().describe('Its id, the beginning of the id, or a record such as user:E00050.'),
        guard: text.exactOptional(),
        answer: z.enum(['same', 'new']),
        reason: mayReason,
      })
      .refine(({ hold, guard }) => (hold === undefined) !== (guard === undefined), 'Name a hold or a guard.'),
    answer: schemas.GivenAnswer,
  }),
  tenantRoute({
    ...{ method: 'POST', path: '/holds/:hold/acknowledge', audience: 'approver' },
    summary: 'Acknowledge a pending item, until a time or until something else is held',
    operation: ACKNOWLEDGE,
    input: z.strictObject({ hold: text, reason, until: time.nullable().default(null) }),
    answer: schemas.GivenAcknowledgement,
  }),
  tenantRoute({
    ...{ method: 'POST', path: '/holds/:hold/acknowledge/revoke', audience: 'approver' },
    summary: 'Revoke an acknowledgement',
    operation: FORGET_ACKNOWLEDGEMENT,
    input: z.strictObject({ hold: text, reason: mayReason }),
    answer: schemas.RevokedAcknowledgement,
  }),
  tenantRoute({
    ...{ method: 'GET', path: '/approvals', audience: 'viewer', summary: 'The valid approvals' },
    ...{ operation: APPROVALS, input: nothing, answer: schemas.ApprovalList },
  }),
  tenantRoute({
    ...{ method: 'POST', path: '/approvals', audience: 'approver', summary: 'Approve changes that a guard holds' },
    operation: APPROVE,
    input: z.strictObject({
      plan: text.exactOptional().describe('By default, the newest plan.'),
      guard: text.exactOptional(),
      action: text.exactOptional(),
      who: text.exactOptional(),
      changes: z.array(text).min(1).max(MOST_LISTED).readonly().exactOptional().describe('Ids of changes.'),
      reason,
      expires: z.int().min(1).exactOptional().describe('Its validity in milliseconds; `approvals.expires` by default.'),
    }),
    answer: schemas.GivenApproval,
  }),
  tenantRoute({
    ...{ method: 'POST', path: '/approvals/:approval/revoke', audience: 'approver', summary: 'Revoke an approval' },
    operation: REVOKE_APPROVAL,
    input: z.strictObject({ approval: text, reason: mayReason }),
    answer: schemas.RevokedApproval,
  }),
  tenantRoute({
    ...{ method: 'GET', path: '/declines', audience: 'viewer', summary: 'The valid declines' },
    ...{ operation: DECLINES, input: nothing, answer: schemas.DeclineList },
  }),
  tenantRoute({
    ...{ method: 'POST', path: '/declines', audience: 'approver', summary: 'Decline changes of a plan' },
    operation: DECLINE,
    input: z.strictObject({
      plan: text.exactOptional().describe('By default, the newest complete plan.'),
      guard: text.exactOptional(),
      action: text.exactOptional(),
      who: text.exactOptional(),
      changes: z.array(text).min(1).max(MOST_LISTED).readonly().exactOptional().describe('Ids of changes.'),
      field: text.exactOptional().describe('A single field of an update, such as `title.en`.'),
      reason,
      until: text.exactOptional().describe("A day in the tenant's time zone, or a moment."),
    }),
    answer: schemas.GivenDecline,
  }),
  tenantRoute({
    ...{ method: 'POST', path: '/declines/:decline/revoke', audience: 'approver', summary: 'Revoke a decline' },
    operation: REVOKE_DECLINE,
    input: z.strictObject({ decline: text, reason: mayReason }),
    answer: schemas.RevokedDecline,
  }),
  tenantRoute({
    ...{ method: 'POST', path: '/pause', audience: 'operator' },
    summary: 'Plan and write nothing until a time; pushes are accepted, and decisions keep the time they have left',
    operation: PAUSE,
    input: z.strictObject({ until: text.describe("A day in the tenant's time zone, or a moment."), reason }),
    answer: schemas.GivenPause,
  }),
  tenantRoute({
    ...{ method: 'POST', path: '/resume', audience: 'operator', summary: 'End a pause before its time' },
    ...{ operation: RESUME, input: z.strictObject({ reason }), answer: schemas.EndedPause },
  }),
  tenantRoute({
    ...{ method: 'GET', path: '/audit', audience: 'viewer' },
    summary: 'Entries of the audit log, oldest first; the newest ones that match',
    operation: AUDIT,
    input: z.strictObject({
      run: text.nullable().default(null),
      who: mayText.describe('`jane@example.com`, `Jane Doe`, or one kind of object: `customer:C1`.'),
      by: mayText
        .transform((by) => (by === null ? null : foldKey(by)))
        .describe('Who decided, started or approved it.'),
      kind: z.enum(ENTRY_KINDS).nullable().default(null),
      entity: mayText.describe('`users`, `projects` …'),
      action: z.enum(ACTIONS).nullable().default(null),
      field: mayText.describe('`title`'),
      from: time.nullable().default(null).describe('From then on.'),
      to: time.nullable().default(null).describe('Before then.'),
      last: count.default(1_000),
      counts: z
        .stringbool()
        .default(false)
        .describe('Also count all matching entries, by entity and action, and by kind.'),
    }),
    answer: schemas.AuditList,
    veil: veilLog,
  }),
  tenantRoute({
    ...{ method: 'GET', path: '/audit/verify', audience: 'viewer', summary: 'Verify the complete hash chain' },
    operation: AUDIT_PROOF,
    input: z.strictObject({
      head: text.nullable().default(null).describe('A head noted earlier, which must be in the chain.'),
    }),
    answer: schemas.AuditProof,
  }),
  tenantRoute({
    ...{ method: 'GET', path: '/audit/entries/:entry', audience: 'viewer' },
    summary: 'One entry by its number, or all of a run or change by its id',
    ...{ operation: AUDIT_ENTRY, input: z.strictObject({ entry: text }), answer: schemas.AuditList, veil: veilLog },
  }),
  tenantRoute({
    ...{ method: 'POST', path: '/preview', audience: 'previewer' },
    summary: 'Derive a plan under an edited configuration from the last records; calls no other system',
    operation: PREVIEW,
    input: z.strictObject({
      text: z.string().min(1).max(MOST_TEXT).describe('The edited configuration, as in its file.'),
      values: z.boolean().default(false).describe('List changes, with the values that they change.'),
    }),
    answer: schemas.Preview,
    veil: (document) => ({ ...(replaceWords(document, null) as typeof document), at: document.at }),
  }),
  tenantRoute({
    ...{ method: 'GET', path: '/messages', audience: 'viewer' },
    summary: 'Open events, and the outbox and failures of each channel',
    ...{ operation: MESSAGES, input: nothing, answer: schemas.MessageList },
  }),
];
