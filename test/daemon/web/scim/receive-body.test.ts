import type { IncomingMessage } from 'node:http';
import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { receiveBody } from '../../../../src/daemon/web/scim/receive-body.js';

const KIB = 1024;
const LARGE = 24 * KIB * KIB;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function start(length: number | null = null, grow = async (): Promise<Buffer> => Buffer.alloc(LARGE)) {
  const stream = new PassThrough({ highWaterMark: 64 * KIB * KIB });
  const headers = length === null ? {} : { 'content-length': String(length) };
  const request = Object.assign(stream, { headers }) as unknown as IncomingMessage;
  const body = receiveBody(
    request,
    { space: Buffer.alloc(Math.max(length ?? 0, 4 * KIB * KIB)), large: LARGE, grow },
    () => Date.now(),
  );
  const ended = body.then(
    (bytes) => bytes.length,
    (error: { status: number }) => -error.status,
  );
  return { stream, ended, body };
}

/** Sends this number of bytes per second, until the connection is cut or all bytes are sent. */
async function send(length: number, bytesPerSecond: number): Promise<readonly [result: number, seconds: number]> {
  const { stream, ended } = start(length);
  let result: number | null = null;
  void ended.then((value) => {
    result = value;
  });
  let sent = 0;
  let seconds = 0;
  for (; result === null && seconds < 1_000; seconds++) {
    const part = Math.min(bytesPerSecond, length - sent);
    if (part > 0) stream.write(Buffer.alloc(part));
    sent += part;
    if (sent === length) stream.end();
    await vi.advanceTimersByTimeAsync(1_000);
  }
  return [result ?? 0, seconds];
}

it.each<[string, number, number, number, number]>([
  ['no bytes', 1_000, 0, -408, 11],
  ['a byte per second', 1_000, 1, -408, 11],
  ['4 MiB at 100 KiB per second', 4_096 * KIB, 100 * KIB, 4_096 * KIB, 41],
  ['4 MiB at 32 KiB per second', 4_096 * KIB, 32 * KIB, -408, 21],
  ['300 KiB at 32 KiB per second', 300 * KIB, 32 * KIB, 300 * KIB, 10],
  ['23 MiB at 512 KiB per second', 23 * KIB * KIB, 512 * KIB, 23 * KIB * KIB, 46],
])('receives the body or times out: %s', async (_what, length, rate, result, seconds) => {
  const [ended, took] = await send(length, rate);
  expect(ended).toBe(result);
  expect(Math.abs(took - seconds)).toBeLessThanOrEqual(1);
});

it('without a length, asks for more room once and places all bytes that arrive meanwhile', async () => {
  let letGo = (_space: Buffer): void => undefined;
  const grow = vi.fn(() => new Promise<Buffer>((resolve) => (letGo = resolve)));
  const { stream, ended, body } = start(null, grow);
  const parts = Array.from({ length: 7 }, (_, n) => Buffer.alloc(KIB * KIB - n, n + 1));
  for (const part of parts.slice(0, 6)) stream.write(part);
  await vi.advanceTimersByTimeAsync(60_000);
  letGo(Buffer.alloc(LARGE, 99));
  stream.end(parts[6]);
  await vi.advanceTimersByTimeAsync(1_000);
  expect([await ended, grow.mock.calls.length]).toEqual([7 * KIB * KIB - 21, 1]);
  expect((await body).equals(Buffer.concat(parts))).toBe(true);
});

it('answers 413 for a large body and 400 for one that breaks off', async () => {
  const much = start();
  much.stream.write(Buffer.alloc(25 * KIB * KIB));
  await vi.advanceTimersByTimeAsync(1);
  expect(await much.ended).toBe(-413);
  const broken = start(5_000);
  broken.stream.write('x');
  await vi.advanceTimersByTimeAsync(1);
  broken.stream.destroy();
  expect(await broken.ended).toBe(-400);
});
