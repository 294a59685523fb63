import { merge, type Yaml } from '../scenarios/company.js';
import { CATEGORIES, COUNTRIES, deliverOrg, OFFICES, ORG, TAGS } from '../scenarios/org.js';
import { renameCategory, renameOffice, renameTag } from './hands-on-org.js';
import type { Cells, Edit, Rows, TableName } from './history.js';
import { type Facts, type Holding, keepText, type Part, text } from './part.js';
import type { Random } from './random.js';
import { word } from './words.js';

/** Adds a row, or sets a cell of one that was added earlier. */
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

export const LANDS: Part = {
  of: 'country',
  table: 'countries',
  source: 'org',
  config: () => merge(ORG, { countries: COUNTRIES }) as { readonly [key: string]: Yaml },
  edit(random, { countries }) {
    const code = random.pick(CODES);
    const cells = { language: random.pick(['en', 'no', 'sv']) };
    return makeEdit('countries', random, countries, countries.has(code) ? null : { key: code, cells }, cells);
  },
  deliver(story, rows) {
    const always = { code: 'no', language: 'no' };
    deliverOrg(story, 'countries', [always, ...[...rows].map(([code, cells]) => ({ code, ...cells }))]);
  },
  createReference: () => ({
    expect: ({ after, rows }) =>
      new Map([
        ...after,
        ...[...rows].map(([code, { language }]) => [`country ${code}`, { language: language ?? null }] as const),
      ]),
  }),
  describe: ({ countries }) =>
    (countries as readonly { readonly code: string; readonly native_language_code: string }[]).map((country) => [
      `country ${country.code}`,
      { language: country.native_language_code },
    ]),
  countWrites: () => 1,
};

/** Offices of the campaign are called `Town 12` or, renamed, `Town 12 North`: one object by its first two words. */
export const PLACES: Part = {
  of: 'office',
  table: 'offices',
  source: 'org',
  config: () => ({ offices: OFFICES }),
  edit(random, { offices }, fresh) {
    const number = fresh();
    const more = random.pick(['', 'North', 'South']);
    const added = {
      key: `O${number}`,
      cells: { country: random.pick(['no', 'se']), name: `Town ${number}`, more, gone: '' },
    };
    return makeEdit(
      'offices',
      random,
      offices,
      added,
      random.pick<Cells>([{ more }, { gone: random.pick(['', 'yes']) }]),
    );
  },
  hand(random, { offices }) {
    if (offices.size === 0) return null;
    const cells = random.pick([...offices.values()]);
    return { of: 'office', key: `${text(cells, 'country')}/${text(cells, 'name')}`, fields: { more: 'By Hand' } };
  },
  doByHand: renameOffice,
  deliver(story, rows) {
    const always = { id: 'O0', country: 'no', name: 'Oslo' };
    const offices = [...rows].map(([id, cells]) => ({
      id,
      country: text(cells, 'country'),
      name: `${text(cells, 'name')} ${text(cells, 'more')}`.trim(),
      gone: text(cells, 'gone'),
    }));
    deliverOrg(story, 'offices', [always, ...offices]);
  },
  createReference: () => ({
    expect({ after, rows }) {
      const next = new Map(after);
      for (const cells of rows.values()) {
        const name = `office ${text(cells, 'country')}/${text(cells, 'name')}`;
        if (text(cells, 'gone') === 'yes') next.delete(name);
        else next.set(name, { more: text(cells, 'more') });
      }
      return next;
    },
  }),
  describe: ({ offices }) =>
    (offices as readonly { readonly office: string }[]).map(({ office }) => {
      const [town, number, ...more] = office.split(' ');
      return [`office ${number === undefined ? town : `${town} ${number}`}`, { more: more.join(' ') }];
    }),
  countWrites: () => 1,
};

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

export const KINDS_OF_TAGS: Part = {
  of: 'category',
  table: 'categories',
  source: 'org',
  config: () => ({ tag_categories: CATEGORIES }),
  edit(random, { categories }, fresh) {
    const number = fresh();
    const cells = { name: word(number), navn: random.pick(['', `N${number}`]) };
    return makeEdit(
      'categories',
      random,
      categories,
      { key: `G${number}`, cells },
      random.pick<Cells>([cells, { navn: `M${number}` }]),
    );
  },
  hand(random, { categories }) {
    if (categories.size === 0) return null;
    const key = random.pick([...categories.keys()]);
    return { of: 'category', key, fields: { name: `By hand ${key}` } };
  },
  doByHand: renameCategory,
  deliver: (story, rows) =>
    void deliverOrg(story, 'categories', [
      { id: 'unit', name: 'Unit' },
      ...[...rows].map(([id, cells]) => ({ id, ...cells })),
    ]),
  createReference: () => ({
    expect({ after, rows }) {
      const next = new Map(after);
      for (const [key, cells] of rows) next.set(`category ${key}`, labels(cells, after.get(`category ${key}`)));
      return next;
    },
  }),
  describe: ({ tag_categories: categories }) =>
    (categories as readonly Labelled[]).map((one) => [`category ${one.external_unique_id}`, described(one)]),
  countWrites: () => 1,
};

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
  // All tags of a category that go, go by one call.
  countCommon: (before: Holding, after: Holding) =>
    new Set(
      [...before.keys()].flatMap((name) => (name.startsWith('tag ') && !after.has(name) ? name.split('/')[0] : [])),
    ).size,
};
