import { describe, expect, test } from 'vitest';
import { IS_THOROUGH, oneIn, sweep } from '../depth.js';
import { HEADER, HOUR, line, merge, person, type Yaml } from './company.js';
import { CERTIFICATIONS, createStream, openCvStory, STREAMS, sectionsOf } from './cvs.js';
import { openStory, type Story, summarise } from './kit.js';

const PEOPLE = Array.from({ length: 30 }, (_, index) => {
  const id = `E${String(10_001 + index).slice(1)}`;
  return person(`E0${id.slice(1)}`, { first: `Åse${index}`, last: `Øyen${index}`, status: 'active' });
});
const [GONE, FIRST, SECOND] = ['E00005', 'E00013', 'E00014'];

type Lines = ReadonlyMap<string, string>;
type Damage = (lines: Lines) => readonly string[];

/** The lines of a delivery in which E00005 is really gone; the damage concerns others. */
function write(damage: Damage): string {
  const lines = new Map(PEOPLE.filter(({ id }) => id !== GONE).map((row) => [row.id ?? '', line(row)]));
  return `${[HEADER, ...damage(lines)].join('\n')}\n`;
}

function change(lines: Lines, key: string, edit: (text: string) => string | null): string[] {
  return [...lines].flatMap(([id, text]) => (id === key ? (edit(text) ?? []) : text));
}

async function openCompany(patch: Yaml = {}): Promise<Story> {
  const story = await openStory();
  story.configure(merge({ users: { leaver: { after_missing_reads: 3 } } }, patch) as { [key: string]: Yaml });
  story.deliver(PEOPLE);
  expect((await story.sync()).code).toBe(0);
  story.takeWrites();
  return story;
}

function listLeft(story: Story): string[] {
  return story
    .users()
    .filter(({ deactivated }) => deactivated)
    .map(({ external_unique_id }) => String(external_unique_id));
}

/** A missing newline: the second row continues the last cell of the first. */
const joined: Damage = (lines) => {
  const second = lines.get(SECOND) ?? '';
  return change(lines, FIRST, (text) => `${text.replace(/;+$/, (end) => end)}${second}`).filter(
    (text) => text !== second,
  );
};
const DAMAGES: Readonly<Record<string, Damage>> = {
  'a missing newline joins two rows': joined,
  'a mistyped key gives two rows of one person and none of another': (lines) =>
    change(lines, FIRST, (text) => text.replace(FIRST, 'E00015')),
  'a mistyped key in the second of the two rows': (lines) => [
    ...change(lines, FIRST, () => null),
    (lines.get(FIRST) ?? '').replace(FIRST, 'E00015'),
  ],
  'a mistyped key, in small letters and without accents': (lines) =>
    change(lines, FIRST, (text) => text.replace(FIRST, 'E00015').replace('Åse', 'aase').replace('Øyen', 'øyen')),
  'a quote that is closed ten rows later swallows them': (lines) => {
    const texts = [...lines.values()];
    const at = texts.findIndex((text) => text.startsWith(FIRST));
    // The quote opens before the last name of E00013 and closes after the last name ten rows later.
    const opened = (texts[at] ?? '').replace(';Øyen', ';"Øyen');
    const closed = (texts[at + 10] ?? '').replace(/(;Øyen\d+);/, '$1";');
    return [...texts.slice(0, at), opened, ...texts.slice(at + 1, at + 10), closed, ...texts.slice(at + 11)];
  },
  'too many fields, and a key that belongs to nobody else': (lines) =>
    change(lines, FIRST, (text) => `${text};x`.replace(FIRST, 'E0001E')),
};

describe.each(oneIn(2, Object.entries(DAMAGES)))('%s', (_, damage) => {
  test('nobody whom the rows name is deactivated, however many deliveries; who is really gone leaves', async () => {
    const story = await openCompany();
    for (let delivery = 1; delivery <= (IS_THOROUGH ? 5 : 3); delivery++) {
      story.clock.advance(12 * HOUR);
      story.deliverText(write(damage));
      const ran = await story.sync();
      expect(ran.code).toBe(4);
      expect(ran.json.held.length).toBeGreaterThan(0);
      expect(listLeft(story)).toEqual(delivery < 3 ? [] : [GONE]);
    }
    // An unread row does not count later either: the first undamaged delivery without E00014 is the first absence.
    story.deliverText(write((lines) => change(lines, SECOND, () => null)));
    expect((await story.sync()).code).toBe(0);
    expect(listLeft(story)).toEqual([GONE]);
  });
});

sweep('counts no absence in a read with a quote that is never closed', async () => {
  const story = await openCompany();
  for (let delivery = 1; delivery <= 3; delivery++) {
    story.deliverText(write((lines) => change(lines, FIRST, (text) => text.replace(';Øyen', ';"Øyen'))));
    expect((await story.sync()).code).toBe(4);
    expect(listLeft(story)).toEqual([]);
  }
});

sweep('explains why a missing person does not count as absent', async () => {
  const story = await openCompany();
  story.deliverText(write(joined));
  const ran = await story.explain('user', SECOND);
  expect(JSON.stringify(ran.json)).toContain('"named_in":"hr employees-02.csv:13"');
});

sweep('does not treat separators at the end of a row as damage', async () => {
  const story = await openCompany();
  story.deliverText(
    write((lines) => [...lines.values()].map((text, index) => (index % 2 === 0 ? text : `${text};; ;`))),
  );
  const ran = await story.sync();
  expect(ran).toMatchObject({ code: 0, json: { held: [], counts: {} } });
});

sweep('holds the person of a truncated row, while the others may leave', async () => {
  const story = await openCompany({ users: { leaver: { after_missing_reads: 1 } } });
  story.deliverText(write((lines) => change(lines, FIRST, (text) => text.split(';').slice(0, 3).join(';'))));
  const ran = await story.sync();
  expect(summarise(ran.json.held)).toEqual([`${FIRST} SYNC_ROW_FIELDS`]);
  expect(listLeft(story)).toEqual([GONE]);
});

sweep('looks for a short key only as an entire cell: the 7 of a date names nobody', async () => {
  const story = await openStory();
  const rows = ['1', '7', '12', '13'].map((id) =>
    person(id, { first: 'A', last: `B${id}x`, email: `p${id}@example.com` }),
  );
  story.deliver(rows);
  await story.sync();
  const [one, , twelve, thirteen] = rows.map(line);
  // 7 is gone. The damaged row of 12 has a 7 in its title; the row of 13 continues the one before.
  story.deliverText(`${[HEADER, one, `${twelve?.replace(';;', ';room 7 of 2027-01-07;')};x`, thirteen].join('\n')}\n`);
  await story.sync();
  expect(listLeft(story)).toEqual(['7']);
});

sweep('keeps the CV entries behind two rows with one id, and deletes one that is really gone', async () => {
  const people = ['E1', 'E2', 'E3'];
  const place = { country: 'no', office: 'Oslo' };
  const users = people.map((id) => ({
    ...place,
    email: `${id}@example.com`,
    external_unique_id: id,
    name: `Person ${id}`,
  }));
  const story = await openCvStory({ users });
  story.configure(merge(STREAMS, CERTIFICATIONS) as typeof STREAMS);
  story.configure({ cv_sections: { certifications: { remove: { after_missing_reads: 1 } } } });
  const certificates = createStream(story, 'certificates');
  story.deliver(people.map((id) => person(id)));
  const [one, two, three] = people.map((id, index) => ({ id: `K${index}`, person: id, name: `Course ${index}` }));
  certificates([one ?? null, two ?? null, three ?? null]);
  await story.sync();
  const left = (): string[] =>
    people.flatMap((id) =>
      sectionsOf(story, id, 'certifications').map(({ external_unique_id }) => String(external_unique_id)),
    );
  expect(left()).toEqual(['K0', 'K1', 'K2']);
  certificates([one ?? null, { ...two, id: 'K0' }]);
  const ran = await story.sync();
  expect(summarise(ran.json.held)).toEqual(['K0 SYNC_MAP_DUPLICATE_KEY']);
  expect(left()).toEqual(['K0', 'K1']);
});
