import * as z from 'zod';
import { mayActAs } from '../../../../config/access/roles.js';
import type { Registered } from '../../../tenants/registry.js';
import type { WebRequest } from '../route.js';
import { type DaemonRoute, daemonRoute, TENANT_PATH } from './api-route.js';
import { problemDocument } from './refusal.js';
import * as schemas from './schemas.js';

const nothing = z.strictObject({});

export const LIST_TENANTS = daemonRoute({
  ...{ method: 'GET', path: '/api/tenants', audience: 'logged in', name: 'listTenants' },
  summary: 'The tenants for which you have a role, and the state of each',
  ...{ input: nothing, answer: schemas.TenantList, read: listTenants },
});

export const DAEMON_API: readonly DaemonRoute[] = [
  daemonRoute({
    ...{ method: 'GET', path: '/api/session', audience: 'logged in', name: 'readSession' },
    summary: 'Who you are logged in as',
    ...{ input: nothing, answer: schemas.Session, read: describeSession },
  }),
  LIST_TENANTS,
  daemonRoute({
    ...{ method: 'GET', path: `${TENANT_PATH}/configuration`, audience: 'viewer', name: 'readConfiguration' },
    summary: 'The active configuration, and the error in the one on disk',
    ...{ input: nothing, answer: schemas.Configuration, read: describeConfiguration },
  }),
];

/** A rejected configuration may contain a secret in clear text. Therefore only an accepted one is shown in full. */
function describeConfiguration({ tenant }: WebRequest): z.input<typeof schemas.Configuration> {
  const { config = null, text = null, problem = null } = tenant ?? {};
  return {
    file: config?.file ?? null,
    digest: config?.digest ?? null,
    text,
    refused: problem === null ? null : problemDocument(problem),
  };
}

function describeSession({ person, csrf }: WebRequest): z.input<typeof schemas.Session> {
  const { who = '', name = '', via = 'token' } = person ?? {};
  return { who, name, via, csrf: csrf() };
}

/** Uses the facts that each run leaves in memory, and opens no file. */
function listTenants({ parts, accessTo }: WebRequest): z.input<typeof schemas.TenantList> {
  const tenants = parts.daemon.list().flatMap((one) => {
    const access = accessTo(one.name);
    if (access === null) return [];
    const { pseudonyms, roles } = access;
    const role = roles.at(-1) ?? 'viewer';
    return [{ tenant: one.name, role, pseudonyms, ...(mayActAs(access, 'viewer') ? describeTenant(one) : UNTOLD) }];
  });
  return { tenants };
}

/** The values shown to a role that may not look at the tenant. */
const UNTOLD = { phase: null, because: null, waiting: null, last_good_run: null, next_run: null };

function describeTenant({ status, problem }: Registered) {
  const waiting = status?.facts?.waiting.reduce((sum, { count }) => sum + count, 0) ?? 0;
  return {
    phase: status?.phase ?? null,
    because: problem?.message ?? status?.because ?? null,
    waiting,
    last_good_run: toIso(status?.facts?.lastGoodRunMs ?? null),
    next_run: toIso(status?.nextMs ?? null),
  };
}

function toIso(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString();
}
