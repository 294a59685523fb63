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
    it(`${layer} knows no other layer`, () => {
      expect(importsOf(layer).filter((name) => layers.includes(name) || name === 'call')).toEqual([]);
    });
  }

  it('a call that can only read cannot be made a writer', () => {
    expectTypeOf<ReadCall>().not.toExtend<Parameters<typeof createUsersWriter>[0]>();
  });
});
