import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { HEADER, line, person, type Row, type Yaml } from './company.js';
import { openStory, type Story } from './kit.js';

/** A row of HR, with the time of its last change and the roles that HR knows. */
export type BothRow = Row & { readonly modified?: string; readonly roles?: string };

export interface Both {
  readonly story: Story;
  /** Delivers a new HR file; each row says that it was changed now unless it sets another time. */
  deliver(...rows: readonly (readonly [id: string, row: BothRow])[]): void;
  /** The values written back to HR, file by file: record → column → text. */
  deliveries(): readonly Readonly<Record<string, Readonly<Record<string, string>>>>[];
  /** A time this many milliseconds from now, as ISO 8601. */
  at(ms: number): string;
}

export const PHONE_OF_SERVICE: Yaml = { value: 'record.?phone', authority: 'service', write_back: true };
export const PHONE_OF_NEWEST: Yaml = { value: 'record.?phone', authority: 'newest', write_back: true };

/** HR accepts the values of `fields`, which are written back by files in drop/to-hr. */
export async function openBoth(
  fields: { readonly [key: string]: Yaml },
  back: { readonly [key: string]: Yaml } = {},
): Promise<Both> {
  const story = await openStory();
  mkdirSync(join(story.folder, 'drop', 'to-hr'), { recursive: true });
  story.configure({
    sources: {
      hr: {
        columns: {
          modified: { type: 'datetime', optional: true },
          roles: { type: 'list', separator: ',', optional: true },
        },
        write_back: { drop: './drop/to-hr', ...back },
      },
    },
    users: { modified: 'record.?modified', fields },
    // This test is about who decides, not about the power of a role.
    guards: { users: { promote: 'off' } },
  });
  const at = (ms: number): string => new Date(story.clock.now() + ms).toISOString();
  return {
    story,
    at,
    deliver(...rows) {
      const lines = rows.map(
        ([id, { modified = at(0), roles = '', ...row }]) => `${line(person(id, row))};${modified};${roles}`,
      );
      story.deliverText(`${[`${HEADER};modified;roles`, ...lines].join('\n')}\n`);
    },
    deliveries: () => readDeliveries(join(story.folder, 'drop', 'to-hr')),
  };
}

export function readDeliveries(folder: string): ReturnType<Both['deliveries']> {
  return readdirSync(folder)
    .sort()
    .map((name) => {
      const [header = '', ...rows] = readFileSync(join(folder, name), 'utf8').trim().split(/\r?\n/);
      const [, ...columns] = header.split(';');
      return Object.fromEntries(
        rows.map((row) => {
          const [id = '', ...cells] = row.split(';');
          return [id, Object.fromEntries(columns.map((column, index) => [column, cells[index] ?? '']))];
        }),
      );
    });
}

/** Ids of the pending questions. */
export function questionsOf(ran: Awaited<ReturnType<Story['sync']>>): readonly string[] {
  return ran.json.conflicts.map(({ conflict }) => conflict ?? '');
}
