import { describe, expect, it } from 'vitest';
import { isFullReadDue, refreshMirror, refreshProjects } from '../../src/mirror/refresh.js';
import { createRefusedReads } from '../../src/mirror/refused-reads.js';
import { sweep } from '../depth.js';
import { ACCOUNT, readPlaces, readTags } from '../sandbox/open-sandbox.js';
import { change, crowd, idOf, openMirror } from './open-mirror.js';

describe('a full read', () => {
  it('reads the complete account, including deactivated people, with one call per list', async () => {
    const desk = await openMirror(ACCOUNT);
    expect(await refreshMirror(desk.context, false, createRefusedReads())).toEqual({
      users: 'full read',
      usersRead: 4,
    });
    expect(desk.mirror.counts('users')).toEqual({ all: 4, active: 3 });
    expect([
      desk.mirror.counts('offices').all,
      desk.mirror.counts('countries').all,
      desk.mirror.counts('tag_categories').all,
      desk.mirror.counts('tags').all,
      desk.mirror.counts('customers').all,
    ]).toEqual([3, 2, 2, 3, 1]);
    expect(desk.calls()).toEqual([
      '/api/v1/countries',
      '/api/v1/masterdata/custom_tags/custom_tag_category',
      '/api/v2/company/cv/customers',
      '/api/v2/users/search',
    ]);
  });

  it('is due without a cursor, and at its scheduled time', async () => {
    const desk = await openMirror(ACCOUNT);
    const { config, mirror } = desk.context;
    const at = (time: string) => ({ now: () => Date.parse(time), sleep: async () => undefined });
    expect(isFullReadDue(config, mirror, at('2026-11-20T08:00:00Z'))).toBe(true);
    mirror.setMark('users.full_read_at', '2026-11-20T08:00:00.000Z');
    expect(isFullReadDue(config, mirror, at('2026-11-20T08:01:00Z'))).toBe(true);
    mirror.setMark('users.cursor', '2026-11-20T08:00:00Z');
    // The schedule is `0 3 * * *` in UTC.
    expect(isFullReadDue(config, mirror, at('2026-11-21T02:59:59Z'))).toBe(false);
    expect(isFullReadDue(config, mirror, at('2026-11-21T03:00:00Z'))).toBe(true);
    // The clock was ahead at the last full read.
    expect(isFullReadDue(config, mirror, at('2026-11-20T07:00:00Z'))).toBe(true);
  });

  it('finds what the feed does not report: activation, roles and deletion', async () => {
    const users = (ACCOUNT.users ?? []).map((user, i) => ({
      ...user,
      profile_updated_at: `2026-11-0${i === 2 ? 2 : 1}T00:00:00Z`,
    }));
    const desk = await openMirror({ ...ACCOUNT, users });
    await refreshMirror(desk.context, true, createRefusedReads());
    const [anna, bjorn, ext] = [idOf(desk, 'E1'), idOf(desk, 'E2'), idOf(desk, 'E4')];
    await change(desk, anna, { deactivated: true });
    await change(desk, bjorn, { role: 'consultant', extra_roles: [] });
    expect((await desk.send('DELETE', `/api/v1/users/${ext}`)).status).toBe(204);
    expect((await refreshMirror(desk.context, false, createRefusedReads())).users).toBe('feed');
    expect([
      desk.mirror.get('users', anna)?.active,
      desk.mirror.get('users', bjorn)?.values.roles,
      desk.mirror.get('users', ext) === null,
    ]).toEqual([true, ['consultant', 'referencemanager'], false]);
    desk.calls();
    await refreshMirror(desk.context, true, createRefusedReads());
    expect([
      desk.mirror.get('users', anna)?.active,
      desk.mirror.get('users', bjorn)?.values.roles,
      desk.mirror.get('users', ext),
    ]).toEqual([false, ['consultant'], null]);
    expect(desk.calls().filter((path) => path.startsWith('/api/v1/users/'))).toEqual([`/api/v1/users/${ext}`]);
  });

  it('keeps a person who is missing from the list but still exists, after one lookup', async () => {
    const desk = await openMirror(ACCOUNT);
    await refreshMirror(desk.context, true, createRefusedReads());
    const anna = idOf(desk, 'E1');
    const [seen] = [...desk.mirror.all('users')].filter(({ id }) => id === anna);
    const search = desk.context.reader.users.search;
    const users = {
      ...desk.context.reader.users,
      async *search(...options: Parameters<typeof search>) {
        for await (const page of search(...options))
          yield { ...page, users: page.users.filter(({ id }) => id !== anna) };
      },
    };
    await change(desk, anna, { telephone: '7' });
    desk.calls();
    await refreshMirror({ ...desk.context, reader: { ...desk.context.reader, users } }, true, createRefusedReads());
    expect(desk.mirror.get('users', anna)).toEqual({
      ...seen,
      values: { ...seen?.values, telephone: '7' },
      hash: expect.any(String),
    });
    expect(desk.calls().filter((path) => path === `/api/v1/users/${anna}`).length).toBe(1);
  });

  it('keeps everyone and looks nobody up if more than 200 known people are missing', async () => {
    const desk = await openMirror(crowd(Array.from({ length: 202 }, () => '2026-11-01T00:00:00Z')));
    await refreshMirror(desk.context, true, createRefusedReads());
    const users = { ...desk.context.reader.users, search: async function* () {} };
    desk.calls();
    await refreshMirror({ ...desk.context, reader: { ...desk.context.reader, users } }, true, createRefusedReads());
    expect(desk.mirror.counts('users').all).toBe(202);
    expect(desk.calls().filter((path) => path.startsWith('/api/v1/users/'))).toEqual([]);
  });

  sweep('removes offices, tags and customers that no longer exist', async () => {
    const customers = [{ external_unique_id: 'C1', customer_name: { en: 'Fjord' } }];
    const desk = await openMirror({ ...ACCOUNT, users: [], customers });
    await refreshMirror(desk.context, true, createRefusedReads());
    const { bergen } = await readPlaces(desk.send);
    const { north, unit } = await readTags(desk.send);
    const [customer] = desk.mirror.findIds('customers', 'external_unique_id', 'c1');
    for (const path of [
      `/api/v1/countries/${bergen.country_id}/offices/${bergen.office_id}`,
      `/api/v1/masterdata/custom_tags/custom_tag/${north}?category_ids[]=${unit}`,
      `/api/v2/company/cv/customers/${customer}`,
    ]) {
      expect([path, (await desk.send('DELETE', path)).status]).toEqual([path, 204]);
    }
    await refreshMirror(desk.context, false, createRefusedReads());
    const { mirror } = desk;
    // Objects that only lists show are removed when a second read misses them too.
    expect([mirror.counts('offices').all, mirror.counts('tags').all]).toEqual([3, 3]);
    await refreshMirror(desk.context, false, createRefusedReads());
    expect([
      mirror.counts('customers').all,
      mirror.get('offices', bergen.office_id),
      mirror.get('tags', north),
    ]).toEqual([0, null, null]);
    expect([mirror.counts('offices').all, mirror.counts('tags').all]).toEqual([2, 2]);
  });
});

describe('the cursor after a full read', () => {
  it('is the newest timestamp, unchanged', async () => {
    const desk = await openMirror({
      ...crowd(['2026-11-01T00:00:00Z', '2026-11-03T00:00:00Z', '2026-11-02T00:00:00Z']),
      account: { ...ACCOUNT.account, stamp_suffix: '+00:00' },
    });
    await refreshMirror(desk.context, true, createRefusedReads());
    expect(desk.mirror.mark('users.cursor')).toBe('2026-11-03T00:00:00+00:00');
    expect((await refreshMirror(desk.context, false, createRefusedReads())).users).toBe('feed');
  });

  it('is not later than the start of the read, so that a change on an earlier page is read next', async () => {
    const desk = await openMirror(
      crowd([...Array.from({ length: 600 }, () => '2026-11-01T00:00:00Z'), '2026-11-02T00:00:00Z']),
    );
    // Between the two pages, after the first was read, one person of each page changes.
    await refreshMirror(desk.context, true, createRefusedReads());
    const byName = [...desk.mirror.all('users')].toSorted((a, b) => (a.label < b.label ? -1 : 1));
    const [first, last] = [byName.at(0)?.id ?? '', byName.at(-1)?.id ?? ''];
    let searches = 0;
    desk.beforeCall(async (path) => {
      if (!path.endsWith('/users/search') || ++searches !== 2) return;
      desk.sandbox.setClock(Date.parse('2026-11-20T09:00:00Z'));
      await change(desk, first, { telephone: '1' });
      desk.sandbox.setClock(Date.parse('2026-11-20T09:00:05Z'));
      await change(desk, last, { telephone: '2' });
    });
    await refreshMirror(desk.context, true, createRefusedReads());
    expect(searches).toBe(2);
    expect([
      desk.mirror.get('users', first)?.values.telephone,
      desk.mirror.get('users', last)?.values.telephone,
    ]).toEqual([null, '2']);
    expect(desk.mirror.mark('users.cursor')).toBe('2026-11-02T00:00:00Z');
    await refreshMirror(desk.context, false, createRefusedReads());
    expect(desk.mirror.get('users', first)?.values.telephone).toBe('1');
  });
});

describe('projects', () => {
  it('are read per customer, and removed when the customer no longer lists them', async () => {
    const desk = await openMirror(ACCOUNT);
    await refreshMirror(desk.context, true, createRefusedReads());
    const [customer = ''] = desk.mirror.findIds('customers', 'external_unique_id', 'c1');
    await refreshProjects(desk.context, [customer]);
    const [project = ''] = desk.mirror.findIds('projects', 'external_unique_id', 'p1');
    expect(desk.mirror.get('projects', project)?.values).toMatchObject({
      customer_id: customer,
      project_name: { en: 'Dam' },
      workflow_stage: 'live',
    });
    await desk.send('DELETE', `/api/v2/company/cv/customers/${customer}/projects/${project}`);
    await refreshProjects(desk.context, []);
    expect(desk.mirror.counts('projects').all).toBe(1);
    await refreshProjects(desk.context, [customer]);
    expect(desk.mirror.counts('projects').all).toBe(0);
  });
});
