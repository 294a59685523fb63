import { expect, test } from 'vitest';
import { Secret } from '../../../src/base/secrets/secret.js';
import { sha256 } from '../../../src/model/sha256.js';
import { createSeal } from '../../../src/store/remote/seal.js';

test('creates a digest of an order that only holders of the key can reproduce', () => {
  const order = 'approve\0{"who":"user:E1"}';
  const [one, same, other, none] = ['k', 'k', 'o', null].map((key) =>
    createSeal(key === null ? null : new Secret(key.repeat(32))).digest(order),
  );
  expect(one).toBe(same);
  expect(new Set([one, other, none]).size).toBe(3);
  expect(none).toBe(sha256(order));
});
