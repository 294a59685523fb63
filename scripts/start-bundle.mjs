#!/usr/bin/env node
// dist/main.js: starts the bundle with the code that V8 made of it when it was built, as far as it is kept for this Node.js.
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
    // A CommonJS package in it asks for modules of Node.js.
    globalThis.require = require;
    return import('./bundle/help/main.js');
  }
  // Node.js itself finds the sources of what it loads itself.
  return process.sourceMapsEnabled ? require(file) : start();
}

function start() {
  // Rows that stream by leave much behind. V8 lets the heap grow to four times what is in use before it clears that away, which
  // takes 80 MiB more of a first run of 100,000 people, and no less time.
  v8.setFlagsFromString('--heap-growing-percent=30');
  const cachedData = readCode(command) ?? readCode('plan');
  const script = new vm.Script(readFileSync(file, 'utf8'), { filename: file, cachedData });
  const module = { exports: {} };
  script.runInThisContext()(module.exports, require, module, file, dirname(file));
  return module.exports;
}

/** V8 itself refuses code of another V8, and of other flags. */
function readCode(name) {
  const { version, platform, arch } = process;
  if (!/^[a-z]+$/.test(name)) return undefined;
  try {
    return readFileSync(new URL(`bundle/${version}-${platform}-${arch}/${name}`, import.meta.url));
  } catch {
    return undefined;
  }
}
