#!/usr/bin/env node
// dist/main.js: starts the bundle with V8's cached code from the build, if it exists for this Node.js.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import v8 from 'node:v8';
import vm from 'node:vm';

const HELP = ['', '-h', '--help', 'help', '-V', '--version'];
const [, , command = '', ...rest] = process.argv;
const file = fileURLToPath(new URL('bundle/main.cjs', import.meta.url));
const require = createRequire(file);
await (await load()).ended;

function load() {
  if (rest.length === 0 && HELP.includes(command)) {
    // A CommonJS package in the bundle requires modules of Node.js.
    globalThis.require = require;
    return import('./bundle/help/main.js');
  }
  // Node.js applies source maps to the modules that it loads.
  return process.sourceMapsEnabled ? require(file) : start();
}

function start() {
  // Streamed rows leave much garbage. By default, V8 lets the heap grow to four times the used size before it collects the
  // garbage. In a first run of 100,000 people, that default takes 80 MiB more and saves no time.
  v8.setFlagsFromString('--heap-growing-percent=30');
  const cachedData = readCode(command) ?? readCode('plan');
  const script = new vm.Script(readFileSync(file, 'utf8'), { filename: file, cachedData });
  const module = { exports: {} };
  script.runInThisContext()(module.exports, require, module, file, dirname(file));
  return module.exports;
}

/** V8 rejects cached code from another V8 version or with other flags. */
function readCode(name) {
  const { version, platform, arch } = process;
  if (!/^[a-z]+$/.test(name)) return undefined;
  try {
    return readFileSync(new URL(`bundle/${version}-${platform}-${arch}/${name}`, import.meta.url));
  } catch {
    return undefined;
  }
}
