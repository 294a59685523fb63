import { describe, expect, it } from 'vitest';
import { judgeOlderContent } from '../../../src/planning/suspicions/older-content.js';
import { loadSample } from '../../config/sample.js';
import { changeOf, evidenceOf, openTestStores } from '../../samples.js';

const REPLACED = { usedAt: '2026-10-20T08:00:00.000Z', at: '2026-11-10T08:00:00.000Z' };

function judge(actions: readonly ('create' | 'update' | 'reactivate' | 'deactivate' | 'delete')[], more: object = {}) {
  const stores = openTestStores();
  for (const [at, action] of actions.entries())
    stores.work.plan(changeOf('users', `E${at}`, { action, target: `u${at}` }));
  const evidence = evidenceOf({ replaced: REPLACED, ...more });
  const steps = judgeOlderContent({
    entity: 'users',
    source: 'hr',
    evidence,
    config: loadSample(),
    stores,
    reads: new Set(),
  });
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

describe('content that a later delivery replaced', () => {
  it('is held if it activates or deactivates anything, with what it would do', () => {
    expect(judge(['deactivate', 'reactivate', 'deactivate', 'delete', 'create'])).toMatchObject({
      ...{
        limit: 0,
        found: 4,
        cause: 'older content',
        remedy: 'Check whether an old file arrived under a newer name.',
      },
      detail:
        'the content is the same as on 2026-10-20; a later delivery replaced it on 2026-11-10. Used again, it would reactivate 1, deactivate 2, delete 1. It does not count as a correction: several other deliveries came in between',
    });
    for (const action of ['reactivate', 'deactivate', 'delete'] as const) expect(judge([action])?.found).toBe(1);
  });

  it('is used if it activates and deactivates nothing, was never replaced, or has no rows', () => {
    expect(judge(['create', 'update'])).toBeNull();
    expect(judge(['deactivate'], { replaced: undefined })).toBeNull();
    expect(judge(['deactivate'], { rows: 0 })).toBeNull();
  });
});
