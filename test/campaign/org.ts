import { merge, type Yaml } from '../scenarios/company.js';
import { CATEGORIES, COUNTRIES, deliverOrg, OFFICES, ORG, TAGS } from '../scenarios/org.js';
import { editCategory, editCountry, editOffice, renameTag } from './hands-on-org.js';
import type { Cells, Edit, Hand, Rows, TableName } from './history.js';
import { type Facts, type Holding, keepFlag, keepText, type Part, text } from './part.js';
import type { Random } from './random.js';
import { word } from './words.js';

/** Adds a row, or sets a cell of a row that was added earlier. */
function makeEdit(
  table: TableName,
  random: Random,
  rows: Rows,
  added: { readonly key: string; readonly cells: Cells } | null,
  cells: Cells,
): Edit | null {
  const keys = [...rows.keys()];
  if (keys.length === 0 || random.chance(0.4)) return added === null ? null : { do: 'add', table, ...added };
  return { do: 'set', table, key: random.pick(keys), cells };
}

const CODES = ['dk', 'fi', 'de', 'fr', 'nl', 'pl'];
const LANGUAGES = ['en', 'no', 'sv'];

function randomCountry(random: Random): Cells {
  return random.pick<Cells>([
    { language: random.pick(LANGUAGES) },
    { ui: random.pick(['', ...LANGUAGES]) },
    // A type needs a template.
    { template: random.pick(['t1', 't2']), kind: random.pick(['', 'word', 'json']) },
  ]);
}

export const LANDS: Part = {
  of: 'country',
  table: 'countries',
  source: 'org',
  config: () => merge(ORG, { countries: COUNTRIES }) as { readonly [key: string]: Yaml },
  edit(random, { countries }) {
    const code = random.pick(CODES);
    const cells = randomCountry(random);
    const added = { key: code, cells: { language: random.pick(LANGUAGES), ...cells } };
    return makeEdit('countries', random, countries, countries.has(code) ? null : added, cells);
  },
  hand(random, { countries }) {
    if (countries.size === 0) return null;
    const fields = random.pick<Hand['fields']>([
      { language: random.pick(LANGUAGES) },
      { ui: random.pick([null, ...LANGUAGES]) },
      { template: random.pick(['t1', 't2']) },
    ]);
    return { of: 'country', key: random.pick([...countries.keys()]), fields };
  },
  doByHand: editCountry,
  deliver(story, rows) {
    const always = { code: 'no', language: 'no' };
    deliverOrg(story, 'countries', [always, ...[...rows].map(([code, cells]) => ({ code, ...cells }))]);
  },
  createReference: () => ({
    expect({ after, rows }) {
      const next = new Map(after);
      for (const [code, cells] of rows) {
        const now = after.get(`country ${code}`);
        const facts = ['language', 'ui', 'template', 'kind'].map((name) => [name, keepText(cells, name, now?.[name])]);
        next.set(`country ${code}`, Object.fromEntries(facts));
      }
      return next;
    },
  }),
  describe: ({ countries }) =>
    (countries as readonly Readonly<Record<string, string | null>>[]).map((country) => [
      `country ${country.code}`,
      {
        language: country.native_language_code ?? null,
        ui: country.override_ui_language_code ?? null,
        template: country.cv_template_id ?? null,
        kind: country.cv_template_type ?? null,
      },
    ]),
  countWrites: () => 1,
};

/**
 * Offices of the campaign are called `Town 12` or, renamed, `Town 12 North`: their first two words identify the object.
 */
export const PLACES: Part = {
  of: 'office',
  table: 'offices',
  source: 'org',
  config: () => ({ offices: OFFICES }),
  edit(random, { offices }, fresh) {
    const number = fresh();
    const cells = { more: random.pick(['', 'North', 'South']), language: random.pick(['', ...LANGUAGES]) };
    const added = {
      key: `O${number}`,
      cells: { ...cells, country: random.pick(['no', 'se']), name: `Town ${number}`, gone: '' },
    };
    const { more, language } = cells;
    const changed = random.pick<Cells>([{ more }, { language }, { gone: random.pick(['', 'yes']) }]);
    return makeEdit('offices', random, offices, added, changed);
  },
  hand(random, { offices }) {
    if (offices.size === 0) return null;
    const cells = random.pick([...offices.values()]);
    const fields = random.pick<Cells>([{ more: 'By Hand' }, { language: random.pick(LANGUAGES) }]);
    return { of: 'office', key: `${text(cells, 'country')}/${text(cells, 'name')}`, fields };
  },
  doByHand: editOffice,
  deliver(story, rows) {
    const always = { id: 'O0', country: 'no', name: 'Oslo' };
    const offices = [...rows].map(([id, cells]) => ({
      id,
      country: text(cells, 'country'),
      name: nameOffice(cells),
      language: text(cells, 'language'),
      gone: text(cells, 'gone'),
    }));
    deliverOrg(story, 'offices', [always, ...offices]);
  },
  createReference: () => ({
    expect({ after, rows }) {
      const next = new Map(after);
      for (const cells of rows.values()) {
        const name = `office ${text(cells, 'country')}/${text(cells, 'name')}`;
        const language = keepText(cells, 'language', after.get(name)?.language);
        if (text(cells, 'gone') === 'yes') next.delete(name);
        else next.set(name, { more: text(cells, 'more'), language });
      }
      return next;
    },
  }),
  describe: ({ offices }) =>
    (offices as readonly { readonly office: string; readonly override_language_code: string | null }[]).map(
      ({ office, override_language_code: language }) => {
        const { key, more } = splitOffice(office);
        return [`office ${key}`, { more, language }];
      },
    ),
  countWrites: () => 1,
};

/** `no/Town 12 North` → the key of the office here, and the rest of its name. */
export function splitOffice(office: string): { readonly key: string; readonly more: string } {
  const [town, number, ...more] = office.split(' ');
  return { key: number === undefined ? office : `${town} ${number}`, more: more.join(' ') };
}

function nameOffice(cells: Cells): string {
  return `${text(cells, 'name')} ${text(cells, 'more')}`.trim();
}

function labels(cells: Cells, now: Facts | undefined): Facts {
  return { name: text(cells, 'name'), navn: keepText(cells, 'navn', now?.navn) };
}

interface Labelled {
  readonly values: Readonly<Record<string, string>>;
  readonly external_unique_id: string;
}

function described({ values }: Labelled): Facts {
  return { name: values.en ?? null, navn: values.no ?? null };
}

/** Column → field, and its default. */
const FLAGS = {
  cvs: ['can_be_used_for_cvs', true],
  references: ['can_be_used_for_references', true],
  customers: ['can_be_used_for_customers', true],
  filter: ['allow_filtering', false],
  lock: ['lock_for_integrations', false],
} as const;
const FLAG_NAMES = Object.keys(FLAGS) as readonly (keyof typeof FLAGS)[];
/** The other flags can be set on create only. */
const UPDATED = ['cvs', 'references', 'customers'] as const;
/** Categories that no source has: an administrator decides where tags of people, customers and projects appear. */
const IN_USE = ['segment', 'hidden', 'sector', 'skill', 'grade'];

export const KINDS_OF_TAGS: Part = {
  of: 'category',
  table: 'categories',
  source: 'org',
  config: () => ({
    sources: {
      org: {
        streams: {
          categories: {
            columns: Object.fromEntries(FLAG_NAMES.map((flag) => [flag, { type: 'bool', optional: true }])),
          },
        },
      },
    },
    tag_categories: merge(CATEGORIES, {
      fields: Object.fromEntries(FLAG_NAMES.map((flag) => [FLAGS[flag][0], `record.?${flag}`])),
    }),
  }),
  edit(random, { categories }, fresh) {
    const number = fresh();
    const randomFlag = (): string => random.pick(['', 'yes', 'no']);
    const cells = { name: word(number), navn: random.pick(['', `N${number}`]) };
    const flags = Object.fromEntries(FLAG_NAMES.map((flag) => [flag, randomFlag()]));
    const changed = random.pick<Cells>([cells, { navn: `M${number}` }, { [random.pick(UPDATED)]: randomFlag() }]);
    return makeEdit('categories', random, categories, { key: `G${number}`, cells: { ...cells, ...flags } }, changed);
  },
  hand(random, { categories }) {
    const flag = { [random.pick(UPDATED)]: random.chance(0.5) };
    if (random.chance(0.3)) return { of: 'category', key: random.pick(IN_USE), fields: flag };
    if (categories.size === 0) return null;
    const key = random.pick([...categories.keys()]);
    return { of: 'category', key, fields: random.pick<Cells>([{ name: `By hand ${key}` }, flag]) };
  },
  doByHand: (story, hand, facts) =>
    editCategory(story, hand, facts, Object.fromEntries(UPDATED.map((flag) => [FLAGS[flag][0], hand.fields[flag]]))),
  deliver: (story, rows) =>
    void deliverOrg(story, 'categories', [{ id: 'unit', name: 'Unit' }, ...[...rows].map(toCategory)]),
  createReference: () => ({
    expect({ after, rows }) {
      const next = new Map(after);
      for (const [key, cells] of rows) {
        const now = after.get(`category ${key}`);
        const flags = FLAG_NAMES.map((flag) => [flag, expectFlag(flag, cells, now)]);
        next.set(`category ${key}`, { ...labels(cells, now), ...Object.fromEntries(flags) });
      }
      return next;
    },
  }),
  describe: ({ tag_categories: categories }) =>
    (categories as readonly (Labelled & Readonly<Record<string, Yaml>>)[]).map((one) => [
      `category ${one.external_unique_id}`,
      { ...described(one), ...Object.fromEntries(FLAG_NAMES.map((flag) => [flag, one[FLAGS[flag][0]] ?? null])) },
    ]),
  countWrites: () => 1,
};

function toCategory([id, cells]: readonly [string, Cells]): Yaml {
  const flags = FLAG_NAMES.map((flag) => [flag, text(cells, flag) === '' ? null : text(cells, flag) === 'yes']);
  return { id, name: text(cells, 'name'), navn: text(cells, 'navn'), ...Object.fromEntries(flags) };
}

function expectFlag(flag: keyof typeof FLAGS, cells: Cells, now: Facts | undefined): boolean {
  const isSettled = now !== undefined && !UPDATED.some((one) => one === flag);
  return keepFlag(isSettled ? '' : text(cells, flag), now?.[flag] ?? FLAGS[flag][1]);
}

export const LABELS: Part = {
  of: 'tag',
  table: 'tags',
  source: 'org',
  config: () => ({ tags: TAGS }),
  edit(random, { tags, categories }, fresh) {
    const number = fresh();
    const category = random.pick(['unit', 'sector', ...categories.keys()]);
    const cells = { name: word(number), navn: random.pick(['', `N${number}`]) };
    const added = { key: `T${number}`, cells: { ...cells, category, gone: '' } };
    return makeEdit('tags', random, tags, added, random.pick<Cells>([cells, { gone: random.pick(['', 'yes']) }]));
  },
  hand(random, { tags }) {
    if (tags.size === 0) return null;
    const [key, cells] = random.pick([...tags]);
    return { of: 'tag', key: `${text(cells, 'category')}/${key}`, fields: { name: `By hand ${key}` } };
  },
  doByHand: renameTag,
  select: (rows, { after }) =>
    new Map([...rows].filter(([, cells]) => after.has(`category ${text(cells, 'category')}`))),
  deliver: (story, rows) =>
    void deliverOrg(story, 'tags', [
      { id: 'north', category: 'unit', name: 'North' },
      ...[...rows].map(([id, cells]) => ({ id, ...cells })),
    ]),
  createReference: () => ({
    expect({ after, rows }) {
      const next = new Map(after);
      for (const [key, cells] of rows) {
        const name = `tag ${text(cells, 'category')}/${key}`;
        if (text(cells, 'gone') === 'yes') next.delete(name);
        else next.set(name, labels(cells, after.get(name)));
      }
      return next;
    },
  }),
  describe: ({ tag_categories: categories }) =>
    (categories as readonly (Labelled & { readonly custom_tags: readonly Labelled[] })[]).flatMap((category) =>
      category.custom_tags.map(
        (tag) => [`tag ${category.external_unique_id}/${tag.external_unique_id}`, described(tag)] as const,
      ),
    ),
  countWrites: (_before, after) => (after === undefined ? 0 : 1),
  // One call deletes all disappearing tags of a category.
  countCommon: (before: Holding, after: Holding) =>
    new Set(
      [...before.keys()].flatMap((name) => (name.startsWith('tag ') && !after.has(name) ? name.split('/')[0] : [])),
    ).size,
};
