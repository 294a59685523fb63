import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { person } from './company.js';
import { openStory, type Story, summarise, UPDATE_USER } from './kit.js';

/**
 * Titles and numbers come from a second file, joined by HR's number. The mapping clears what that file no longer has.
 */
async function openPhoneBook(): Promise<Story> {
  const story = await openStory();
  story.configure({
    sources: {
      book: {
        type: 'csv',
        drop: './drop/book',
        pattern: 'book-*.csv',
        key: 'row',
        settle: '0s',
        columns: { row: 'string', number: 'string', job: 'string', phone: { type: 'string', optional: true } },
      },
    },
    users: {
      enrich: { book: { join: 'book.number == hr.id' } },
      fields: { title: { en: 'book.?job' }, telephone: { value: 'book.?phone', when_empty: 'clear' } },
    },
  });
  return story;
}

function deliverBook(story: Story, name: string, rows: readonly string[]): void {
  mkdirSync(join(story.folder, 'drop', 'book'), { recursive: true });
  writeFileSync(join(story.folder, 'drop', 'book', name), `row;number;job;phone\n${rows.join('\n')}\n`);
}

test('holds rows that share a join key and shows both places; their fields stay unchanged', async () => {
  const story = await openPhoneBook();
  deliverBook(story, 'book-1.csv', ['1;E1;Engineer;+47 1', '2;E2;Partner;+47 2']);
  story.deliver([person('E1'), person('E2')]);
  expect((await story.sync()).code).toBe(0);
  story.takeWrites();

  deliverBook(story, 'book-2.csv', ['1;E1;Lead;+47 9', '2;E2;Owner;+47 2', '3;E1;;']);
  story.deliver([person('E1', { last: 'Married' }), person('E2')]);
  const ran = await story.sync();
  expect(ran.code).toBe(4);
  expect(summarise(ran.json.held)).toEqual(['E1 SYNC_MATCH_AMBIGUOUS']);
  expect(ran.json.held[0]).toMatchObject({ entity: 'book' });
  expect(ran.json.held[0]?.place).toMatch(/book-2\.csv:2.*book-2\.csv:4/);
  expect(story.takeWrites()).toEqual([UPDATE_USER, UPDATE_USER]);
  expect(story.user('E1')).toMatchObject({ name: 'Person Married', title: { en: 'Engineer' }, telephone: '+47 1' });
  expect(story.user('E2').title).toEqual({ en: 'Owner' });
  await story.sync();
  expect(story.takeWrites()).toEqual([]);

  deliverBook(story, 'book-3.csv', ['1;E1;Lead;', '2;E2;Owner;+47 2']);
  expect((await story.sync()).code).toBe(0);
  expect(story.takeWrites()).toEqual([UPDATE_USER]);
  expect(story.user('E1').title).toEqual({ en: 'Lead' });
  expect(story.user('E1').telephone ?? '').toBe('');
});
