import { expect, test } from 'vitest';
import { readModules } from './module-graph.js';
import { liesInUnitFolder, NO_UNIT } from './tiers.js';

const modules = new Map(['src', 'test'].flatMap(readModules).map((module) => [module.file, module]));
const files = [...modules.keys()].filter((file) => file.endsWith('.test.ts') && liesInUnitFolder(file));

/** Imports of tests that use more than their own process. */
const HEAVY = /^(?:node:(?:child_process|https?|net|tls)|ssh2|src\/sandbox\/sandbox\.ts|test\/scenarios\/.*)$/;
/** This import opens a server only on request. */
const LIGHT = 'test/connectors/fixtures.ts';

/** The heavy imports of a test, direct or through other test files. */
function findHeavy(file: string, seen = new Set<string>()): readonly string[] {
  if (file === LIGHT || seen.has(file)) return [];
  seen.add(file);
  const imports = modules.get(file)?.imports.filter(({ isValue }) => isValue) ?? [];
  return imports.flatMap(({ target, isLocal }) => {
    if (HEAVY.test(target)) return [`${file} → ${target}`];
    return isLocal && target.startsWith('test/') ? findHeavy(target, seen) : [];
  });
}

test('unit tests start no process, no server and no story', () => {
  expect(files.filter((file) => !NO_UNIT.includes(file)).flatMap((file) => findHeavy(file))).toEqual([]);
});

test('tests named as needing more exist, and do need more', () => {
  expect(NO_UNIT.filter((file) => !files.includes(file) || findHeavy(file).length === 0)).toEqual([]);
});
