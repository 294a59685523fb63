import { execFile, spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { oneIn, sweep } from '../depth.js';
import { makeFolder } from '../samples.js';

const MAIN = fileURLToPath(new URL('../../dist/main.js', import.meta.url));

interface Ended {
  readonly code: unknown;
  readonly stdout: string;
  readonly stderr: string;
}

function start(args: readonly string[]): Promise<Ended> {
  return new Promise((resolve) => {
    execFile(process.execPath, [MAIN, ...args], (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : error.code, stdout, stderr }),
    );
  });
}

test('prints one document for a wrong command line with --json, and the message on stderr', async () => {
  const wrong = oneIn(1 / 2, [
    ['plan', '--json', '--nope'],
    ['explain', 'user', '--json'],
    ['init', '--config', 'mine.yaml', '--json'],
    ['nonsense', '--json'],
  ]);
  for (const ended of await Promise.all(wrong.map(start))) {
    expect(ended.code).toBe(1);
    const document = JSON.parse(ended.stdout) as object;
    expect(Object.keys(document)).toEqual(['error']);
    expect(document).toEqual({
      error: {
        code: 'SYNC_CLI_USAGE',
        message: expect.stringMatching(/^(?!error: )./),
        place: 'command line',
        remedy: expect.stringContaining('--help'),
      },
    });
    expect(ended.stderr).toContain('error: ');
  }
});

test('prints nothing on stdout without --json, and no error for help', async () => {
  const [wrong, help] = await Promise.all([start(['plan', '--nope']), start(['plan', '--json', '--help'])]);
  expect(wrong).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('--nope') });
  expect(help.code).toBe(0);
  expect(help.stdout).toContain('Usage: talent-sync plan');
  expect(help.stdout).not.toContain('SYNC_CLI_USAGE');
});

sweep('names the option with which init writes a configuration', async () => {
  const { code, stderr } = await start(['init', '--config', 'mine.yaml']);
  expect(code).toBe(1);
  expect(stderr).toContain('name it with --out mine.yaml');
});

test('reports a working folder that was deleted', () => {
  const script = `mkdir gone && cd gone && rmdir ../gone && exec "${process.execPath}" "${MAIN}" status`;
  const { status, stderr } = spawnSync('sh', ['-c', script], { cwd: makeFolder(), encoding: 'utf8' });
  expect(status).toBe(1);
  expect(stderr).toContain('SYNC_CLI_USAGE: The current folder no longer exists.');
});
