import type { Yaml } from '../scenarios/company.js';
import type { UserState } from '../scenarios/documents.js';
import type { Story } from '../scenarios/kit.js';
import { countMoves } from './customers.js';
import { createPeopleReference } from './expect-people.js';
import { doByHand } from './hands-on-people.js';
import type { Edit, Hand, Rows, Settings, Tables } from './history.js';
import { BOARD, isUnusable, NO_YEAR } from './in-use.js';
import { differs, type Facts, type Holding, listOf, type Part, type State, text } from './part.js';
import type { Random } from './random.js';
import { readFiles, showTold } from './told.js';
import { word } from './words.js';

const COLUMNS = [
  ...['id', 'name', 'email', 'place', 'title', 'title_no', 'phone', 'born', 'unit', 'grade', 'role'],
  ...['scope', 'nick', 'home', 'skills', 'status', 'talent_id', 'swedish'],
] as const;
type Column = (typeof COLUMNS)[number];

/** The possible contents of a cell, in addition to an empty one. */
const VALUES: Readonly<Partial<Record<Column, readonly string[]>>> = {
  place: ['no/Oslo', 'no/Bergen', 'se/Stockholm'],
  title: ['Lead', 'Advisor', 'Partner'],
  title_no: ['Leder', 'Rådgiver'],
  phone: ['+47 111', '+47 222', '+47 333'],
  born: ['1970', '1985'],
  unit: ['north', 'south'],
  grade: ['g1', 'g2'],
  role: ['bid', 'ref', 'both', 'dep'],
  scope: ['no/Oslo', 'no/Bergen', 'se/Stockholm'],
  nick: ['Ann', 'Bo'],
  home: ['Voss', 'Moss'],
  skills: ['pilot', 'diver', 'pilot+diver'],
};
/** Columns without an empty cell. */
const FILLED: readonly string[] = ['id', 'name', 'email', 'place', 'scope'];
const OPTIONAL = COLUMNS.filter((column) => !FILLED.includes(column));

/** The categories of their tags; `unit` exists in every account. */
export const PEOPLE_TAGS = [
  { category: 'grade', tags: ['g1', 'g2'] },
  { category: 'skill', tags: ['pilot', 'diver'] },
].map(({ category, tags }) => ({
  values: { en: category },
  external_unique_id: category,
  custom_tags: tags.map((tag) => ({ values: { en: tag }, external_unique_id: tag })),
}));

function randomCells(random: Random): Record<string, string> {
  const cells: Record<string, string> = {};
  for (const [column, values] of Object.entries(VALUES)) {
    cells[column] = !FILLED.includes(column) && random.chance(0.4) ? '' : random.pick(values);
  }
  return cells;
}

function edit(random: Random, { people }: Tables, fresh: () => number): Edit | null {
  const table = 'people';
  const number = fresh();
  const keys = [...people.keys()].filter((key) => key !== 'E0');
  if (keys.length < 4 || random.chance(0.15)) {
    const key = `E${number}`;
    const cells = {
      ...randomCells(random),
      name: `Person ${word(number)}`,
      email: `p${number}@example.com`,
      status: '',
    };
    return { do: 'add', table, key, cells };
  }
  const key = random.pick(keys);
  const luck = random.next();
  if (luck < 0.08) return { do: 'remove', table, key };
  if (luck < 0.2) {
    const isThere = text(people.get(key) ?? {}, 'status') === '';
    return { do: 'set', table, key, cells: { status: isThere ? 'left' : '' } };
  }
  if (luck < 0.27) return { do: 'set', table, key, cells: { born: NO_YEAR } };
  if (isUnusable(people.get(key) ?? {}) && random.chance(0.5))
    return { do: 'set', table, key, cells: { born: '1985' } };
  if (luck < 0.33) return { do: 'set', table, key, cells: { name: `Person ${word(number)}` } };
  if (luck < 0.38) return { do: 'set', table, key, cells: { email: `p${number}@example.com` } };
  const others = keys.filter((other) => other !== key);
  if (luck < 0.44) return { do: 'pass round', table, keys: [key, random.pick(others)], column: 'email' };
  // The number decides who is linked to a project, and who has a copy of it.
  if (luck < 0.49) return { do: 'renumber', table, key, to: `E${Number(key.slice(1)) + 3_000}` };
  const column = random.pick(Object.keys(VALUES));
  const isCleared = !FILLED.includes(column) && random.chance(0.25);
  return { do: 'set', table, key, cells: { [column]: isCleared ? '' : random.pick(VALUES[column as Column] ?? []) } };
}

function hand(random: Random, { people }: Tables): Hand | null {
  const keys = [...people.keys()].filter((key) => key !== 'E0');
  if (keys.length === 0) return null;
  const fields = random.pick<Readonly<Record<string, Yaml>>>([
    { 'title.en': 'By hand' },
    { 'title.sv': 'För hand' },
    { phone: '9' },
    { landline: '8' },
    { nationality: 'Norwegian' },
    { name: 'Renamed by hand' },
    ...[{ name: BOARD }, { name: BOARD }, { name: BOARD }],
    { deactivated: true },
    { deactivated: false },
    // The scope goes with the role.
    { roles: ['consultant', 'countrymanager'], scope: null, 'scope units': null, 'scope grades': null },
  ]);
  return { of: 'user', key: random.pick(keys), fields };
}

function deliver(story: Story, people: Rows): void {
  readFiles(story);
  const lines = [...people].map(([id, cells]) => {
    const row = { ...cells, ...showTold(story, 'staff', id) };
    return COLUMNS.map((column) => (column === 'id' ? id : text(row, column))).join(';');
  });
  story.deliverText(`${[COLUMNS.join(';'), ...lines, `TRAILER;${lines.length}`].join('\n')}\n`);
}

/** Guards are a story of their own, and part of this one in `PRELUDES`. */
export const NO_LIMITS = {
  create: 'off',
  update: 'off',
  deactivate: 'off',
  reactivate: 'off',
  relink: 'off',
  delete: 'off',
};

function config({ titleMark, emptyPhone, protects, purgeDays }: Settings): { readonly [key: string]: Yaml } {
  const keepOrClear = (value: string) => ({ value, when_empty: 'clear' });
  return {
    sources: {
      staff: {
        type: 'csv',
        drop: './drop/hr',
        pattern: 'employees-*.csv',
        key: 'id',
        settle: '0s',
        // Without it, nothing distinguishes a file cut at the end of a row from a shorter one.
        trailer: { first_cell: 'TRAILER' },
        columns: {
          ...Object.fromEntries(COLUMNS.map((column) => [column, 'string'])),
          ...Object.fromEntries(OPTIONAL.map((column) => [column, { type: 'string', optional: true }])),
          skills: { type: 'list', separator: '+', optional: true },
          born: { type: 'int', optional: true },
        },
      },
    },
    users: {
      existence: 'staff',
      match: ['external_unique_id', 'email'],
      leaver: purgeDays === null ? {} : { purge: { after: `${purgeDays}d` } },
      parking_email: 'parked-{id}@example.com',
      protect: protects ? [`user.name == "${BOARD}"`] : [],
      fields: {
        name: 'record.name',
        office: { country: 'record.place.split("/")[0]', name: 'record.place.split("/")[1]' },
        title: { en: `record.?title.optMap(t, t + "${titleMark}")`, no: keepOrClear('record.?title_no') },
        // The identity provider's `phone` is the landline.
        telephone: { value: 'staff.?phone', when_empty: emptyPhone },
        born_year: 'record.?born',
        roles:
          '{"bid": ["consultant", "bidmanager"], "ref": ["consultant", "referencemanager"], "both": ["consultant", "bidmanager", "referencemanager"], "dep": ["consultant", "departmentmanager"]}[?record.?role.orValue("")].orValue(["consultant"])',
        role_allowed_offices: [{ country: 'record.scope.split("/")[0]', name: 'record.scope.split("/")[1]' }],
        role_allowed_tags: { unit: keepOrClear('record.?unit'), grade: 'record.?grade' },
        tags: { unit: 'record.?unit', grade: 'record.?grade' },
        cv_tags: { skill: keepOrClear('record.?skills') },
        name_multilang: { en: 'record.?nick' },
        place_of_residence: 'record.?home',
      },
    },
    guards: {
      users: { ...NO_LIMITS, promote: 'off' },
      offices: NO_LIMITS,
      tags: NO_LIMITS,
    },
  };
}

type FullUser = UserState & {
  readonly upn: string | null;
  readonly born_year: number | null;
  readonly nationality: Readonly<Record<string, string>>;
  readonly name_multilang: Readonly<Record<string, string>>;
  readonly place_of_residence: Readonly<Record<string, string>> | string | null;
  readonly cv?: { readonly tags: readonly string[] };
};

function describe({ users }: State): readonly (readonly [string, Facts])[] {
  return (users as readonly FullUser[]).map((user) => {
    const tags = [...new Set([...user.tags, ...(user.cv?.tags ?? [])])];
    const ofCategory = (category: string, held = tags): readonly string[] =>
      held.flatMap((tag) => (tag.startsWith(`${category}/`) ? [tag.slice(category.length + 1)] : [])).sort();
    const isManager = user.roles.includes('departmentmanager');
    const ofScope = (category: string): Yaml => (isManager ? ofCategory(category, [...user.role_allowed_tags]) : null);
    const one = (category: string): Yaml => ofCategory(category).join('+') || null;
    const home = user.place_of_residence;
    return [
      `user ${user.external_unique_id ?? user.email}`,
      {
        key: user.external_unique_id,
        name: user.name,
        email: user.email,
        place: user.office,
        // At least one language is required, so the last one is cleared with a blank (docs/reference/entities.md).
        'title.en': user.title.en || null,
        'title.no': user.title.no || null,
        'title.sv': user.title.sv || null,
        nationality: user.nationality.en || null,
        phone: user.telephone || null,
        upn: user.upn || null,
        landline: user.landline || null,
        born: user.born_year,
        roles: [...user.roles].sort(),
        scope: isManager ? [...user.role_allowed_offices] : null,
        'scope units': ofScope('unit'),
        'scope grades': ofScope('grade'),
        unit: one('unit'),
        grade: one('grade'),
        skills: ofCategory('skill'),
        nick: user.name_multilang.en || null,
        home: (typeof home === 'object' ? home?.en : home) || null,
        deactivated: user.deactivated,
      },
    ] as const;
  });
}

const ON_THE_CV = ['nick', 'home'];
const ON_THE_USER = [
  'key',
  ...['name', 'email', 'place', 'title.en', 'title.no', 'phone', 'upn', 'landline', 'born', 'roles', 'unit', 'grade'],
  ...['scope', 'scope units', 'scope grades', 'deactivated'],
];

function countWrites(before: Facts | undefined, after: Facts | undefined): number {
  const isDifferent = (field: string): boolean => differs(before, after, field);
  if (after === undefined) return 1;
  return (
    (before === undefined || ON_THE_USER.some(isDifferent) ? 1 : 0) +
    (ON_THE_CV.some(isDifferent) ? 1 : 0) +
    countMoves(listOf(before?.skills), listOf(after?.skills))
  );
}

/** Addresses that move in a circle cost one more write, to park one of them. */
function countCycles(before: Holding, after: Holding): number {
  const givesTo = new Map<string, string>();
  for (const [name, facts] of after) {
    const owner = [...before].find(([other, { email }]) => other !== name && email === facts.email);
    if (owner !== undefined && before.get(name)?.email !== facts.email && before.has(name)) givesTo.set(owner[0], name);
  }
  let cycles = 0;
  const seen = new Set<string>();
  for (const start of givesTo.keys()) {
    const path: string[] = [];
    let at: string | undefined = start;
    while (at !== undefined && !seen.has(at)) {
      seen.add(at);
      path.push(at);
      at = givesTo.get(at);
    }
    if (at !== undefined && path.includes(at)) cycles += 1;
  }
  return cycles;
}

/** An account without a link gets the key of the row that has its address. */
export function nameAccounts(holding: Holding, { people }: Tables): Holding {
  const keys = new Map([...people].map(([key, cells]) => [`user ${text(cells, 'email')}`, `user ${key}`]));
  return new Map([...holding].map(([name, facts]) => [keys.get(name) ?? name, facts]));
}

export const PEOPLE: Part = {
  of: 'user',
  table: 'people',
  source: 'staff',
  config,
  edit,
  hand,
  doByHand,
  deliver,
  createReference: createPeopleReference,
  describe,
  countWrites,
  countCommon: countCycles,
};
