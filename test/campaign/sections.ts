import type { Yaml } from '../scenarios/company.js';
import { cvPath, type SectionState } from '../scenarios/cvs.js';
import type { Story } from '../scenarios/kit.js';
import type { Cells, Edit, Hand, Rows, Tables } from './history.js';
import { type Facts, keepText, type Moment, type Part, type State, text } from './part.js';
import type { Random } from './random.js';
import { deliverStream } from './streams.js';
import { word } from './words.js';

/** Kinds of section: the two texts and the year that each has. */
const KINDS = {
  certifications: { one: 'name', two: 'organiser', year: 'year' },
  educations: { one: 'school', two: 'degree', year: 'year_from' },
  positions: { one: 'name', two: 'description', year: 'year_from' },
} as const;
type Kind = keyof typeof KINDS;
const NAMES = Object.keys(KINDS) as readonly Kind[];

function edit(random: Random, { sections, people }: Tables, fresh: () => number): Edit | null {
  const table = 'sections';
  const number = fresh();
  const keys = [...sections.keys()];
  if (keys.length < 4 || random.chance(0.25)) {
    const cells = {
      kind: random.pick(NAMES),
      person: random.pick([...people.keys()]),
      one: word(number),
      two: random.pick(['', 'Oslo', 'Rome']),
      year: random.pick(['', '1999', '2020']),
      gone: '',
    };
    return { do: 'add', table, key: `K${number}`, cells };
  }
  const key = random.pick(keys);
  const cells = random.pick<Cells>([
    { one: word(number) },
    { two: random.pick(['', 'Bonn', 'Bern']) },
    { year: random.pick(['2001', '2002']) },
    { gone: random.pick(['yes', '']) },
  ]);
  return { do: 'set', table, key, cells };
}

/** A colleague works on a section that the source has made. */
function hand(random: Random, { sections }: Tables): Hand | null {
  if (sections.size === 0) return null;
  const fields = random.pick<Facts>([{ one: 'By hand' }, { two: 'By hand' }, { year: '1990' }]);
  return { of: 'section', key: random.pick([...sections.keys()]), fields };
}

async function doByHand(story: Story, { key, fields }: Hand, { person, kind }: Facts): Promise<void> {
  const path = await cvPath(story, String(person));
  const names = KINDS[kind as Kind];
  const cv = (await story.others('GET', `${path}?use_legacy_codes=false`)) as Readonly<Record<Kind, readonly Shown[]>>;
  const section = cv[kind as Kind].find(({ external_unique_id: id }) => id === key);
  const { one, two, year } = fields;
  await story.others('PUT', `${path}/${kind}/${section?._id}?use_legacy_codes=false`, {
    [String(kind).slice(0, -1)]: {
      version: section?.version,
      ...(one === undefined ? {} : { [names.one]: { en: one } }),
      ...(two === undefined ? {} : { [names.two]: { en: two } }),
      ...(year === undefined ? {} : { [names.year]: year }),
    },
  });
}

interface Shown {
  readonly _id: string;
  readonly version: number;
  readonly external_unique_id: string | null;
}

/** Whose CV is worked on in this round: those of people who have left are left as they are. */
export function hasCv(person: string, { before, after }: Omit<Moment, 'rows'>): boolean {
  const name = `user ${person}`;
  return before.get(name)?.deactivated !== true && after.get(name)?.deactivated === false;
}

function select(rows: Rows, moment: Omit<Moment, 'rows'>): Rows {
  return new Map([...rows].filter(([, cells]) => hasCv(text(cells, 'person'), moment)));
}

function config(): { readonly [key: string]: Yaml } {
  const optional = { type: 'string', optional: true };
  return {
    sources: {
      cv: {
        type: 'crm',
        drop: './drop/cv',
        streams: {
          sections: {
            pattern: 'sections-*.json',
            key: 'id',
            settle: '0s',
            columns: {
              ...{ id: 'string', kind: 'string', person: optional, one: optional },
              ...{ two: optional, year: optional, gone: optional },
            },
          },
        },
      },
    },
    cv_sections: Object.fromEntries(
      NAMES.map((kind) => [
        kind,
        {
          from: ['cv.sections'],
          scope: `record.kind == "${kind}"`,
          fields: {
            user: 'record.?person',
            external_unique_id: 'record.id',
            [KINDS[kind].one]: { en: 'record.?one' },
            [KINDS[kind].two]: { en: 'record.?two' },
            [KINDS[kind].year]: 'record.?year',
          },
          remove: { when: 'record.?gone.orValue("") == "yes"', after_missing_reads: 0 },
        },
      ]),
    ),
  };
}

interface FullUser {
  readonly external_unique_id: string | null;
  readonly cv?: { readonly sections: Readonly<Record<string, readonly SectionState[] | undefined>> };
}

function describe(state: State): readonly (readonly [string, Facts])[] {
  return (state.users as readonly FullUser[]).flatMap((user) =>
    NAMES.flatMap((kind) =>
      (user.cv?.sections[kind] ?? []).map(({ external_unique_id: id, texts, strings }): readonly [string, Facts] => [
        `section ${id}`,
        {
          kind,
          person: user.external_unique_id,
          one: texts[KINDS[kind].one]?.en || null,
          // A text that is taken back is blank (docs/entities.md).
          two: texts[KINDS[kind].two]?.en || null,
          year: strings[KINDS[kind].year] ?? null,
        },
      ]),
    ),
  );
}

export const SECTIONS: Part = {
  of: 'section',
  table: 'sections',
  source: 'cv',
  config,
  edit,
  hand,
  doByHand,
  select,
  deliver(story, rows) {
    // A stream without any rows says nothing.
    const other = { id: 'K0', kind: 'other' };
    deliverStream(story, 'cv', 'sections', [other, ...[...rows].map(([id, cells]) => ({ id, ...cells }))]);
  },
  createReference: () => ({
    expect(moment) {
      const next = new Map(moment.after);
      for (const [key, cells] of moment.rows) {
        const name = `section ${key}`;
        if (!hasCv(text(cells, 'person'), moment)) continue;
        if (text(cells, 'gone') === 'yes') {
          next.delete(name);
          continue;
        }
        const now = next.get(name);
        next.set(name, {
          kind: text(cells, 'kind'),
          person: text(cells, 'person'),
          one: text(cells, 'one'),
          two: keepText(cells, 'two', now?.two),
          year: keepText(cells, 'year', now?.year),
        });
      }
      return next;
    },
  }),
  describe,
  countWrites: () => 1,
};
