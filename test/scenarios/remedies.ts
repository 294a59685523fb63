import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { nameGuardKind } from '../../src/model/held-source.js';
import { oneIn } from '../depth.js';
import { PHONE_OF_SERVICE } from './both.js';
import { HOUR, person, type Row, type Yaml } from './company.js';
import { openStory, type Story } from './kit.js';

/** Actions of people: in the source, the service or the configuration. */
export type Step = (story: Story) => unknown;

export interface Situation {
  /** Another company than ten people in an HR file. */
  readonly open?: () => Promise<Story>;
  readonly settings?: { readonly [key: string]: Yaml };
  /** The first delivery. */
  readonly first?: Step;
  /** Causes the situation, once the first delivery was used. */
  readonly begin: Step;
  /** The command that shows it, if a run would end it by itself. */
  readonly look?: 'plan' | 'sync';
  /** The pending item: a code, a kind, or the name of a guard. */
  readonly waits: string;
  /** The printed remedy, without its varying parts. */
  readonly remedy: RegExp;
  /**
   * The start of the printed command. It is typed as printed, for every such item; several are typed one by one. A
   * function runs instead.
   */
  readonly follow: string | readonly string[] | Step;
  /** Ids listed afterwards because they are another question. */
  readonly leaves?: readonly string[];
}

export const jane = person('E1', { first: 'Jane', last: 'Doe', email: 'jane@example.com' });
export const staff: readonly Row[] = [jane, ...Array.from({ length: 9 }, (_, at) => person(`E${at + 2}`))];
export const edit = (id: string, more: Row): readonly Row[] =>
  staff.map((row) => (row.id === id ? { ...row, ...more } : row));
export const deliver =
  (rows: readonly Row[]): Step =>
  (story) => {
    story.clock.advance(12 * HOUR);
    return story.deliver(rows);
  };

/** HR accepts telephone numbers, which are written back by files in drop/to-hr. */
export async function openBothWays(back: { readonly [key: string]: Yaml } = {}): Promise<Story> {
  const story = await openStory();
  mkdirSync(join(story.folder, 'drop', 'to-hr'), { recursive: true });
  story.configure({
    sources: { hr: { write_back: { drop: './drop/to-hr', ...back } } },
    users: { fields: { telephone: PHONE_OF_SERVICE } },
  });
  return story;
}

interface Waiting {
  readonly id: string;
  readonly of: string;
  readonly kind: string;
  readonly code: string | null;
  readonly resolve: string;
  readonly acknowledged?: object;
}

/** The items that a person still has to answer, by code, guard or kind. */
async function listWaiting(story: Story): Promise<readonly (readonly [name: string, resolve: string])[]> {
  const waiting = (await story.status()).json.waiting as unknown as readonly Waiting[];
  return waiting
    .filter(({ acknowledged }) => acknowledged === undefined)
    .map(({ code, kind, of, resolve }) => {
      const isGuard = kind === 'guard' || kind === 'source';
      return [code ?? (isGuard ? nameGuardKind(of) : kind), resolve];
    });
}

/** Types the command of the remedy with that start, as a shell reads it. */
export async function type(story: Story, remedy: string, start: string): Promise<void> {
  const printed = [...remedy.matchAll(/`talent-sync ([^`]+)`/g)].map(([, command = '']) => command);
  const command = printed.find((one) => one.startsWith(start)) ?? '';
  expect(command, remedy).toContain(start);
  const words = [...command.replace('…', 'asked HR').matchAll(/'([^']*)'|"([^"]*)"|\S+/g)];
  const typed = await story.type(...words.map(([whole, single, double]) => single ?? double ?? whole));
  expect([typed.code, typed.stderr], command).toEqual([0, '']);
}

async function openCompany({ open = openStory, settings = {}, first = deliver(staff) }: Situation): Promise<Story> {
  const story = await open();
  story.configure({ users: { leaver: { after_missing_reads: 3 } } });
  story.configure(settings);
  await first(story);
  return story;
}

/** Follows each remedy to its end: the item is gone, and no other has replaced it. */
export function followRemedies(situations: Readonly<Record<string, Situation>>): void {
  test.each(oneIn(8, Object.entries(situations)))('follows the printed remedy to the end: %s', async (_, situation) => {
    const { begin, look = 'sync', waits, remedy, follow, leaves = [] } = situation;
    const story = await openCompany(situation);
    await story.sync();
    await begin(story);
    await story[look]();
    const waiting = await listWaiting(story);
    const found = waiting.filter(([name]) => name === waits);
    expect(found[0]?.[1] ?? '', JSON.stringify(waiting)).toMatch(remedy);
    if (typeof follow === 'function') await follow(story);
    else for (const [, resolve] of found) for (const start of [follow].flat()) await type(story, resolve, start);
    await story.sync();
    expect((await listWaiting(story)).map(([name]) => name)).not.toContain(waits);
    await story.sync();
    expect((await listWaiting(story)).map(([name]) => name)).toEqual(leaves);
  });
}
