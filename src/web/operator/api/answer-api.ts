import { EMAIL, pseudonymOf } from '../../../audit/pseudonyms.js';
import type { Config } from '../../../config/config.js';
import { SyncError } from '../../../errors.js';
import { withStores } from '../../../operations/with-stores.js';
import { type JsonAnswer, WebRefusal, type WebRequest, type WebRoute } from '../route.js';
import type { ApiRoute, DaemonRoute, TenantRoute } from './api-route.js';
import { DAEMON_API } from './daemon-api.js';
import { buildOpenApi } from './openapi.js';
import { refuseFor, refuseInput } from './refusal.js';
import { TENANT_API } from './tenant-api.js';

/** Every address of the interface, as the pages' server has it. */
export const API_ROUTES: readonly WebRoute[] = [
  { method: 'GET', path: '/api/openapi.json', audience: 'logged in', answer: () => ({ json: buildOpenApi() }) },
  ...DAEMON_API.map(serveDaemon),
  ...TENANT_API.map(serveTenant),
];

function serveDaemon(route: DaemonRoute): WebRoute {
  const { method, path, audience, read } = route;
  return { method, path, audience, answer: (request) => ({ json: read(request) }) };
}

function serveTenant(route: TenantRoute): WebRoute {
  const { method, path, audience } = route;
  return { method, path, audience, answer: (request) => answerFor(request, route) };
}

async function answerFor(request: WebRequest, route: TenantRoute): Promise<JsonAnswer> {
  const { parts, person } = request;
  const input = readInput(request, route);
  const context = { config: configOf(request), clock: parts.clock, by: person?.who ?? '' };
  try {
    const json = await route.operation.perform(context, input as never);
    return { json, veil: await findVeil(request, context.config) };
  } catch (thrown) {
    throw thrown instanceof SyncError ? refuseFor(thrown) : thrown;
  }
}

/** @throws WebRefusal 400 with every part that does not fit */
function readInput({ raw, params, query }: WebRequest, { method, path, input }: ApiRoute): unknown {
  const { tenant: _tenant, ...named } = params;
  const more = method === 'GET' ? Object.fromEntries(query) : raw.body;
  const isObject = typeof more === 'object' && more !== null && !Array.isArray(more);
  const given = input.safeParse(isObject ? { ...more, ...named } : (more ?? named));
  if (given.success) return given.data;
  throw refuseInput(`${method} ${path}`, given.error.issues);
}

function configOf({ tenant }: WebRequest): Config {
  const config = tenant?.config ?? null;
  if (config === null) throw new WebRefusal(409, tenant?.problem?.message ?? 'This tenant has no configuration yet.');
  return config;
}

/** For whom people of the tenant are shown under pseudonyms: the same as on the pages. */
async function findVeil({ tenant, accessTo, parts }: WebRequest, config: Config): Promise<(text: string) => string> {
  if (accessTo(tenant?.name ?? '')?.pseudonyms !== true) return (text) => text;
  const key = await withStores({ config, clock: parts.clock }, ({ audit }) => audit.makePseudonymKey());
  return (text) => text.replaceAll(EMAIL, (email) => pseudonymOf(key, email));
}
