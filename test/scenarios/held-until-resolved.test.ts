import { renameSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { NamedHold } from '../../src/model/desired.js';
import { sweep } from '../depth.js';
import { CRM, HOUR, person, type Yaml } from './company.js';
import { openStory, type Story, summarise } from './kit.js';
import { onProject, openStaffing } from './staffing.js';

const DAM = { id: 'P1', customer: 'C1', name: 'Dam' };
const COMPANIES = [
  { id: 'C1', name: 'Fjord Power' },
  { id: 'C2', name: 'Harbour' },
];

/** Two customers, a project of one of them, and a person. */
async function openDeals(config: { readonly [key: string]: Yaml } = {}): Promise<Story> {
  const story = await openStory();
  story.configure(CRM);
  story.configure(config);
  story.deliver([person('E1')]);
  story.deliverCompanies(COMPANIES);
  story.deliverDeals([DAM]);
  expect((await story.sync()).code).toBe(0);
  return story;
}

async function openPeople(config: { readonly [key: string]: Yaml } = {}, rows = [person('E1')]): Promise<Story> {
  const story = await openStory();
  story.configure(config);
  story.deliver(rows);
  expect((await story.sync()).code).toBe(0);
  return story;
}

interface Case {
  readonly what: string;
  /** The holds, in the form of `summarise`. */
  readonly held: readonly string[];
  readonly code?: number;
  /** Opens a story at the delivery in which one thing is held and another changes. */
  readonly open: () => Promise<Story>;
}

const TITLE: Yaml = { title: { en: 'record.?title' } };

const CASES: readonly Case[] = [
  {
    what: 'a deal with another customer and a new name',
    held: ['P1 SYNC_CHANGE_BLOCKED'],
    async open() {
      const story = await openDeals();
      story.deliverDeals([{ ...DAM, customer: 'C2', name: 'Dam II' }]);
      return story;
    },
  },
  {
    what: 'a deal of an unknown customer and a new name',
    held: ['P1 SYNC_CHANGE_BLOCKED'],
    async open() {
      const story = await openDeals();
      story.deliverDeals([{ ...DAM, customer: 'C9', name: 'Dam II' }]);
      return story;
    },
  },
  {
    what: 'an unknown owner and a new name',
    held: ['P1 SYNC_REFERENCE_UNKNOWN'],
    async open() {
      const story = await openDeals();
      story.deliverDeals([{ ...DAM, name: 'Dam II', owners: ['e1@example.com', 'nobody@example.com'] }]);
      return story;
    },
  },
  {
    what: 'an unknown office and a new title',
    held: ['E1 SYNC_REFERENCE_UNKNOWN'],
    async open() {
      const story = await openPeople();
      story.deliver([person('E1', { office: 'Atlantis', title: 'Lead' })]);
      return story;
    },
  },
  {
    what: 'an unknown tag and a new title',
    held: ['E1 SYNC_REFERENCE_UNKNOWN'],
    async open() {
      const story = await openPeople({ users: { fields: { tags: { unit: 'record.?unit' } } } });
      story.deliver([person('E1', { unit: 'west', title: 'Lead' })]);
      return story;
    },
  },
  {
    what: 'a tag that cannot be cleared and a new title',
    held: ['E1 SYNC_CHANGE_BLOCKED'],
    async open() {
      const tags: Yaml = { unit: { value: 'record.?unit', when_empty: 'clear' } };
      const story = await openStory({ account: { user_tags_on_cvs: false } });
      story.configure({ users: { fields: { tags } } });
      story.deliver([person('E1', { unit: 'north' })]);
      await story.sync();
      story.deliver([person('E1', { title: 'Lead' })]);
      return story;
    },
  },
  {
    what: 'the e-mail of an administrator and a new title',
    held: ['E1 SYNC_ACCOUNT_PROTECTED'],
    code: 0,
    async open() {
      const story = await openPeople();
      await story.editUser('E1', { role: 'internationalmanager' });
      await story.sync({ full: true });
      story.deliver([person('E1', { email: 'other@example.com', title: 'Lead' })]);
      return story;
    },
  },
  {
    what: 'another phone on both sides and a new title',
    held: ['E1 SYNC_CONFLICT'],
    code: 3,
    async open() {
      const story = await openPeople(
        { conflicts: 'hold', users: { fields: { ...(TITLE as object), telephone: 'record.?phone' } } },
        [person('E1', { phone: '1' })],
      );
      await story.editUser('E1', { telephone: '2' });
      story.deliver([person('E1', { phone: '3', title: 'Lead' })]);
      return story;
    },
  },
  {
    what: 'drift that is only reported, and a new title',
    held: ['E1 SYNC_DRIFT_REPORTED'],
    code: 0,
    async open() {
      const story = await openPeople({ drift: 'report', users: { fields: { telephone: 'record.?phone' } } }, [
        person('E1', { phone: '1' }),
      ]);
      await story.editUser('E1', { telephone: '2' });
      story.deliver([person('E1', { phone: '1', title: 'Lead' })]);
      return story;
    },
  },
  {
    what: 'a copy instead of a hard link, and a role',
    held: ['p1/e1 SYNC_CHANGE_BLOCKED'],
    async open() {
      const { story, staffing } = await openStaffing();
      await story.sync();
      const { id } = (await story.others('GET', '/api/v1/users/find?external_unique_id=E1')) as { id: string };
      const dam = (await story.others('GET', '/api/v2/company/cv/projects/find?external_unique_id=P1')) as {
        id: string;
        company_customer_id: string;
      };
      const path = `/api/v2/company/cv/customers/${dam.company_customer_id}/projects/${dam.id}/consultants`;
      await story.others('POST', path, { user_ids: [id] });
      staffing([onProject('s1', 'E1', { role: 'Lead' })]);
      return story;
    },
  },
  {
    what: 'an unknown person on a project',
    held: ['p1/e9 SYNC_REFERENCE_UNKNOWN'],
    async open() {
      const { story, staffing } = await openStaffing();
      staffing([onProject('s1', 'E1'), onProject('s9', 'E9')]);
      return story;
    },
  },
];

/** The holds of a run, with their ids. */
function heldBy({
  json,
}: {
  json: { held: readonly NamedHold[]; conflicts: readonly unknown[] };
}): readonly NamedHold[] {
  return [...json.held, ...(json.conflicts as readonly NamedHold[])];
}

sweep.each(CASES)('keeps a hold in every run: $what', async ({ held, code = 4, open }) => {
  const story = await open();
  const first = await story.sync();
  expect([first.code, summarise(heldBy(first))]).toEqual([code, held]);
  const ids = heldBy(first).map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
  story.takeWrites();
  for (const full of [false, true]) {
    const again = await story.sync({ full });
    expect([again.code, summarise(heldBy(again))]).toEqual([code, held]);
    expect(heldBy(again).map(({ id }) => id)).toEqual(ids);
    const plan = await story.plan({ full });
    expect([plan.code, heldBy(plan).map(({ id }) => id)]).toEqual([code, ids]);
  }
  expect(story.takeWrites()).toEqual([]);
  const listed = JSON.parse((await story.type('holds', 'list', '--json')).stdout) as { holds: NamedHold[] };
  expect(listed.holds.map(({ id }) => id)).toEqual(ids);
});

const DAY = 24 * HOUR;

interface Listed {
  readonly holds: readonly NamedHold[];
}

async function type<T>(
  story: Story,
  ...words: readonly string[]
): Promise<{ readonly code: number; readonly json: T }> {
  const { code, stdout } = await story.type(...words, '--json');
  return { code, json: JSON.parse(stdout) as T };
}

const idOf = (ran: { json: { held: readonly NamedHold[] } }): string => ran.json.held[0]?.id ?? '';

async function openMoved(): Promise<Story> {
  const story = await openDeals();
  story.deliverDeals([{ ...DAM, customer: 'C2', name: 'Dam II' }]);
  return story;
}

describe('holds ack', () => {
  test('lists an acknowledged hold as such and does not end with 4, until something else is held', async () => {
    const story = await openMoved();
    const id = idOf(await story.sync());
    const acked = await type<{ until: string | null }>(story, 'holds', 'ack', id, '--reason', 'agreed with sales');
    expect(acked).toMatchObject({ code: 0, json: { acknowledged: id, reason: 'agreed with sales', until: null } });
    const known = { who: expect.any(String), reason: 'agreed with sales', until: null, at: expect.any(String) };
    expect((await type<Listed>(story, 'holds', 'list')).json.holds).toMatchObject([{ id, acknowledged: known }]);
    for (const full of [false, true]) {
      const ran = await story.sync({ full });
      expect(ran).toMatchObject({ code: 0, json: { held: [{ id, acknowledged: known }] } });
      expect(await story.plan()).toMatchObject({ code: 0, json: { held: [{ id, acknowledged: known }] } });
    }
    expect((await story.type('holds', 'list')).stdout).toContain('agreed with sales');
    expect((await story.type('audit', 'list')).stdout).toContain('hold acknowledged');

    // The same hold from a delivery with another name and line is the same question.
    story.deliverDeals([
      { id: 'P2', customer: 'C1', name: 'Tunnel' },
      { ...DAM, customer: 'C2', name: 'Dam III' },
    ]);
    expect(await story.sync()).toMatchObject({ code: 0, json: { done: 2, held: [{ id, acknowledged: known }] } });
    // Another customer is another question.
    story.deliverCompanies([...COMPANIES, { id: 'C3', name: 'Third' }]);
    story.deliverDeals([{ ...DAM, customer: 'C3', name: 'Dam III' }]);
    const other = await story.sync();
    expect(other.code).toBe(4);
    expect(other.json.held[0]).not.toHaveProperty('acknowledged');
    expect(idOf(other)).not.toBe(id);
  });

  sweep('ends an acknowledgement at its time', async () => {
    const story = await openMoved();
    const id = idOf(await story.sync());
    expect((await story.type('holds', 'ack', id.slice(0, 6), '--reason', 'known', '--until', '2d')).code).toBe(0);
    expect((await story.sync()).code).toBe(0);
    story.clock.advance(3 * DAY);
    expect((await story.sync()).code).toBe(4);
  });

  sweep('revokes an acknowledgement', async () => {
    const story = await openMoved();
    const id = idOf(await story.sync());
    await story.type('holds', 'ack', id, '--reason', 'known');
    expect((await story.sync()).code).toBe(0);
    expect(await type(story, 'holds', 'ack', id, '--revoke')).toMatchObject({ code: 0, json: { revoked: id } });
    expect((await story.sync()).code).toBe(4);
    expect((await story.type('holds', 'ack', id, '--revoke')).code).toBe(1);
    expect((await story.type('audit', 'list')).stdout).toContain('acknowledgement revoked');
  });

  sweep('ends an acknowledgement with its hold: the same hold later is new', async () => {
    const story = await openMoved();
    const id = idOf(await story.sync());
    await story.type('holds', 'ack', id, '--reason', 'known');
    story.deliverDeals([{ ...DAM, name: 'Dam II' }]);
    expect(await story.sync({ full: true })).toMatchObject({ code: 0, json: { held: [] } });
    story.deliverDeals([{ ...DAM, customer: 'C2', name: 'Dam II' }]);
    const again = await story.sync({ full: true });
    expect([again.code, idOf(again)]).toEqual([4, id]);
  });

  sweep('counts other holds next to an acknowledged one, and keeps it through a plan or a failed source', async () => {
    const story = await openMoved();
    const id = idOf(await story.sync());
    await story.type('holds', 'ack', id, '--reason', 'known');
    story.deliverDeals([
      { ...DAM, customer: 'C2', name: 'Dam II' },
      { id: 'P9', customer: 'C9', name: 'Nine' },
    ]);
    expect((await story.plan()).code).toBe(4);
    expect((await story.sync()).code).toBe(4);
    renameSync(join(story.folder, 'drop', 'crm'), join(story.folder, 'away'));
    expect((await story.sync({ full: true })).code).toBe(1);
    renameSync(join(story.folder, 'away'), join(story.folder, 'drop', 'crm'));
    story.deliverDeals([{ ...DAM, customer: 'C2', name: 'Dam II' }]);
    expect((await story.sync({ full: true })).code).toBe(0);
  });

  sweep('requires a reason, a time in the future and a known id', async () => {
    const story = await openMoved();
    const id = idOf(await story.sync());
    for (const words of [[id], [id, '--reason', 'x', '--until', '2020-01-01'], ['nothing', '--reason', 'x']])
      expect((await story.type('holds', 'ack', ...words)).code).toBe(1);
    expect((await story.sync()).code).toBe(4);
  });
});
