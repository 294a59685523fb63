import * as z from 'zod';
import type { AskedKind, AskedWork } from '../../../tenants/asked-work.js';
import { configOf } from '../deciding.js';
import type { WebRequest } from '../route.js';
import { type DaemonRoute, daemonRoute, TENANT_PATH } from './api-route.js';
import * as schemas from './schemas.js';

const input = z.strictObject({});

/** A plan or a run in between: it takes its turn in the daemon, and the answer says how far it is. */
export const NOW_API: readonly DaemonRoute[] = [
  daemonRoute({
    ...{ method: 'GET', path: `${TENANT_PATH}/now`, audience: 'viewer', name: 'readNow' },
    summary: 'What the daemon does for the tenant now, and what came of what was asked for',
    ...{ input, answer: schemas.Now, read: describeNow },
  }),
  daemonRoute({
    ...{ method: 'POST', path: `${TENANT_PATH}/now/plan`, audience: 'approver', name: 'planNow' },
    summary: 'Plan now; nothing is written. Its end is asked for with GET',
    ...{ input, answer: schemas.Now, read: (request) => askFor(request, 'plan') },
  }),
  daemonRoute({
    ...{ method: 'POST', path: `${TENANT_PATH}/now/run`, audience: 'operator', name: 'runNow' },
    summary: 'Run now, as the schedule would. Its end is asked for with GET',
    ...{ input, answer: schemas.Now, read: (request) => askFor(request, 'run') },
  }),
];

type NowDocument = z.input<typeof schemas.Now>;

function askFor(request: WebRequest, kind: AskedKind): NowDocument {
  configOf(request);
  request.parts.ask(request.tenant?.name ?? '', kind, request.person?.who ?? '');
  return describeNow(request);
}

function describeNow(request: WebRequest): NowDocument {
  configOf(request);
  const { tenant, parts } = request;
  const status = parts.list().find(({ name }) => name === tenant?.name)?.status ?? null;
  const { progress = null, asked = null } = status ?? {};
  return {
    phase: status?.phase ?? null,
    progress:
      progress === null ? null : { step: progress.step, of: progress.of, done: progress.done, total: progress.total },
    asked: asked === null ? null : describeAsked(asked),
  };
}

function describeAsked({ kind, by, askedMs, state, result, problem }: AskedWork) {
  return { kind, by, asked_at: new Date(askedMs).toISOString(), state, result, problem };
}
