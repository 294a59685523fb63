import type { FastifyInstance, FastifyReply } from 'fastify';
import * as z from 'zod';
import { parseStamp } from '../answers/stamps.js';
import { refuse } from '../fields/refusal.js';
import { indexLinks } from '../records/cvs.js';
import { ROUTES } from '../routes/table.js';
import { FaultRule } from '../server/faults.js';
import { parseBody, type ServerParts, sendJson } from '../server/server.js';
import type { CvDocument } from '../store/cv-documents.js';
import type { Collections } from '../store/store.js';
import { type AccountRecord, STATE_FORM } from './account-record.js';
import { dumpAll, loadAll } from './dump-all.js';
import { dumpState } from './dump-state.js';
import { mergeProjects } from './merge-projects.js';

export interface ControlParts extends ServerParts {
  /** Replaces the account's settings, keys and custom fields. */
  readonly takeUp: (account: AccountRecord) => void;
  /** Continues the imports and reports that were pending in a loaded state. */
  readonly resume: () => void;
}

type Handle = (parts: ControlParts, body: unknown, params: Readonly<Record<string, string>>) => object | undefined;

/** Routes that control the sandbox and are not part of the service (docs/reference/sandbox.md, Control API). */
export const CONTROL_ROUTES: readonly [
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
  path: string,
  handle: Handle,
][] = [
  ['GET', 'calls', ({ calls }) => ({ counts: calls.count(), calls: calls.list() })],
  ['DELETE', 'calls', ({ calls }) => calls.clear() ?? undefined],
  ['GET', 'clock', ({ world }) => ({ now: new Date(world.clock.now()).toISOString() })],
  ['POST', 'clock', setClock],
  ['GET', 'faults', ({ faults }) => ({ faults: faults.list() })],
  ['POST', 'faults', addFaults],
  ['DELETE', 'faults', ({ faults }) => faults.clear() ?? undefined],
  ['GET', 'settings', ({ world }) => readSettings(world.account)],
  ['POST', 'settings', setSettings],
  ['GET', 'mails', ({ world }) => ({ mails: world.store.mails.find('ORDER BY at, id') })],
  ['DELETE', 'mails', ({ world }) => world.store.mails.clear() ?? undefined],
  ['GET', 'state', ({ world }) => dumpState(world)],
  ['GET', 'dump', ({ world }) => dumpAll(world)],
  ['PUT', 'dump', loadDump],
  ['GET', 'records/:collection', listRecords],
  ['PATCH', 'records/:collection/:id', patchRecord],
  ['DELETE', 'records/:collection/:id', deleteRecord],
  ['POST', 'merge-projects', merge],
];

/**
 * Registers the routes. They have their own key and are not logged, limited or affected by faults. Routes that need no key
 * reveal nothing about the account.
 */
export function registerControlRoutes(server: FastifyInstance, parts: ControlParts): void {
  server.get('/__sandbox/health', async () => ({ status: 'ok' }));
  server.get<{ readonly Querystring: { readonly version?: string } }>(
    '/__sandbox/openapi.json',
    async (request, reply) => {
      const { buildOpenApi } = await import('./openapi/build-openapi.js');
      const { OPENAPI_FORMS } = await import('./openapi/openapi-form.js');
      const { version = '3.1' } = request.query;
      const form = Object.entries(OPENAPI_FORMS).find(([known]) => known === version)?.[1];
      return form === undefined
        ? refuse(400, 'version must be 3.1 or 3.0')
        : sendJson(reply, buildOpenApi(ROUTES, form));
    },
  );
  for (const [method, path, handle] of CONTROL_ROUTES) {
    server.route({
      method,
      url: `/__sandbox/${path}`,
      exposeHeadRoute: false,
      handler: (request, reply) => {
        if (request.headers['x-control-key'] !== parts.controlKey) {
          refuse(401, 'x-control-key is missing or wrong');
        }
        return sendControl(reply, handle(parts, parseBody(request.body), request.params as Record<string, string>));
      },
    });
  }
}

function sendControl(reply: FastifyReply, body: object | undefined): FastifyReply {
  return body === undefined ? reply.code(204).send() : sendJson(reply, body);
}

function parseControl<T>(schema: z.ZodType<T>, body: unknown): T {
  const result = schema.safeParse(body);
  if (result.success) return result.data;
  return refuse(400, 'the body is not valid', { details: z.prettifyError(result.error) });
}

/** `{ now: ISO }` sets the account's time, and `{ advance_ms }` moves it. The clock continues from there. */
const ClockChange = z.union([z.strictObject({ now: z.string() }), z.strictObject({ advance_ms: z.number() })]);

export function setClock({ world: { clock } }: ControlParts, body: unknown): object {
  const change = parseControl(ClockChange, body);
  const instant = 'now' in change ? parseStamp(change.now) : clock.now() + change.advance_ms;
  if (instant === undefined) refuse(400, 'now is not an ISO 8601 time');
  clock.set(instant);
  return { now: new Date(clock.now()).toISOString() };
}

/** Adds faults. The body is one rule, a list of rules, or `{ faults: […] }`. */
export function addFaults({ faults }: ControlParts, body: unknown): object {
  const rules = parseControl(
    z.union([z.array(FaultRule), z.strictObject({ faults: z.array(FaultRule) }), FaultRule]),
    body,
  );
  const list = 'faults' in rules ? rules.faults : [rules].flat();
  faults.add(...list);
  return { faults: faults.list() };
}

/** Settings for behaviour that the specification leaves open. */
const Settings = z.strictObject({
  after_id: z.enum(['exclude', 'keyset']).optional(),
  user_tags_on_cvs: z.boolean().optional(),
  customer_lists: z.enum(['wrapped', 'bare']).optional(),
  user_lists: z.enum(['scoped', 'plain']).optional(),
  missing_pictures: z.enum(['null', 'neutral']).optional(),
});

function readSettings(account: AccountRecord['account']): object {
  return Object.fromEntries(
    Object.keys(Settings.shape).map((name) => [name, account[name as keyof typeof Settings.shape]]),
  );
}

function setSettings({ world, takeUp }: ControlParts, body: unknown): object {
  const { account: before, keys, customFields, secret } = world;
  const sent = Object.entries(parseControl(Settings, body)).filter(([, value]) => value !== undefined);
  const account: AccountRecord['account'] = { ...before, ...Object.fromEntries(sent) };
  takeUp({ form: STATE_FORM, account, keys: [...keys.values()], customFields, secret });
  return readSettings(account);
}

function loadDump(parts: ControlParts, body: unknown): undefined {
  loadAll(parts.world, body, parts.takeUp);
  parts.resume();
}

/**
 * Finds stored documents, including those that no call of the service can change. docs/reference/sandbox.md, Records, describes
 * their form.
 */
function findCollection({ world }: ControlParts, name: string) {
  const { collections } = world.store;
  if (!Object.hasOwn(collections, name)) {
    refuse(404, `there is no collection ${name}; use one of ${Object.keys(collections).join(', ')}`);
  }
  return collections[name as keyof Collections] as unknown as {
    all(): Record<string, unknown>[];
    get(id: string): Record<string, unknown> | undefined;
    put(document: object): object;
    delete(id: string): void;
  };
}

function listRecords(parts: ControlParts, _body: unknown, params: Readonly<Record<string, string>>): object {
  return { records: findCollection(parts, params.collection ?? '').all() };
}

function patchRecord(parts: ControlParts, body: unknown, params: Readonly<Record<string, string>>): object {
  const collection = findCollection(parts, params.collection ?? '');
  const before = collection.get(params.id ?? '');
  if (!before) refuse(404, 'there is no such record');
  const patch = parseControl(z.record(z.string(), z.unknown()), body);
  const unknown = Object.keys(patch).find((field) => !Object.hasOwn(before, field) || field === 'id');
  if (unknown !== undefined) refuse(400, `the record has no field ${unknown} that can be set`);
  const { world } = parts;
  return world.store.write(() => {
    const record = collection.put({ ...before, ...patch });
    if (params.collection === 'cvs') indexLinks(world, record as CvDocument);
    return record;
  });
}

function deleteRecord(parts: ControlParts, _body: unknown, params: Readonly<Record<string, string>>): undefined {
  const collection = findCollection(parts, params.collection ?? '');
  if (!collection.get(params.id ?? '')) refuse(404, 'there is no such record');
  parts.world.store.write(() => collection.delete(params.id ?? ''));
}

const Merge = z.strictObject({ from: z.string(), into: z.string() });

function merge({ world }: ControlParts, body: unknown): undefined {
  const { from, into } = parseControl(Merge, body);
  const [gone, surviving] = [world.store.projects.get(from), world.store.projects.get(into)];
  if (!gone || !surviving || from === into) refuse(404, 'from and into must be the ids of two different projects');
  world.store.write(() => mergeProjects(world, gone, surviving));
}
