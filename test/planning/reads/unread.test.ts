import { describe, expect, it } from 'vitest';
import { type ErrorCode, SyncError } from '../../../src/base/errors.js';
import { createRefusedReads, type ReadArea } from '../../../src/mirror/refused-reads.js';
import { areaOf, findRefusal, listUnread, listUnreadFields } from '../../../src/planning/reads/unread.js';
import { loadSample, SAMPLE } from '../../config/sample.js';
import { withCrm } from '../world.js';

const config = loadSample(
  `${SAMPLE}    tags: { unit: record.dept }\n    cv_tags: { unit: record.dept }\n    roles: "['consultant']"\n`,
);

async function refuse(area: ReadArea, code: ErrorCode = 'SYNC_SERVICE_FORBIDDEN') {
  const refused = createRefusedReads();
  await refused.attempt(area, async () => {
    throw new SyncError(code, { message: 'GET says no.', place: '/api', remedy: 'Ask.' });
  });
  return refused;
}

describe('a read that the service rejects', () => {
  it.each<readonly [area: ReadArea, whole: boolean, fields: readonly string[], leftAlone: readonly string[]]>([
    ['users', true, [], ['users']],
    // A person cannot be created without an office, so no people are planned.
    ['offices', true, ['office'], ['users']],
    ['tags', false, ['tags', 'cv_tags'], ['users.tags', 'users.cv_tags']],
    ['cvs', false, ['cv_tags'], ['users.cv_tags']],
    ['customers', false, [], []],
    ['industries', false, [], []],
  ])('leaves alone exactly what depends on %s', async (area, whole, fields, leftAlone) => {
    const refused = await refuse(area);
    expect(findRefusal(config, 'users', refused)?.code ?? null).toBe(whole ? 'SYNC_SERVICE_FORBIDDEN' : null);
    expect([...listUnreadFields(config, 'users', refused)].toSorted()).toEqual(fields.toSorted());
    const [unread, ...others] = listUnread(config, refused);
    expect(others).toEqual([]);
    expect(unread?.area).toBe(area);
    expect(unread?.leftAlone.toSorted()).toEqual(leftAlone.toSorted());
  });

  it('leaves tags of customers alone only if it is of tags or customers', async () => {
    const mapped = withCrm(['customers']).replace('industry: record.id }', 'tags: { segment: record.id } }');
    const leftAlone = async (area: ReadArea) => listUnread(loadSample(mapped), await refuse(area))[0]?.leftAlone;
    expect(await leftAlone('cvs')).toEqual([]);
    expect(await leftAlone('tags')).toEqual(['customers.tags']);
    expect(await leftAlone('customers')).toEqual(['customers']);
  });

  it('leaves nothing alone if it never happened', () => {
    const refused = createRefusedReads();
    expect(findRefusal(config, 'users', refused)).toBeNull();
    expect(listUnreadFields(config, 'users', refused).size).toBe(0);
    expect(listUnread(config, refused)).toEqual([]);
  });

  it('reports what was rejected, what is left alone for it, and what to do', async () => {
    const told = async (area: ReadArea, code?: ErrorCode) => {
      const [unread] = listUnread(config, await refuse(area, code));
      return [unread?.error.message, unread?.error.problems[0]?.remedy ?? unread?.error.remedy, unread?.error.place];
    };
    expect(await told('cvs')).toEqual([
      expect.stringContaining('Reading CVs was rejected. Left alone: users.cv_tags. GET says no.'),
      expect.stringMatching(/^Give the key the permission to read CVs; .* Ask\.$/),
      '/api',
    ]);
    expect((await told('industries'))[0]).toContain('Nothing that is mapped depends on it.');
    expect(await told('tags', 'SYNC_SERVICE_TOO_LARGE')).toEqual([
      expect.stringContaining('Reading tags failed.'),
      'Ask.',
      '/api',
    ]);
    expect((await told('tags', 'SYNC_SERVICE_REFUSED'))[1]).toContain('service.base_url');
  });

  it('belongs to the area in which an entity is read', () => {
    expect((['countries', 'projects', 'staffing', 'tag_categories'] as const).map(areaOf)).toEqual([
      'offices',
      'projects',
      'cvs',
      'tags',
    ]);
  });
});
