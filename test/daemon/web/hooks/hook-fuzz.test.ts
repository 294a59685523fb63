import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Secret } from '../../../../src/base/secrets/secret.js';
import { judgeHook } from '../../../../src/daemon/web/hooks/judge-hook.js';
import { ReplayMemory } from '../../../../src/daemon/web/hooks/replay-memory.js';
import { HOOK_FORMS } from '../../../../src/model/hook-forms.js';
import { tries } from '../../../depth.js';
import { NOW_MS, NOW_S, RIGHT, SECRET } from './signatures.js';

/** Headers that at least one form reads. */
const NAMES = [...new Set(HOOK_FORMS.flatMap((form) => Object.keys(RIGHT[form].headers)))];

const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 60 }),
  fc.constantFrom('', 'v1,', ' ', '%', '%E0%A4%A', String(NOW_S), String(NOW_MS), '-1', '1e999', '=', '__proto__'),
);
const header = fc.oneof(text, fc.array(text, { maxLength: 2 }), fc.constant(undefined));
const json = fc.oneof(
  fc.json(),
  fc.json().map((one) => `{"value":[{"clientState":${one}}]}`),
  fc.json().map((one) => `{"triggeredAt":${one}}`),
);
const body = fc.oneof(
  json.map((one) => Buffer.from(one)),
  fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
);

it('every form rejects every request without the secret', () => {
  const request = fc.record({
    method: fc.constant('POST'),
    url: text.map((more) => `https://sync.example.com/hooks/acme/hr${more}`),
    headers: fc.dictionary(fc.constantFrom(...NAMES), header),
    body,
  });
  const secrets = [new Secret(SECRET), new Secret('')];
  const memory = new ReplayMemory();
  fc.assert(
    fc.property(request, (one) => {
      for (const form of HOOK_FORMS)
        expect(judgeHook(one, { form, secrets }, { nowMs: NOW_MS, memory, of: 'acme/hr' })).toBe('forged');
    }),
    { numRuns: tries(3_000) },
  );
  expect(memory.size()).toBe(0);
});
