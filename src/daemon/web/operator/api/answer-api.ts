import { SyncError } from '../../../../base/errors.js';
import { isJsonObject } from '../../../../model/json.js';
import { replaceWords } from '../../../../operations/veil-words.js';
import { type OperationContext, withStores } from '../../../../operations/with-stores.js';
import { lockedDecisionOf, requireNames } from '../deciding.js';
import { noteAssistantRead } from '../note-assistant.js';
import { type Reading, readingFor, readingWith } from '../reading.js';
import type { JsonAnswer, WebRequest, WebRoute } from '../route.js';
import type { ApiRoute, DaemonRoute, TenantRoute } from './api-route.js';
import { DAEMON_API } from './daemon-api.js';
import { NOW_API } from './now-api.js';
import { buildOpenApi } from './openapi.js';
import { readFields, refuseFor } from './refusal.js';
import { TENANT_API } from './tenant-api.js';

/** All routes of the API, for the server of the pages. */
export const API_ROUTES: readonly WebRoute[] = [
  { method: 'GET', path: '/api/openapi.json', audience: 'logged in', answer: () => ({ json: buildOpenApi() }) },
  ...[...DAEMON_API, ...NOW_API].map(serveDaemon),
  ...TENANT_API.map(serveTenant),
];

function serveDaemon(route: DaemonRoute): WebRoute {
  const { method, path, audience } = route;
  return { method, path, audience, answer: (request) => answerOf(request, route) };
}

async function answerOf(request: WebRequest, route: DaemonRoute): Promise<JsonAnswer> {
  return await refusing(async () => {
    const input = readInput(request, route) as never;
    const json = await route.read(request, input);
    const { config = null } = request.tenant ?? {};
    return config === null ? { json } : { json, veil: (await findReading(request, lockedDecisionOf(request))).veil };
  });
}

function serveTenant(route: TenantRoute): WebRoute {
  const { method, path, audience } = route;
  return { method, path, audience, answer: (request) => answerFor(request, route) };
}

async function answerFor(request: WebRequest, route: TenantRoute): Promise<JsonAnswer> {
  return await refusing(async () => {
    if (route.needsNames === true) requireNames(request);
    const input = readInput(request, route);
    const context = lockedDecisionOf(request);
    await noteAssistantRead(request);
    const { daemon } = request.parts;
    const performed = await daemon.perform(request.tenant?.name ?? '', route.operation, context, input as never);
    const { document, isTakenIn } = performed;
    const { key, veil } = await findReading(request, context);
    return { json: veilDocument(route, document, key), veil, ...(isTakenIn ? {} : { status: 202 }) };
  });
}

/** The document as the reader may see it. Addresses in its texts are replaced later. */
export function veilDocument(
  { veil = leaveOutWords }: Pick<TenantRoute, 'veil'>,
  document: unknown,
  key: string | null,
): unknown {
  return key === null ? document : veil(document as never, key);
}

/** The default for a route without `veil`: removes all texts that may name people. */
function leaveOutWords(document: object): object {
  return replaceWords(document, '…');
}

async function refusing(work: () => Promise<JsonAnswer>): Promise<JsonAnswer> {
  try {
    return await work();
  } catch (thrown) {
    throw thrown instanceof SyncError ? refuseFor(thrown) : thrown;
  }
}

function readInput({ raw, params, query }: WebRequest, route: ApiRoute): unknown {
  const { tenant: _tenant, ...named } = params;
  const more = route.method === 'GET' ? Object.fromEntries(query) : raw.body;
  return readFields(route, isJsonObject(more) ? { ...more, ...named } : (more ?? named));
}

/** Finds the form in which the pages show people of the tenant to this reader. */
async function findReading(request: WebRequest, context: OperationContext): Promise<Reading> {
  // Showing real names needs no key, so the state need not be opened.
  if (request.accessTo(request.tenant?.name ?? '')?.pseudonyms !== true) return readingWith(null);
  return await withStores(context, ({ audit }) => readingFor(request, audit));
}
