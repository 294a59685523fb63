import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { createRandom, type Random } from '../campaign/random.js';
import { closeAfterTest } from '../closing.js';
import type { Fault } from '../connectors/crm/imitations/vendor-server.js';
import {
  type Colleague,
  colleague,
  type HrSystem,
  type ListedSystemOfPeople,
  SYSTEMS,
} from '../connectors/hris/systems.js';
import { oneIn } from '../depth.js';
import type { Yaml } from './company.js';
import { openStory, type Story } from './kit.js';

const DAY = 24 * 3_600_000;
const FIRST = 24;
const RUNS = 8;

interface Month {
  readonly story: Story;
  readonly system: HrSystem;
  readonly listed: ListedSystemOfPeople;
  readonly random: Random;
  readonly staff: Map<string, Colleague>;
  readonly hidden: Set<string>;
  readonly erased: Set<string>;
  /** People whom an earlier run deactivated rightly. */
  readonly closed: Set<string>;
}

async function openMonth(listed: ListedSystemOfPeople, seed: number): Promise<Month> {
  const story = await openStory();
  const system = await listed.open(() => story.clock.now(), { page: 10 });
  closeAfterTest(system.server);
  Object.assign(story.env, system.env);
  const source = parse(`{ type: hris, preset: ${system.preset}, ${system.rest} }`) as { readonly [key: string]: Yaml };
  story.configure({
    sources: { people: { ...source, base_url: `${system.server.url}${system.path}` } },
    users: {
      existence: 'people',
      leaver: { when: system.leaver, after_missing_reads: 1 },
      joiner: { start: 'record.?start_date', lead: '0d' },
      fields: {
        external_unique_id: 'record.id',
        email: 'record.?email.orValue("").lowerAscii()',
        name: 'record.?first_name.orValue("") + " " + record.?last_name.orValue("")',
        office: { country: 'record.?country.orValue("").lowerAscii()', name: 'record.?office' },
        title: { en: 'record.?title' },
      },
    },
  });
  const month: Month = {
    ...{ story, system, listed, random: createRandom(seed) },
    ...{ staff: new Map(), hidden: new Set(), erased: new Set(), closed: new Set() },
  };
  for (let number = 1; number <= FIRST; number++) hire(month, colleague(number));
  return month;
}

function hire({ system, staff }: Month, person: Colleague): void {
  staff.set(person.id, person);
  system.hire(person);
}

function edit({ system, staff }: Month, person: Colleague, changes: Partial<Colleague>): void {
  staff.set(person.id, { ...person, ...changes });
  system.edit(person.id, changes);
}

const dayOf = ({ story }: Month, days: number): string =>
  new Date(story.clock.now() + days * DAY).toISOString().slice(0, 10);

/** HR's events of a month, each of which once led somewhere to a wrong leaver. */
const EVENTS: readonly ((month: Month, person: Colleague) => void)[] = [
  (month, person) => edit(month, person, { title: month.random.pick(['Manager', 'Partner', 'Adviser']) }),
  (month, person) => edit(month, person, { office: month.random.pick(['Oslo', 'Bergen']) }),
  (month, person) => edit(month, person, { email: `new.${person.id}@example.com` }),
  (month) => hire(month, colleague(month.staff.size + 1, { start: dayOf(month, month.random.below(9)) })),
  (month, person) => edit(month, person, { end: dayOf(month, month.random.below(12) - 2) }),
  (month, person) => edit(month, person, { end: null }),
  ({ system }, person) => system.suspend(person.id),
  ({ system, hidden }, person) => {
    hidden.add(person.id);
    system.hide(person.id);
  },
  ({ system, hidden }) => {
    for (const id of hidden) system.show(id);
    hidden.clear();
  },
  ({ system, erased, hidden, random }, person) => {
    if (hidden.has(person.id) || !random.chance(0.3)) return;
    erased.add(person.id);
    system.erase(person.id);
  },
];
const FAULTS: readonly Fault[] = [429, 503, 'reset', 'truncated', 'html'];

function live(month: Month): void {
  const { random, staff, erased, system } = month;
  for (let events = 0; events < 4; events++) {
    const there = [...staff.values()].filter(({ id }) => !erased.has(id));
    random.pick(EVENTS)(month, random.pick(there));
  }
  system.server.faults.length = 0;
  if (!random.chance(0.5)) return;
  const skipped = random.below(4);
  let calls = 0;
  system.server.failNext(random.pick(FAULTS), Object.assign(/./, { test: () => calls++ === skipped }));
}

/** A person may be deactivated only if HR said so. If a read has shown a person, the account must match HR. */
function check(month: Month, isRead: boolean): void {
  const { story, staff, hidden, erased, closed, listed } = month;
  const today = dayOf(month, 0);
  for (const { external_unique_id: id, deactivated, title } of story.users()) {
    const person = staff.get(id ?? '');
    if (person === undefined) throw new Error(`${id} is nobody of HR's`);
    const hasLeft = person.end !== null && person.end < today;
    const isGone = erased.has(person.id) && listed.provesErasure;
    if (deactivated) {
      // HR may have removed the last day again before a run could see it.
      expect([person.id, hasLeft || isGone || closed.has(person.id)]).toEqual([person.id, true]);
      closed.add(person.id);
    }
    if (!isRead || hidden.has(person.id) || erased.has(person.id)) continue;
    expect([person.id, deactivated]).toEqual([person.id, hasLeft]);
    if (!hasLeft) expect([person.id, title.en]).toEqual([person.id, person.title]);
  }
}

const SEEDS = Array.from({ length: 40 }, (_, seed) => seed + 1);

describe.each(oneIn(1, SYSTEMS))('a month in %s', (_, listed) => {
  test.each(oneIn(10, SEEDS))('deactivates everyone who has left, and nobody else (%i)', async (seed) => {
    const month = await openMonth(listed, seed);
    const { story, system, random } = month;
    for (let run = 0; run < RUNS; run++) {
      if (run > 0) live(month);
      const before = system.server.requests.length;
      const { json, code } = await story.sync();
      const isRead = (json.errors ?? []).length === 0 && code !== 3;
      if (isRead) expect(json.guards).toEqual([]);
      check(month, isRead);
      expect(system.server.requests.length - before).toBeLessThan(30);
      // Some runs follow within a day, so they ask only for changes.
      story.clock.advance(random.pick([0.1, 0.5, 2, 5]) * DAY);
    }
    system.server.faults.length = 0;
    await story.sync();
    check(month, true);
    expect(story.users().filter(({ deactivated }) => deactivated).length).toBeLessThan(month.staff.size / 2);
  });
});
