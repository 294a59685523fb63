import { PassThrough } from 'node:stream';
import { afterEach, expect, test } from 'vitest';
import { buildProgram } from '../../src/cli/program.js';

const before = process.listeners('SIGHUP');

afterEach(() => {
  for (const listener of process.listeners('SIGHUP')) {
    if (!before.includes(listener)) process.off('SIGHUP', listener);
  }
});

test('a reload while the daemon starts or ends does not end its process', async () => {
  const heard: number[] = [];
  const stderr = new PassThrough();
  stderr.on('data', () => heard.push(process.listenerCount('SIGHUP') - before.length));
  const codes: number[] = [];
  const program = buildProgram({
    stdout: new PassThrough(),
    stderr,
    env: {},
    setExitCode: (code) => void codes.push(code),
    exit: () => undefined,
  });
  const daemon = program.parseAsync(['node', 'talent-sync', 'daemon', '--config', '/no/such/place', '--port', '0']);
  expect(process.listenerCount('SIGHUP')).toBe(before.length + 1);
  await daemon;
  expect(codes).toEqual([1]);
  // The error is printed at the very end, when the daemon itself no longer listens.
  expect(heard).toEqual([1]);
});
