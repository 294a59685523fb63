// Stores V8's bytecode of the bundle after runs of commands, so that later runs need not parse the bundle again. The
// bytecode works only with the Node.js version that created it; any other version parses the bundle.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { buildConfig, buildFixture, writeRows } from './bench/company.mjs';
import { main, startSandbox } from './bench/measure.mjs';

const PEOPLE = 40;
const { version, platform, arch } = process;
const kept = resolve(`dist/bundle/${version}-${platform}-${arch}`);

/** Runs in the process of the command, before its first line. */
function buildHook(file) {
  const hook = `import vm from 'node:vm';
import { writeFileSync } from 'node:fs';
vm.Script = class extends vm.Script {
  constructor(source, options) {
    super(source, options);
    process.on('exit', () => writeFileSync(${JSON.stringify(file)}, this.createCachedData()));
  }
};`;
  return `data:text/javascript,${encodeURIComponent(hook)}`;
}

const folder = mkdtempSync(join(tmpdir(), 'talent-sync-code-'));
const sandbox = await startSandbox(folder, buildFixture(PEOPLE));
const env = { ...process.env, API_KEY: 'bench-key' };
const config = join(folder, 'bench.yaml');

function run(...args) {
  execFileSync(process.execPath, [main, ...args], { cwd: folder, env, stdio: ['ignore', 'ignore', 'inherit'] });
}

/** @param args of the command; the first argument names the file. */
function keep(...args) {
  execFileSync(process.execPath, ['--import', buildHook(join(kept, args[0])), main, ...args], {
    cwd: folder,
    env,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
}

function deliver(name, options) {
  writeFileSync(join(folder, 'drop', `employees-${name}.csv`), [...writeRows(PEOPLE, options)].join(''));
}

try {
  mkdirSync(kept);
  mkdirSync(join(folder, 'drop'));
  writeFileSync(config, buildConfig(sandbox.url));
  deliver(1);
  run('sync', '--config', config);
  keep('status', '--config', config);
  keep('plan', '--config', config);
  deliver(2, { changedEvery: 10 });
  keep('sync', '--config', config);
} finally {
  sandbox.close();
  rmSync(folder, { recursive: true, force: true });
}
