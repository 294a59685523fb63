import * as z from 'zod';
import { CONFIRM_UNDO } from '../../../../operations/confirm-undo.js';
import { replaceWords } from '../../../../operations/veil-words.js';
import { type OperationContext, withStores } from '../../../../operations/with-stores.js';
import type { WorkOrder } from '../../../../operations/work-order.js';
import { toTerminal } from '../../../../report/writers/style.js';
import type { AskedKind, AskedWork } from '../../../tenants/asked-work.js';
import { configOf, lockedDecisionOf } from '../deciding.js';
import { WebRefusal, type WebRequest } from '../route.js';
import { daemonRoute, TENANT_PATH } from './api-route.js';
import { reason } from './inputs.js';
import { problemDocument } from './refusal.js';
import * as schemas from './schemas.js';

const input = z.strictObject({});

const text = z
  .strictObject({
    color: z.boolean().default(false).describe('With terminal colours.'),
    width: z.int().min(20).max(1_000).nullable().default(null).describe('Columns of the terminal; without it, 98.'),
    all: z.boolean().default(false).describe('Every change, not the first few of each kind.'),
  })
  .nullable()
  .default(null)
  .describe('Also returns the text that the command prints for people.');

/** The same options as for `plan` and `sync`. */
const order = z.strictObject({
  only: z
    .string()
    .min(1)
    .max(1_000)
    .nullable()
    .default(null)
    .describe('A single object, such as `user:jane@example.com`.'),
  full: z.boolean().default(false).describe('Reads the complete account, even if no complete read is due.'),
  as_of: z.string().min(1).max(100).nullable().default(null).describe('The day that expressions see as today.'),
  text,
});
/** The id of a run or a plan. A path is not allowed. */
const id = z
  .string()
  .max(200)
  .regex(/^[\w-]+$/);
const planOrder = order.extend({
  detailed_exitcode: z.boolean().default(false).describe('True to end with exit code 2 if the plan has changes.'),
});
const runOrder = order.extend({
  ignore_quiet_hours: z.boolean().default(false).describe('Also writes within `quiet_hours`.'),
});

/** A requested plan or run. The daemon performs it in turn, and the answer shows its progress. */
export const READ_WORK = daemonRoute({
  ...{ method: 'GET', path: `${TENANT_PATH}/now/:work`, audience: 'approver', name: 'readWork' },
  summary: 'The progress of the plan or run that you asked for, and its result once it has ended',
  ...{ input: z.strictObject({ work: z.string().min(1).max(100) }), answer: schemas.Work, read: readWork },
});
export const ASK_PLAN = daemonRoute({
  ...{ method: 'POST', path: `${TENANT_PATH}/now/plan`, audience: 'approver', name: 'planNow' },
  summary: 'Plan now; nothing is written. GET returns the result',
  ...{ input: planOrder, answer: schemas.Work },
  read: (request: WebRequest, { detailed_exitcode: isDetailed, ...asked }: z.output<typeof planOrder>) =>
    askFor(request, 'plan', { ...asked, isDetailed, ignoreQuietHours: false }),
});
export const ASK_RUN = daemonRoute({
  ...{ method: 'POST', path: `${TENANT_PATH}/now/run`, audience: 'operator', name: 'runNow' },
  summary: 'Run now, as the schedule would. GET returns the result',
  ...{ input: runOrder, answer: schemas.Work },
  read: (request: WebRequest, { ignore_quiet_hours: ignoreQuietHours, ...asked }: z.output<typeof runOrder>) =>
    askFor(request, 'run', { ...asked, isDetailed: false, ignoreQuietHours }),
});

/** Requests a plan first, as on the page of a run. A person then confirms it. */
export const ASK_UNDO_PLAN = daemonRoute({
  ...{ method: 'POST', path: `${TENANT_PATH}/runs/:run/undo`, audience: 'operator', name: 'planUndo' },
  summary: 'Plan the undo of a run; nothing is written. GET returns the result',
  ...{ input: order.omit({ as_of: true }).extend({ run: id }), answer: schemas.Work },
  read: (request: WebRequest, { run, ...asked }: UndoPlanInput) =>
    askFor(request, 'plan', { ...UNDOING, ...asked, undo: { run, reason: '' } }),
});
export const ASK_UNDO = daemonRoute({
  ...{ method: 'POST', path: `${TENANT_PATH}/plans/:plan/undo`, audience: 'operator', name: 'undoNow' },
  summary: 'Confirm the plan of an undo and carry it out; if the run needed two people, so does its undo',
  ...{ input: z.strictObject({ plan: id, reason, text }), answer: schemas.UndoWork, read: confirmUndo },
});

export const NOW_API = [
  ASK_UNDO_PLAN,
  ASK_UNDO,
  daemonRoute({
    ...{ method: 'GET', path: `${TENANT_PATH}/now`, audience: 'viewer', name: 'readNow' },
    summary: 'The current work of the daemon for the tenant, and the result of the last request',
    ...{ input, answer: schemas.Now, read: describeNow },
  }),
  READ_WORK,
  ASK_PLAN,
  ASK_RUN,
];

type NowDocument = z.input<typeof schemas.Now>;
type WorkAnswer = z.input<typeof schemas.Work>;
type AskedOrder = Pick<WorkOrder, 'isDetailed' | 'ignoreQuietHours' | 'undo' | 'plan'> & z.output<typeof order>;
type UndoPlanInput = Omit<z.output<typeof order>, 'as_of'> & { readonly run: string };
type UndoInput = Pick<z.output<typeof order>, 'text'> & { readonly plan: string; readonly reason: string };
/** An undo reads no source. */
const UNDOING = { as_of: null, isDetailed: false, ignoreQuietHours: false } as const;

async function confirmUndo(
  request: WebRequest,
  { plan, reason: why, text: wanted }: UndoInput,
): Promise<z.input<typeof schemas.UndoWork>> {
  const { tenant, parts } = request;
  const word = { plan, reason: why };
  const performed = await parts.daemon.perform(tenant?.name ?? '', CONFIRM_UNDO, lockedDecisionOf(request), word);
  const { run, confirmed } = performed.document;
  if (!confirmed) return { plan, run, confirmed, work: null };
  const asked = { ...UNDOING, only: null, full: false, text: wanted, plan, undo: { run, reason: why } };
  return { plan, run, confirmed, work: await askFor(request, 'run', asked) };
}

async function askFor(request: WebRequest, kind: AskedKind, asked: AskedOrder): Promise<WorkAnswer> {
  const { tenant, parts, person } = request;
  const { text: wanted, as_of: asOf, ...more } = asked;
  const veil = await findVeil(request);
  const look = wanted === null ? null : { ...wanted, veil };
  const work = await parts.daemon.ask(tenant?.name ?? '', kind, person?.who ?? '', { ...more, asOf, look });
  if (work === null) throw new WebRefusal(409, 'This tenant does not run here now.');
  return workAnswer(request, work, veil);
}

/**
 * Shows work only to the person who asked, because its text was created for that person. Other people see the work in
 * `now`.
 */
async function readWork(request: WebRequest, { work: id }: { readonly work: string }): Promise<WorkAnswer> {
  const { parts, tenant, person } = request;
  const work = await parts.daemon.findAsked(tenant?.name ?? '', id);
  if (work === null || work.by !== person?.who) {
    throw new WebRefusal(404, 'This plan or run is unknown. The daemon may have been restarted since then.');
  }
  return workAnswer(request, work, await findVeil(request));
}

/** The key for pseudonyms if the person may not see names; otherwise null. */
async function findVeil(request: WebRequest): Promise<string | null> {
  const context: OperationContext = { config: configOf(request), clock: request.parts.clock };
  if (request.accessTo(request.tenant?.name ?? '')?.pseudonyms !== true) return null;
  return await withStores(context, ({ audit }) => audit.makePseudonymKey());
}

function workAnswer(request: WebRequest, work: AskedWork, veil: string | null): WorkAnswer {
  const { id, told, problem, order: ordered } = work;
  // A text from before the person lost access to names may still contain names.
  const mayRead = veil === null || ordered?.look?.veil === veil;
  return {
    id,
    ...describeAsked(work),
    progress: work.state === 'running' ? describeNow(request).progress : null,
    document: told === null ? null : veilDocument(told.json, veil),
    text: told === null || !mayRead ? null : toTerminal(told.text),
    exit_code: told?.exitCode ?? null,
    error: problem === null ? null : problemDocument(problem),
  };
}

function veilDocument(document: object, veil: string | null): WorkAnswer['document'] {
  return (veil === null ? document : replaceWords(document, null)) as WorkAnswer['document'];
}

function describeNow(request: WebRequest): NowDocument {
  configOf(request);
  const { tenant, parts } = request;
  const status = parts.daemon.list().find(({ name }) => name === tenant?.name)?.status ?? null;
  const { progress = null, asked = null } = status ?? {};
  return {
    phase: status?.phase ?? null,
    progress:
      progress === null ? null : { step: progress.step, of: progress.of, done: progress.done, total: progress.total },
    asked: asked === null ? null : describeAsked(asked),
  };
}

function describeAsked({ kind, by, askedMs, state, result, problem }: AskedWork) {
  return { kind, by, asked_at: new Date(askedMs).toISOString(), state, result, problem: problem?.message ?? null };
}
