import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { oneIn, sweep } from '../depth.js';

const DIST = fileURLToPath(new URL('../../dist/', import.meta.url));

function start(main: 'main.js' | 'main.plain.js', args: readonly string[], flags: readonly string[] = []) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [...flags, `${DIST}${main}`, ...args], {
    encoding: 'utf8',
  });
  return { status, stdout, stderr };
}

/** Reports on stderr if V8 rejects the cached code. */
const TELL = `data:text/javascript,${encodeURIComponent(`import vm from 'node:vm';
vm.Script = class extends vm.Script {
  constructor(source, options) {
    super(source, options);
    process.stderr.write('rejected: ' + this.cachedDataRejected + '\\n');
  }
};`)}`;
const NOWHERE = ['--config', '/nowhere/talent-sync.yaml'];

describe('the bundle', () => {
  test('contains only ASCII, which halves its memory', () => {
    expect(readFileSync(`${DIST}bundle/main.cjs`, 'utf8').match(/[^\0-\x7f]/)).toBe(null);
  });

  test.each(
    oneIn(
      1,
      [[[]], [['--help']], [['help']], [['--version']], [['--nope']], [['help', 'plan']], [['plan', '--help']]],
      1,
    ),
  )('answers %j like the separate modules', (args) => {
    expect(start('main.js', args)).toEqual(start('main.plain.js', args));
  });

  test.each(oneIn(1, ['plan', 'sync', 'status', 'runs']))('%s uses the code cached by the build', (command) => {
    const { status, stderr } = start('main.js', [command, ...NOWHERE], ['--import', TELL]);
    expect([status, stderr.split('\n')[0]]).toEqual([1, 'rejected: false']);
  });

  sweep('works without the cache if V8 has other flags or source maps are enabled', () => {
    const usual = start('main.js', ['plan', ...NOWHERE]);
    expect(usual.stderr).toContain('SYNC_CONFIG_UNREADABLE');
    const other = start('main.js', ['plan', ...NOWHERE], ['--import', TELL, '--stack-size=900']);
    expect(other).toEqual({ ...usual, stderr: `rejected: true\n${usual.stderr}` });
    expect(start('main.js', ['plan', ...NOWHERE], ['--import', TELL, '--enable-source-maps'])).toEqual(usual);
  });

  test('does not look for code at the path of an argument', () => {
    const { status, stderr } = start('main.js', ['../plan']);
    expect([status, stderr.split('\n')[0]]).toEqual([1, "error: unknown command '../plan'"]);
  });
});
