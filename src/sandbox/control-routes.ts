import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { dumpState } from './dump-state.js';
import { FaultRule } from './faults.js';
import { buildErrorBody, Refusal } from './route.js';
import type { ServerParts } from './server.js';
import { parseStamp } from './stamps.js';

/** What is not the service but steers it: guarded by its own key, neither logged, limited nor faulty. */
export function registerControlRoutes(server: FastifyInstance, parts: ServerParts, controlKey: string): void {
  const { calls, faults, world } = parts;
  const table: readonly [
    method: 'GET' | 'POST' | 'DELETE',
    path: string,
    handle: (body: unknown) => object | undefined,
  ][] = [
    ['GET', 'calls', () => ({ counts: calls.count(), calls: calls.list() })],
    ['DELETE', 'calls', () => calls.clear() ?? undefined],
    ['GET', 'clock', () => ({ now: new Date(world.clock.now()).toISOString() })],
    ['POST', 'clock', (body) => setClock(parts, body)],
    ['GET', 'faults', () => ({ faults: faults.list() })],
    ['POST', 'faults', (body) => addFaults(parts, body)],
    ['DELETE', 'faults', () => faults.clear() ?? undefined],
    ['GET', 'state', () => dumpState(world)],
  ];
  for (const [method, path, handle] of table) {
    server.route({
      method,
      url: `/_sandbox/${path}`,
      exposeHeadRoute: false,
      handler: (request, reply) => {
        if (request.headers['x-control-key'] !== controlKey)
          throw new Refusal(401, 'x-control-key is missing or wrong');
        return sendControl(reply, handle(readJson(request)));
      },
    });
  }
}

function sendControl(reply: FastifyReply, body: object | undefined): FastifyReply {
  if (body === undefined) return reply.code(204).send();
  return reply.type('application/json; charset=utf-8').send(JSON.stringify(body));
}

function readJson(request: FastifyRequest): unknown {
  if (!Buffer.isBuffer(request.body) || request.body.length === 0) return undefined;
  try {
    return JSON.parse(request.body.toString('utf8'));
  } catch {
    throw new Refusal(400, 'the body is not valid JSON');
  }
}

/** `{ now: ISO }` sets the account's time, `{ advance_ms }` moves it; it runs on from there. */
const ClockChange = z.union([z.strictObject({ now: z.string() }), z.strictObject({ advance_ms: z.number() })]);

function setClock(parts: ServerParts, body: unknown): object {
  const { clock } = parts.world;
  const change = parseControl(ClockChange, body);
  const instant = 'now' in change ? parseStamp(change.now) : clock.now() + change.advance_ms;
  if (instant === undefined) throw new Refusal(400, 'now is not an ISO 8601 time');
  clock.set(instant);
  return { now: new Date(clock.now()).toISOString() };
}

/** One rule, a list of rules, or `{ faults: […] }`. */
function addFaults(parts: ServerParts, body: unknown): object {
  const rules = parseControl(
    z.union([z.array(FaultRule), z.strictObject({ faults: z.array(FaultRule) }), FaultRule]),
    body,
  );
  parts.faults.add(...(Array.isArray(rules) ? rules : 'faults' in rules ? rules.faults : [rules]));
  return { faults: parts.faults.list() };
}

function parseControl<T>(schema: z.ZodType<T>, body: unknown): T {
  const result = schema.safeParse(body);
  if (result.success) return result.data;
  throw new Refusal(
    400,
    'the body is not valid',
    buildErrorBody('the body is not valid', { details: z.prettifyError(result.error) }) as Record<string, unknown>,
  );
}
