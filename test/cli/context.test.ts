import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { SyncError } from '../../src/base/errors.js';
import { type CommandResult, type Console, formatError, printing } from '../../src/cli/context.js';
import { openLogger } from '../../src/cli/open-logger.js';
import { runCommand } from '../../src/cli/run-command.js';

type Started = (console: Console) => Promise<void>;

/** Runs a command and returns its two streams and the exit code. */
function run(command: () => CommandResult, { json = false, env = {} } = {}) {
  return watch((console) => printing(console, json, async () => command()), env);
}

async function watch(start: Started, env: NodeJS.ProcessEnv = {}) {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  let code: number | null = null;
  const console: Console = {
    stdout,
    stderr,
    env,
    setExitCode: (given) => {
      code = given;
    },
    exit: () => undefined,
  };
  await start(console);
  stdout.end();
  stderr.end();
  return { code, stdout: await text(stdout), stderr: await text(stderr) };
}

const REFUSED = new SyncError('SYNC_CONFIG_INVALID', {
  message: 'Two things are wrong.',
  place: 'acme.yaml',
  remedy: 'Correct them.',
  problems: [
    { place: 'users.match', message: 'is empty', remedy: 'Name a field.' },
    { place: 'policy', message: '?' },
  ],
});

function fail(error: unknown): () => CommandResult {
  return () => {
    throw error;
  };
}

describe('the output and the exit code of a command', () => {
  const done =
    (exitCode: number, text = 'All equal.') =>
    () => ({ exitCode, text, json: { counts: {} } });

  test.each([0, 3, 4])('prints the result and ends with its exit code %i', async (exitCode) => {
    expect(await run(done(exitCode))).toEqual({ code: exitCode, stdout: 'All equal.\n', stderr: '' });
    const { code, stdout } = await run(done(exitCode), { json: true });
    expect([code, JSON.parse(stdout)]).toEqual([exitCode, { counts: {} }]);
  });

  test('ends a text with one newline, and prints nothing for an empty text', async () => {
    expect((await run(done(0, 'a\n'))).stdout).toBe('a\n');
    expect((await run(done(0, ''))).stdout).toBe('');
  });

  test('prints an error on stderr, and with --json as the only document', async () => {
    expect(await run(fail(REFUSED))).toEqual({ code: 1, stdout: '', stderr: formatError(REFUSED) });
    const { code, stdout, stderr } = await run(fail(REFUSED), { json: true });
    expect([code, stderr]).toEqual([1, formatError(REFUSED)]);
    expect(JSON.parse(stdout)).toMatchObject({
      error: { code: 'SYNC_CONFIG_INVALID', message: 'Two things are wrong.', place: 'acme.yaml' },
    });
  });

  test('names the state folder on a full disk, and mentions temporary files', async () => {
    const full = Object.assign(new Error('database or disk is full'), { code: 'SQLITE_FULL' });
    const ended = await watch((console) => runCommand(console, { config: 'config/minimal.yaml' }, fail(full)));
    expect(ended.code).toBe(1);
    expect(ended.stderr).toContain(
      'error SYNC_STATE_UNUSABLE: The state cannot be read or written: database or disk is full.',
    );
    expect(ended.stderr).toMatch(/where: \/.*\/var\/acme\n/);
    expect(ended.stderr).toContain('SQLITE_TMPDIR');
  });

  test("prints the error's code, its place, each problem with its remedy, and the remedy", () => {
    expect(formatError(REFUSED).split('\n')).toEqual([
      'error SYNC_CONFIG_INVALID: Two things are wrong.',
      '  where: acme.yaml',
      '  - users.match: is empty',
      '      Name a field.',
      '  - policy: ?',
      '  what to do: Correct them.',
      '',
    ]);
  });

  test('shows the stack of a defect only at the debug level', async () => {
    const usual = await run(fail(new TypeError('x is undefined')));
    expect(usual).toMatchObject({ code: 1, stderr: expect.stringContaining('SYNC_INTERNAL') });
    expect(usual.stderr).not.toMatch(/\n\s+at /);
    const debug = await run(fail(new TypeError('x is undefined')), { env: { LOG_LEVEL: 'debug' } });
    expect(debug.stderr).toMatch(/TypeError: x is undefined\n\s+at /);
  });

  test('accepts a log level in any case, and reports an unknown level as a usage error', async () => {
    const open = (level: string) => {
      const streams = { stdout: new PassThrough(), stderr: new PassThrough() };
      const steps = { setExitCode: () => undefined, exit: () => undefined };
      return run(() => done(0, openLogger({ ...streams, ...steps, env: { LOG_LEVEL: level } }).level)());
    };
    for (const [level, taken] of [
      ['', 'warn'],
      ['INFO', 'info'],
      [' debug ', 'debug'],
    ] as const)
      expect((await open(level)).stdout).toBe(`${taken}\n`);
    const refused = await open('warning');
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('Did you mean `warn`?')]);
    expect(refused.stderr).toContain('SYNC_CLI_USAGE');
  });

  test('escapes terminal control characters', () => {
    const error = new SyncError('SYNC_CLI_USAGE', { message: 'bad \u001b[2Jname', place: 'a\rb', remedy: 'none' });
    for (const steering of ['\u001b', '\r']) expect(formatError(error)).not.toContain(steering);
  });
});
