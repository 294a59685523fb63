import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { oneIn } from '../depth.js';

const DIST = fileURLToPath(new URL('../../dist/', import.meta.url));

function start(main: 'main.js' | 'main.plain.js', args: readonly string[], flags: readonly string[] = []) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [...flags, `${DIST}${main}`, ...args], {
    encoding: 'utf8',
  });
  return { status, stdout, stderr };
}

/** Says on stderr what V8 thinks of kept code. */
const TELL = `data:text/javascript,${encodeURIComponent(`import vm from 'node:vm';
vm.Script = class extends vm.Script {
  constructor(source, options) {
    super(source, options);
    process.stderr.write('rejected: ' + this.cachedDataRejected + '\\n');
  }
};`)}`;
const NOWHERE = ['--config', '/nowhere/talent-sync.yaml'];

describe('the bundle', () => {
  test('is ASCII, which takes half the memory', () => {
    expect(readFileSync(`${DIST}bundle/main.cjs`, 'utf8').match(/[^\0-\x7f]/)).toBe(null);
  });

  test.each(
    oneIn(
      1,
      [[[]], [['--help']], [['help']], [['--version']], [['--nope']], [['help', 'plan']], [['plan', '--help']]],
      1,
    ),
  )('says to %j what the single modules say', (args) => {
    expect(start('main.js', args)).toEqual(start('main.plain.js', args));
  });

  test.each(oneIn(1, ['plan', 'sync', 'status', 'runs']))('%s takes the code that the build kept', (command) => {
    const { status, stderr } = start('main.js', [command, ...NOWHERE], ['--import', TELL]);
    expect([status, stderr.split('\n')[0]]).toEqual([1, 'rejected: false']);
  });

  test('goes without it where V8 has other flags, and where sources are asked for', () => {
    const usual = start('main.js', ['plan', ...NOWHERE]);
    expect(usual.stderr).toContain('SYNC_CONFIG_UNREADABLE');
    const other = start('main.js', ['plan', ...NOWHERE], ['--import', TELL, '--stack-size=900']);
    expect(other).toEqual({ ...usual, stderr: `rejected: true\n${usual.stderr}` });
    expect(start('main.js', ['plan', ...NOWHERE], ['--import', TELL, '--enable-source-maps'])).toEqual(usual);
  });

  test('does not look for code where an argument points', () => {
    const { status, stderr } = start('main.js', ['../plan']);
    expect([status, stderr.split('\n')[0]]).toEqual([1, "error: unknown command '../plan'"]);
  });
});
