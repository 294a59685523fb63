import { FIELDS, type Field, isPlain } from '../../src/model/fields.js';
import type { Yaml } from '../scenarios/company.js';
import type { CustomerState } from '../scenarios/documents.js';
import type { Story } from '../scenarios/kit.js';
import { deliverToCrm } from './crm.js';
import { countMoves, tagsOf } from './customers.js';
import type { Cells, Edit, Hand, Rows, Tables } from './history.js';
import { splitOffice } from './org.js';
import {
  clearedText,
  countDifferent,
  differs,
  type Facts,
  keepText,
  listOf,
  type Moment,
  type Part,
  type State,
  text,
  toList,
} from './part.js';
import type { Random } from './random.js';
import { randomValue } from './values.js';
import { word } from './words.js';

const OTHERWISE: ReadonlySet<string> = new Set([
  ...['external_unique_id', 'project_name', 'project_description', 'workflow_stage', 'extent_hours_new'],
  // Only colleagues edit this field.
  'project_introduction',
]);

const VALUES = {
  stage: ['draft', 'ready_for_review', 'live'],
  text: ['A dam', 'A bridge', 'A tunnel'],
  text_no: ['En demning', 'En bro'],
  problems: ['Noise', 'Rock', 'Noise+Rock', 'Noise+Rock+Water'],
  answers: ['Walls', 'Walls+Floors', 'Pumps'],
  heads: ['42', '7'],
  value: ['1000 nok', '250 eur'],
  area: ['12.5', '80'],
  start: ['2025-03-10', '2024-01-31'],
  model: ['fixed', 'hourly'],
  sector: ['power', 'water', 'power+water', 'roads+water'],
  hours: ['42', '99'],
};
/** Fields with one value and no special treatment. */
const PLAIN = Object.entries<Field>(FIELDS.projects).filter(
  ([name, { shape }]) => isPlain(shape) && !OTHERWISE.has(name),
);
type Column = keyof typeof VALUES;
const COLUMNS = Object.keys(VALUES) as readonly Column[];
/** Texts of one entry: with an empty one it would be unclear what an entry without words is. */
const FILLED: readonly Column[] = ['text', 'text_no'];

/** Offices that always exist. Those of the source appear, disappear and are renamed. */
const PLACES = ['no/Oslo', 'no/Bergen', 'se/Stockholm'];
/** The office of a key if the source names none. */
const DEFAULT_PLACE = 'no/Bergen';

function edit(random: Random, { deals, companies, people, offices }: Tables, fresh: () => number): Edit | null {
  const number = fresh();
  const keys = [...deals.keys()];
  const owners = (): string => [...people.keys()].filter(() => random.chance(0.25)).join('+');
  if (companies.size > 0 && (keys.length < 3 || random.chance(0.2))) {
    const cells = Object.fromEntries(
      COLUMNS.map((column) => [
        column,
        random.chance(0.5) && !FILLED.includes(column) ? '' : random.pick(VALUES[column]),
      ]),
    );
    const customer = random.pick([...companies.keys()]);
    const plain = PLAIN.map(([name]) => [name, random.chance(0.6) ? '' : randomValue(random, name)]);
    const towns = [...offices.values()].map((office) => `${text(office, 'country')}/${text(office, 'name')}`);
    const place = random.pick(['', ...PLACES, ...towns]);
    const more = { name: `Project ${word(number)}`, customer, owners: owners(), place };
    return { do: 'add', table: 'deals', key: `P${number}`, cells: { ...cells, ...Object.fromEntries(plain), ...more } };
  }
  if (keys.length === 0) return null;
  const key = random.pick(keys);
  if (random.chance(0.06)) return { do: 'remove', table: 'deals', key };
  if (random.chance(0.15)) return { do: 'set', table: 'deals', key, cells: { name: `Project ${word(number)}` } };
  if (random.chance(0.2)) return { do: 'set', table: 'deals', key, cells: { owners: owners() } };
  if (random.chance(0.3)) {
    const [name] = random.pick(PLAIN);
    return { do: 'set', table: 'deals', key, cells: { [name]: random.chance(0.2) ? '' : randomValue(random, name) } };
  }
  const column = random.pick(COLUMNS);
  const isCleared = random.chance(0.25) && !FILLED.includes(column);
  return { do: 'set', table: 'deals', key, cells: { [column]: isCleared ? '' : random.pick(VALUES[column]) } };
}

function hand(random: Random, { deals }: Tables): Hand | null {
  if (deals.size === 0) return null;
  const fields = random.pick<Readonly<Record<string, Yaml>>>([
    { name: 'Renamed by hand', 'name.no': 'Renamed by hand' },
    { introduction: 'By hand' },
    { hours: '1' },
    { heads: 3 },
    { stage: 'ready_for_review' },
  ]);
  return { of: 'project', key: random.pick([...deals.keys()]), fields };
}

async function doByHand(story: Story, { key, fields }: Hand): Promise<void> {
  const found = (await story.others('GET', `/api/v2/company/cv/projects/find?external_unique_id=${key}`)) as {
    readonly id: string;
    readonly company_customer_id: string;
    readonly project_name: Readonly<Record<string, string>>;
  };
  const path = `/api/v2/company/cv/customers/${found.company_customer_id}/projects/${found.id}`;
  const { name, introduction, hours, heads, stage } = fields;
  await story.others('PUT', `${path}?use_legacy_codes=false`, {
    company_project: {
      ...(name === undefined ? {} : { project_name: { en: name, no: name, sv: name } }),
      ...(introduction === undefined ? {} : { project_introduction: { en: introduction } }),
      ...(hours === undefined ? {} : { extent_hours_new: hours }),
      ...(stage === undefined ? {} : { workflow_stage: stage }),
      ...(heads === undefined ? {} : { custom_fields: [{ name: 'heads', value: heads }] }),
    },
  });
}

function select(rows: Rows, { before, after }: Omit<Moment, 'rows'>): Rows {
  return new Map(
    [...rows].flatMap(([key, cells]): [string, Cells][] => {
      if (!after.has(`customer ${text(cells, 'customer')}`)) return [];
      const owners = toList(cells, 'owners').filter((owner) => after.has(`user ${owner}`));
      // The office's name once the run is done. One created in the same run does not return with its project after an
      // undo.
      const name = `office ${text(cells, 'place')}`;
      const office = before.has(name) ? after.get(name) : undefined;
      const place = office === undefined ? '' : `${text(cells, 'place')} ${office.more}`.trim();
      return [[key, { ...cells, owners: owners.join('+'), place }]];
    }),
  );
}

function toRow([id, cells]: readonly [string, Cells]): { readonly id: string; readonly [column: string]: Yaml } {
  const [amount = '', currency = ''] = text(cells, 'value').split(' ');
  const number = (column: string): Yaml => (text(cells, column) === '' ? null : Number(text(cells, column)));
  return {
    id,
    customer: text(cells, 'customer'),
    name: text(cells, 'name'),
    stage: text(cells, 'stage'),
    owners: toList(cells, 'owners'),
    place: text(cells, 'place'),
    text: text(cells, 'text'),
    text_no: text(cells, 'text_no'),
    problems: toList(cells, 'problems'),
    answers: toList(cells, 'answers'),
    heads: number('heads'),
    value: amount === '' ? null : Number(amount),
    currency,
    area: number('area'),
    start: text(cells, 'start') || null,
    end: text(cells, 'start') === '' ? '' : '2026-11',
    model: text(cells, 'model'),
    sector: toList(cells, 'sector'),
    hours: text(cells, 'hours'),
    ...Object.fromEntries(PLAIN.map(([name]) => [name, text(cells, name)])),
  };
}

/** A list that the source does not give stays. */
function keepList(cells: Cells, column: string, now: Yaml | undefined): readonly Yaml[] {
  const list = toList(cells, column);
  return list.length > 0 ? list : listOf(now);
}

function expectProject(cells: Cells, now: Facts | undefined): Facts {
  const name = text(cells, 'name');
  const heads = keepText(cells, 'heads', now?.heads);
  return {
    // Languages without a mapping are filled on create only.
    'name.no': now === undefined ? name : (now['name.no'] ?? null),
    introduction: now?.introduction ?? null,
    customer: text(cells, 'customer'),
    name,
    stage: keepText(cells, 'stage', now?.stage ?? 'draft'),
    owners: keepList(cells, 'owners', now?.owners),
    // This field is set on create only.
    place: now === undefined ? splitOffice(text(cells, 'place') || DEFAULT_PLACE).key : (now.place ?? ''),
    text: text(cells, 'text'),
    text_no: text(cells, 'text_no'),
    problems: toList(cells, 'problems'),
    answers: keepList(cells, 'answers', now?.answers),
    proposition: `${text(cells, 'text')} / ${text(cells, 'text_no')}`,
    heads: heads === null ? null : Number(heads),
    value: clearedText(cells, 'value'),
    area: keepText(cells, 'area', now?.area),
    start: text(cells, 'start') === '' ? (now?.start ?? null) : `${text(cells, 'start').slice(0, 7)} to 2026-11`,
    model: clearedText(cells, 'model'),
    sector: keepList(cells, 'sector', now?.sector),
    hours: keepText(cells, 'hours', now?.hours),
    ...Object.fromEntries(PLAIN.map(([name]) => [name, keepText(cells, name, now?.[name])])),
  };
}

type Texts = Readonly<Record<string, string>>;
interface FullProject {
  readonly external_unique_id: string | null;
  readonly project_name: Texts;
  readonly project_introduction?: Texts;
  readonly project_description?: Texts;
  readonly workflow_stage: string;
  readonly extent_hours_new?: string | null;
  readonly owners: readonly string[];
  readonly offices: readonly string[];
  readonly tags: readonly string[];
  readonly project_challenges: readonly { readonly value: Texts }[];
  readonly project_solutions: readonly { readonly value: Texts }[];
  readonly customer_value_propositions: readonly { readonly value: Texts }[];
  readonly custom_fields: Readonly<Record<string, Readonly<Record<string, string | number | null>>>>;
}

function describe(state: State): readonly (readonly [string, Facts])[] {
  const ids = new Map(
    (state.users as readonly { readonly email: string; readonly external_unique_id: string | null }[]).map(
      ({ email, external_unique_id }) => [email, external_unique_id ?? email],
    ),
  );
  return (state.customers as readonly CustomerState[]).flatMap((customer) =>
    (customer.projects as unknown as readonly FullProject[]).map((project): readonly [string, Facts] => [
      `project ${project.external_unique_id ?? project.project_name.en}`,
      describeProject(project, customer.external_unique_id, ids),
    ]),
  );
}

function describeProject(project: FullProject, customer: string | null, ids: ReadonlyMap<string, string>): Facts {
  const { heads, worth, size, period, model } = project.custom_fields;
  const said = (entries: readonly { readonly value: Texts }[]): readonly string[] =>
    entries.flatMap(({ value }) => value.en || []).sort();
  return {
    'name.no': project.project_name.no ?? null,
    introduction: project.project_introduction?.en ?? null,
    customer,
    name: project.project_name.en ?? null,
    stage: project.workflow_stage,
    owners: project.owners.map((email) => ids.get(email) ?? email).sort(),
    place: project.offices.map((office) => splitOffice(office).key).join(', '),
    text: project.project_description?.en ?? null,
    text_no: project.project_description?.no ?? null,
    problems: said(project.project_challenges),
    answers: said(project.project_solutions),
    proposition: project.customer_value_propositions.map(({ value }) => `${value.en} / ${value.no}`).join(', '),
    heads: heads?.value == null ? null : Number(heads.value),
    value: worth?.amount == null ? null : `${Number(worth.amount)} ${worth.currency}`,
    area: size?.amount == null ? null : String(Number(size.amount)),
    start: period?.from == null ? null : `${period.from} to ${period.to}`,
    model: model?.value ?? null,
    sector: tagsOf(project.tags, 'sector'),
    hours: project.extent_hours_new ?? null,
    ...Object.fromEntries(
      PLAIN.map(([name, { shape }]) => {
        const value = (project as unknown as Readonly<Record<string, Texts & string>>)[name];
        return [name, (shape === 'multilingual' ? value?.en : value) || null];
      }),
    ),
  };
}

const IN_ONE_CALL = [
  ...['name', 'stage', 'text', 'text_no', 'heads', 'value', 'area', 'start', 'model', 'hours'],
  ...PLAIN.map(([name]) => name),
];

function countWrites(before: Facts | undefined, after: Facts | undefined): number {
  const writes = before === undefined || countDifferent(before, after, IN_ONE_CALL) > 0 ? 1 : 0;
  const [had, has] = [listOf(before?.owners), listOf(after?.owners)];
  const owners =
    !differs(before, after, 'owners') || (had.length === 0 && has.length === 0) ? 0 : has.length > 0 ? 1 : had.length;
  return (
    writes +
    owners +
    countEntries(before, after, 'problems') +
    countEntries(before, after, 'answers') +
    (differs(before, after, 'proposition') ? 1 : 0) +
    countMoves(listOf(before?.sector), listOf(after?.sector))
  );
}

/** A text that disappears and one that appears are one changed entry. */
function countEntries(before: Facts | undefined, after: Facts | undefined, field: string): number {
  const [had, has] = [listOf(before?.[field]), listOf(after?.[field])];
  const gone = had.filter((one) => !has.includes(one)).length;
  return Math.max(gone, has.filter((one) => !had.includes(one)).length);
}

export const PROJECTS: Part = {
  of: 'project',
  table: 'deals',
  source: 'crm',
  config: () => ({
    sources: {
      crm: {
        streams: {
          deals: {
            columns: Object.fromEntries(
              ['place', ...PLAIN.map(([name]) => name)].map((name) => [name, { type: 'string', optional: true }]),
            ),
          },
        },
      },
    },
    projects: {
      fields: {
        offices: [
          {
            country: 'record.?place.optMap(p, p.split("/")[0])',
            name: 'record.?place.optMap(p, p.split("/")[1])',
          },
        ],
        ...Object.fromEntries(
          PLAIN.map(([name, { shape }]) => [
            name,
            shape === 'multilingual' ? { en: `record.?${name}` } : `record.?${name}`,
          ]),
        ),
      },
    },
  }),
  edit,
  hand,
  doByHand,
  select,
  deliver: (story, rows) => deliverToCrm(story, 'deals', [...rows].map(toRow)),
  createReference: () => ({
    expect({ after, rows }) {
      const next = new Map(after);
      for (const [key, cells] of rows) next.set(`project ${key}`, expectProject(cells, after.get(`project ${key}`)));
      // An office that is deleted is removed from its projects.
      for (const [name, facts] of next)
        if (name.startsWith('project ') && !next.has(`office ${facts.place}`)) next.set(name, { ...facts, place: '' });
      return next;
    },
  }),
  describe,
  countWrites,
};
