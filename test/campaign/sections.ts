import {
  type FieldKind,
  SECTION_TYPES,
  SECTIONS as SECTIONS_OF_CVS,
  type SectionType,
} from '../../src/model/sections.js';
import type { Yaml } from '../scenarios/company.js';
import { cvPath, type SectionState } from '../scenarios/cvs.js';
import type { Story } from '../scenarios/kit.js';
import type { Cells, Edit, Hand, Rows, Tables } from './history.js';
import { type Facts, keepFlag, keepText, type Moment, type Part, type State, text } from './part.js';
import { NO_LIMITS } from './people.js';
import type { Random } from './random.js';
import { deliverStream } from './streams.js';
import { randomValue } from './values.js';
import { word } from './words.js';

/** Each kind's own fields, except the flag of a technology. The first field is never empty. */
const KINDS = Object.fromEntries(
  Object.entries(SECTIONS_OF_CVS).map(([kind, { fields }]) => [
    kind,
    Object.entries<FieldKind>(fields).filter(([, shape]) => shape !== 'flag'),
  ]),
) as unknown as Readonly<Record<SectionType, readonly (readonly [name: string, shape: FieldKind])[]>>;
const ALL_FIELDS = [...new Set(SECTION_TYPES.flatMap((kind) => KINDS[kind].map(([name]) => name)))];
/** `yes`, `no`, or the service's value. */
function flagsOf(kind: SectionType): readonly string[] {
  return ['starred', 'disabled', ...(kind === 'technologies' ? ['uncategorized'] : [])];
}
/** The service renumbers project experiences itself whenever a person is linked to a project. */
function hasOrder(kind: SectionType): boolean {
  return kind !== 'project_experiences';
}
const ORDERS = ['1', '2', '2', '7', '-3'];
const COLUMNS = [...ALL_FIELDS, ...flagsOf('technologies')];

function edit(random: Random, { sections, people }: Tables, fresh: () => number): Edit | null {
  const table = 'sections';
  const number = fresh();
  const keys = [...sections.keys()];
  if (keys.length < 6 || random.chance(0.3)) {
    const kind = random.pick(SECTION_TYPES);
    const [[first] = [''], ...others] = KINDS[kind];
    const cells = {
      ...Object.fromEntries(others.map(([name]) => [name, random.chance(0.5) ? '' : randomValue(random, name)])),
      ...Object.fromEntries(flagsOf(kind).map((flag) => [flag, random.pick(['', 'yes', 'no'])])),
      ...(hasOrder(kind) ? { order: random.pick(ORDERS) } : {}),
      [first]: word(number),
    };
    return {
      do: 'add',
      table,
      key: `K${number}`,
      cells: { ...cells, kind, person: random.pick([...people.keys()]), gone: '' },
    };
  }
  const key = random.pick(keys);
  const kind = text(sections.get(key) ?? {}, 'kind') as SectionType;
  const [[first] = [''], ...others] = KINDS[kind];
  const more = others.map(([name]): Cells => ({ [name]: random.chance(0.2) ? '' : randomValue(random, name) }));
  const cells = random.pick<Cells>([
    { [first]: word(number) },
    // A technology has no other field.
    ...(more.length === 0 ? [] : [random.pick(more)]),
    { [random.pick(flagsOf(kind))]: random.pick(['', 'yes', 'no']) },
    ...(hasOrder(kind) ? [{ order: random.pick(ORDERS) }] : []),
    { gone: random.pick(['yes', '']) },
  ]);
  return { do: 'set', table, key, cells };
}

/** A colleague edits a section that the source created. */
function hand(random: Random, { sections }: Tables): Hand | null {
  if (sections.size === 0) return null;
  const key = random.pick([...sections.keys()]);
  const kind = text(sections.get(key) ?? {}, 'kind') as SectionType;
  const [name, shape] = random.pick(KINDS[kind]);
  const fields = random.pick<Hand['fields']>([
    { [name]: shape === 'text' ? randomValue(random, name) : 'By hand' },
    { [random.pick(flagsOf(kind))]: random.chance(0.5) },
    ...(hasOrder(kind) ? [{ order: 5 }] : []),
  ]);
  return { of: 'section', key, fields };
}

async function doByHand(story: Story, { key, fields }: Hand, { person, kind }: Facts): Promise<void> {
  const path = await cvPath(story, String(person));
  const type = kind as SectionType;
  const cv = (await story.others('GET', `${path}?use_legacy_codes=false`)) as Readonly<
    Record<SectionType, readonly Shown[]>
  >;
  const section = cv[type].find(({ external_unique_id: id }) => id === key);
  const shapes = new Map(KINDS[type]);
  await story.others('PUT', `${path}/${type}/${section?._id}?use_legacy_codes=false`, {
    [SECTIONS_OF_CVS[type].wrapper]: {
      version: section?.version,
      ...Object.fromEntries(
        Object.entries(fields).map(([name, value]) => [
          name,
          shapes.get(name) === 'multilingual' ? { en: value } : value,
        ]),
      ),
    },
  });
}

interface Shown {
  readonly _id: string;
  readonly version: number;
  readonly external_unique_id: string | null;
}

/**
 * True if a run works on the person's CV in this round. CVs of leavers stay unchanged; a returning person gets
 * everything
 * together.
 */
export function hasCv(person: string, { after }: Pick<Moment, 'after'>): boolean {
  return after.get(`user ${person}`)?.deactivated === false;
}

/**
 * True if streams of CV contents may name the person: also one who has left or was deleted, without any effect. A
 * person about
 * to leave would still be affected as long as a guard holds that.
 */
export function mayBeNamed(person: string, moment: Omit<Moment, 'rows'>): boolean {
  const isOut = moment.before.get(`user ${person}`)?.deactivated !== false;
  return hasCv(person, moment) || (isOut && moment.known.has(person));
}

function select(rows: Rows, moment: Omit<Moment, 'rows'>): Rows {
  return new Map([...rows].filter(([, cells]) => mayBeNamed(text(cells, 'person'), moment)));
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
              ...{ id: 'string', kind: 'string', person: optional, gone: optional },
              ...Object.fromEntries(COLUMNS.map((name) => [name, optional])),
              order: { type: 'int', optional: true },
            },
          },
        },
      },
    },
    cv_sections: Object.fromEntries(
      SECTION_TYPES.map((kind) => [
        kind,
        {
          from: ['cv.sections'],
          scope: `record.kind == "${kind}"`,
          fields: {
            user: 'record.?person',
            external_unique_id: 'record.id',
            ...Object.fromEntries(
              KINDS[kind].map(([name, shape]) => [
                name,
                shape === 'text' ? `record.?${name}` : { en: `record.?${name}` },
              ]),
            ),
            ...Object.fromEntries(flagsOf(kind).map((flag) => [flag, `record.?${flag}.optMap(t, t == "yes")`])),
            ...(hasOrder(kind) ? { order: 'record.?order' } : {}),
          },
          remove: { when: 'record.?gone.orValue("") == "yes"', after_missing_reads: 0 },
        },
      ]),
    ),
    guards: Object.fromEntries(SECTION_TYPES.map((kind) => [kind, NO_LIMITS])),
  };
}

interface FullUser {
  readonly external_unique_id: string | null;
  readonly cv?: { readonly sections: Readonly<Record<string, readonly SectionState[] | undefined>> };
}

function describe(state: State): readonly (readonly [string, Facts])[] {
  return (state.users as readonly FullUser[]).flatMap((user) =>
    SECTION_TYPES.flatMap((kind) =>
      (user.cv?.sections[kind] ?? []).flatMap((section): readonly (readonly [string, Facts])[] =>
        // A section from a project is staffing.
        section.project === null ? [[`section ${section.external_unique_id}`, describeOne(kind, user, section)]] : [],
      ),
    ),
  );
}

function describeOne(kind: SectionType, user: FullUser, { texts, strings, ...section }: SectionState): Facts {
  const { order, ...flags } = section as unknown as Readonly<Record<string, Yaml>>;
  return {
    ...Object.fromEntries(
      // A removed text is blank (docs/reference/entities.md).
      KINDS[kind].map(([name, shape]) => [name, shape === 'text' ? (strings[name] ?? null) : texts[name]?.en || null]),
    ),
    ...Object.fromEntries(flagsOf(kind).map((flag) => [flag, flags[flag] ?? null])),
    ...(hasOrder(kind) ? { order: order ?? null } : {}),
    ...{ kind, person: user.external_unique_id },
  };
}

function expectSection(cells: Cells, now: Facts | undefined): Facts {
  const kind = text(cells, 'kind') as SectionType;
  return {
    ...Object.fromEntries(KINDS[kind].map(([name]) => [name, keepText(cells, name, now?.[name])])),
    ...Object.fromEntries(flagsOf(kind).map((flag) => [flag, keepFlag(text(cells, flag), now?.[flag])])),
    ...(hasOrder(kind) ? { order: Number(text(cells, 'order')) } : {}),
    kind,
    person: text(cells, 'person'),
  };
}

function toRow([id, cells]: readonly [string, Cells]): Yaml {
  return { id, ...cells, order: text(cells, 'order') === '' ? null : Number(text(cells, 'order')) };
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
    deliverStream(story, 'cv', 'sections', [other, ...[...rows].map(toRow)]);
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
        next.set(name, expectSection(cells, next.get(name)));
      }
      return next;
    },
  }),
  describe,
  countWrites: () => 1,
};
