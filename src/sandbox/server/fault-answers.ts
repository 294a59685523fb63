import type { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '../../base/clock.js';
import { buildErrorBody } from '../fields/refusal.js';
import type { FaultRule } from './faults.js';

const ERROR_PAGE =
  '<!DOCTYPE html><html><head><title>Bad gateway</title></head><body><h1>Bad gateway</h1></body></html>';

export interface FaultedExchange {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  /** Logs the request. Status 0 means that no response was sent. */
  readonly log: (status: number) => void;
}

/** Applies faults that happen before the work. Afterwards, `reply.sent` is true if the request is finished. */
export async function answerFault(fault: FaultRule, exchange: FaultedExchange, clock: Clock): Promise<void> {
  const { request, reply, log } = exchange;
  switch (fault.kind) {
    case 'status':
      if (fault.retry_after !== undefined) reply.header('retry-after', String(fault.retry_after));
      reply.code(fault.status ?? 503).type('application/json; charset=utf-8');
      reply.send(JSON.stringify(buildErrorBody('injected fault')));
      return;
    case 'html':
      reply
        .code(fault.status ?? 502)
        .type('text/html; charset=utf-8')
        .send(ERROR_PAGE);
      return;
    case 'reset_before':
      abandon(exchange);
      return;
    case 'hang':
      log(0);
      reply.hijack();
      if (fault.ms !== undefined) void clock.sleep(fault.ms).then(() => request.raw.socket.destroy());
      return;
    case 'delay':
      await clock.sleep(fault.ms ?? 1000);
      return;
    case 'reset_after':
    case 'truncate':
    case 'drop_field':
      return;
  }
}

/** Applies faults that happen after the work is committed. @returns true if the fault replaced the response */
export function finishWithFault(fault: FaultRule, exchange: FaultedExchange, payload: unknown): boolean {
  const { request, reply, log } = exchange;
  if (fault.kind === 'reset_after') {
    abandon(exchange);
    return true;
  }
  const whole = typeof payload === 'string' ? Buffer.from(payload) : payload;
  const length = Buffer.isBuffer(whole) ? whole.length : Number(reply.getHeader('content-length') ?? 0);
  if (fault.kind !== 'truncate' || length === 0) return false;
  log(reply.statusCode);
  reply.hijack();
  reply.raw.writeHead(reply.statusCode, { ...readHeaders(reply), 'content-length': length });
  void sendHalf(Buffer.isBuffer(whole) ? [whole] : (whole as Readable), length, request, reply);
  return true;
}

async function sendHalf(
  bytes: Iterable<Buffer> | Readable,
  length: number,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  let left = Math.floor(length / 2);
  for await (const chunk of bytes as AsyncIterable<Buffer>) {
    const half = chunk.subarray(0, left);
    await new Promise((resolve) => reply.raw.write(half, resolve));
    left -= half.length;
    if (left === 0) break;
  }
  request.raw.socket.destroy();
}

function abandon({ request, reply, log }: FaultedExchange): void {
  log(0);
  reply.hijack();
  request.raw.socket.resetAndDestroy();
}

function readHeaders(reply: FastifyReply): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(reply.getHeaders()))
    if (value !== undefined) headers[name] = String(value);
  return headers;
}

/** Returns the body without the fields at these paths. It simulates a service that silently ignores fields. */
export function dropFields(body: unknown, paths: readonly string[]): unknown {
  if (typeof body !== 'object' || body === null) return body;
  const left = structuredClone(body) as Record<string, unknown>;
  for (const path of paths) {
    const names = path.split('.');
    const last = names.pop() ?? '';
    let place: unknown = left;
    for (const name of names) place = isRecord(place) ? place[name] : undefined;
    if (isRecord(place)) delete place[last];
  }
  return left;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
