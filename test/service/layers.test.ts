import { readFileSync } from 'node:fs';
import { describe, expect, expectTypeOf, it } from 'vitest';
import type { ReadCall } from '../../src/service/call.js';
import type { createUsersWriter } from '../../src/service/users.js';

function importsOf(file: string): string[] {
  const text = readFileSync(new URL(`../../src/service/${file}.ts`, import.meta.url), 'utf8');
  return [...text.matchAll(/from '\.\/([\w-]+)\.js'/g)].map((match) => match[1] ?? '');
}

describe('the layers', () => {
  const layers = ['transport', 'limiter', 'retry'];
  for (const layer of layers) {
    it(`${layer} imports no other layer`, () => {
      expect(importsOf(layer).filter((name) => layers.includes(name) || name === 'call')).toEqual([]);
    });
  }

  it('do not allow turning a read call into a writer', () => {
    expectTypeOf<ReadCall>().not.toExtend<Parameters<typeof createUsersWriter>[0]>();
  });
});
