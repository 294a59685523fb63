import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { PlannedChange } from '../../../src/model/plan.js';
import { KEY, type Yaml } from '../../scenarios/company.js';
import type { RunDocument } from '../../scenarios/documents.js';
import { openStory, type Story } from '../../scenarios/kit.js';
import { type CompanyYear, createCompanyYear, YEAR } from './company-year.js';
import { createCrmYear } from './crm-year.js';
import { describeMonths } from './months-config.js';
import { openPerformer } from './perform-runs.js';
import { type Desk, openDesk, type Question } from './questions.js';
import { listTicks, nextMorning, type Rhythm } from './rhythm.js';
import { createRulers, type Rulers } from './rulers.js';
import { COLUMNS, type Employee, UNITS } from './staff.js';

export interface MonthsOptions {
  readonly people: number;
  readonly rhythm: Rhythm;
  readonly seed: number;
  /** The first month, from 0, and their number. */
  readonly firstMonth: number;
  readonly months: number;
  /** Other limits than the built-in ones. */
  readonly guards?: Yaml;
  /** Performs every due run, even if nothing can have changed. */
  readonly isPatient?: boolean;
  /** HR decides who has power, and the company takes over another one. */
  readonly hasRulers?: boolean;
}

export interface AskedQuestion extends Question {
  /** A person got another number. */
  readonly isIdentity: boolean;
}

export interface PlayedMonths {
  readonly questions: readonly AskedQuestion[];
  readonly runs: number;
  /** Runs that ended with a code other than 0, 3 and 4, and rejected answers. */
  readonly faults: readonly string[];
  readonly writes: number;
}

/** Plays the months of one company, and answers each question truthfully on the next working morning. */
export async function playMonths(options: MonthsOptions): Promise<PlayedMonths> {
  const { people, rhythm, seed, firstMonth, months } = options;
  const year = createCompanyYear(people, seed);
  const hr = createTable<Employee>(
    year.first,
    year.events.map(({ atMs, id, row }) => ({ atMs, id, row })),
  );
  const crm = createCrmYear(people, seed);
  const [fromMs, untilMs] = [Date.UTC(YEAR, firstMonth), Date.UTC(YEAR, firstMonth + months)];
  hr.forward(fromMs);
  const rulers = options.hasRulers === true ? createRulers(people, seed) : null;
  const story = await openStory(describeAccount(year, [...hr.rows()], rulers));
  story.configure(describeMonths(options.guards));
  if (rulers !== null)
    story.configure({
      sources: { hr: { columns: { role: 'string' } } },
      users: { fields: { roles: 'record.role.split(" ")' } },
    });
  const performer = openPerformer(story);
  const drop = createDrop(story);
  const companies = createTable<Yaml>([], pickRows(crm, 'companies'));
  const deals = createTable<Yaml>([], pickRows(crm, 'deals'));
  const desk = openDesk();
  const questions: AskedQuestion[] = [];
  const faults: string[] = [];
  const [roots, successors] = [rootsOf(year), new Map([...year.before].map(([now, then]) => [then, now]))];
  let [runs, writes, answersAtMs, hasAnswered] = [0, 0, Number.POSITIVE_INFINITY, false];

  function dropHr(atMs: number): true {
    const rows = [...hr.rows(), ...(rulers?.merged(atMs) ?? [])];
    return drop.hr(rows, rulers?.rolesOf(rows) ?? new Map(), atMs);
  }

  function deliver(atMs: number, hasFile: boolean, isFirst: boolean): boolean {
    const moved = [
      hasFile && hr.forward(atMs) && dropHr(atMs),
      companies.forward(atMs) && drop.crm('companies', companies.rows(), atMs),
      deals.forward(atMs) && drop.crm('deals', deals.rows(), atMs),
    ];
    if (isFirst) dropHr(atMs);
    return moved.some(Boolean);
  }

  async function run(): Promise<void> {
    const { code, json } = await performer.sync();
    story.sandbox.resetCalls();
    runs += 1;
    const atMs = story.clock.now();
    if (![0, 3, 4].includes(code))
      faults.push(`${new Date(atMs).toISOString()} ${code} ${JSON.stringify(json.errors)}`);
    writes += json.calls.writes;
    for (const { code: failed, message } of json.failed)
      faults.push(`${new Date(atMs).toISOString()} ${failed} ${message}`);
    const held = [...json.held, ...json.conflicts]
      .filter((hold) => hold.acknowledged === undefined && !isToldAlone(hold, hr.find(hold.key)))
      .map((hold) => ({
        ...hold,
        id: hold.code.includes('SAME_PERSON') || hold.code.includes('CLAIMED') ? `person ${roots(hold.key)}` : hold.id,
      }));
    const asked = desk.take(atMs, { guards: json.guards, held, changes: readChanges(story, json) });
    for (const question of asked) {
      const key = question.key ?? '';
      questions.push({ ...question, isIdentity: year.before.has(key) || successors.has(key) });
    }
    if (asked.length > 0) answersAtMs = Math.min(answersAtMs, nextMorning(atMs));
  }

  goTo(story, fromMs);
  deliver(fromMs, true, true);
  await run();
  questions.length = 0;
  for (const { atMs, hasFile } of listTicks(rhythm, fromMs, untilMs)) {
    if (answersAtMs <= atMs) {
      goTo(story, answersAtMs);
      faults.push(...(await answer(story, desk, { year, successors })));
      [answersAtMs, hasAnswered] = [Number.POSITIVE_INFINITY, true];
    }
    const isNew = deliver(atMs, hasFile, false);
    if (!isNew && !hasAnswered && options.isPatient !== true) continue;
    hasAnswered = false;
    goTo(story, atMs);
    await run();
  }
  return { questions, runs, faults, writes };
}

/** Runs take time of the story's clock, so it may be later already. */
function goTo({ clock }: Story, atMs: number): void {
  clock.advance(Math.max(0, atMs - clock.now()));
}

/** Differences of an existing administrator are only reported, and ask nobody. */
function isToldAlone({ code }: { readonly code: string }, row: Employee | null): boolean {
  return code === 'SYNC_ACCOUNT_PROTECTED' && row?.status === 'active';
}

function rootsOf({ before }: CompanyYear): (key: string) => string {
  return function root(key: string): string {
    const earlier = before.get(key);
    return earlier === undefined ? key : root(earlier);
  };
}

/** The commands of a person who knows the truth. */
async function answer(
  story: Story,
  desk: Desk,
  { year, successors }: { readonly year: CompanyYear; readonly successors: ReadonlyMap<string, string> },
): Promise<readonly string[]> {
  const faults: string[] = [];
  for (const [name, { of, key }] of desk.open()) {
    const refused =
      key === null
        ? await approveAll(story, of)
        : await decidePerson(story, of, year.before.has(key) ? key : (successors.get(key) ?? key), year);
    if (refused === null) desk.close(name);
    else faults.push(`${of} ${key ?? ''}: ${refused}`);
  }
  return faults;
}

async function approve(story: Story, what: { readonly guard?: string; readonly who?: string }): Promise<string | null> {
  const { code, error } = await story.approve({ ...what, reason: 'it is so', expires: 8 * 86_400_000 });
  return code === 0 ? null : `${error?.code} ${error?.message}`;
}

/** Approves each administrator by name. */
async function approveAll(story: Story, guard: string): Promise<string | null> {
  if (guard !== 'users.promote') return approve(story, { guard });
  const waiting = [...readNewest(story)].filter(({ withheld }) => withheld?.name.includes(guard) === true);
  const refused: (string | null)[] = [];
  for (const { key } of waiting) refused.push(await approve(story, { who: `user:${key.replace('~promoted', '')}` }));
  return refused.find((one) => one !== null) ?? null;
}

/** Links one person with two numbers by hand, and keeps two people of one name apart. */
async function decidePerson(story: Story, of: string, key: string, { before }: CompanyYear): Promise<string | null> {
  if (of === 'SYNC_ACCOUNT_PROTECTED') {
    // An administrator has left: another one removes the role, which only a full read shows.
    await story.editUser(key, { role: 'consultant', roles: ['consultant'] });
    return (await story.sync({ full: true })).error?.message ?? null;
  }
  const earlier = before.get(key);
  if (earlier === undefined) {
    const kept = await story.type('holds', 'resolve', `user:${key}`, '--new', '--reason', 'two people', '--json');
    return kept.code === 0 ? null : kept.stderr;
  }
  const found = await story.others('GET', `/api/v1/users/find?external_unique_id=${earlier}`);
  const linked = await story.type('link', 'users', key, (found as { readonly id: string }).id, '--json');
  return linked.code === 0 ? null : linked.stderr;
}

function* readChanges({ folder }: Story, { guards, plan }: RunDocument): Iterable<PlannedChange> {
  if (guards.length === 0) return;
  yield* readPlan(folder, plan);
}

function* readNewest({ folder }: Story): Iterable<PlannedChange> {
  const newest = readdirSync(join(folder, 'var', 'plans'))
    .toSorted()
    .at(-1);
  if (newest !== undefined) yield* readPlan(folder, newest.replace('.json', ''));
}

function* readPlan(folder: string, plan: string | null): Iterable<PlannedChange> {
  const file = readFileSync(join(folder, 'var', 'plans', `${plan}.json`), 'utf8');
  yield* (JSON.parse(file) as { readonly toService: readonly PlannedChange[] }).toService;
}

interface Table<Row> {
  rows(): Iterable<Row>;
  find(id: string): Row | null;
  /** Moves on to that time. @returns whether anything has changed */
  forward(untilMs: number): boolean;
}

interface TableEvent<Row> {
  readonly atMs: number;
  readonly id: string;
  readonly row: Partial<Row> | null;
}

function createTable<Row>(
  first: readonly (Row & { readonly id?: string })[],
  events: readonly TableEvent<Row>[],
): Table<Row> {
  const rows = new Map<string, Row>(first.map((row) => [row.id ?? '', row]));
  let next = 0;
  return {
    rows: () => rows.values(),
    find: (id) => rows.get(id) ?? null,
    forward(untilMs) {
      const began = next;
      for (let event = events[next]; event !== undefined && event.atMs <= untilMs; event = events[next]) {
        next += 1;
        const { id, row } = event;
        const known = rows.get(id);
        if (row === null) rows.delete(id);
        else if (known !== undefined || (row !== null && 'id' in row)) rows.set(id, { ...known, ...row } as Row);
      }
      return next > began;
    },
  };
}

function pickRows(events: ReturnType<typeof createCrmYear>, kind: 'companies' | 'deals'): readonly TableEvent<Yaml>[] {
  return events.filter(({ of }) => of === kind).map(({ atMs, row }) => ({ atMs, id: row.id, row: row as never }));
}

/** Columns of the kit's configuration that this company leaves empty. */
const UNUSED = ['title_no', 'scope', 'rank'] as const;

/** Writes files whose names sort by time, and removes those before the last. */
function createDrop({ folder }: Story) {
  function put(source: string, stem: string, ending: string, atMs: number, text: string): true {
    const place = join(folder, 'drop', source);
    mkdirSync(place, { recursive: true });
    for (const name of readdirSync(place)) if (name.startsWith(stem)) rmSync(join(place, name));
    const stamp = new Date(atMs).toISOString().slice(0, 16).replace(/[-:]/g, '');
    writeFileSync(join(place, `${stem}-${stamp}.${ending}`), text);
    return true;
  }
  return {
    hr(rows: readonly Employee[], roles: ReadonlyMap<string, readonly string[]>, atMs: number): true {
      const lines = rows.map((row) =>
        [...COLUMNS.map((column) => row[column]), roles.get(row.id)?.join(' ') ?? '', ...UNUSED.map(() => '')].join(
          ';',
        ),
      );
      return put(
        'hr',
        'employees',
        'csv',
        atMs,
        `${[[...COLUMNS, 'role', ...UNUSED].join(';'), ...lines].join('\n')}\n`,
      );
    },
    crm: (stem: string, rows: Iterable<Yaml>, atMs: number): true =>
      put('crm', stem, 'json', atMs, JSON.stringify([...rows])),
  };
}

function describeAccount(year: CompanyYear, present: readonly Employee[], rulers: Rulers | null) {
  const roles = rulers?.rolesOf(present);
  const users = [
    ...present.map((row) => [row, row.status !== 'active'] as const),
    ...year.former.map((row) => [row, true] as const),
  ];
  return {
    tag_categories: [
      {
        values: { en: 'Unit' },
        external_unique_id: 'unit',
        custom_tags: UNITS.map((unit) => ({ values: { en: unit }, external_unique_id: unit })),
      },
    ],
    keys: [{ key: KEY, name: 'Admin', role: 'internationalmanager' as const }],
    users: users.map(([row, deactivated]) => ({
      ...{ external_unique_id: row.id, email: row.email, name: `${row.first} ${row.last}` },
      ...{ country: row.country, office: row.office, title: { en: row.title }, telephone: row.phone },
      ...{ born_year: Number(row.birthYear), tags: { unit: row.unit }, deactivated },
      ...(roles?.has(row.id) === true ? { roles: roles.get(row.id) as never } : {}),
    })),
    countries: [
      {
        code: 'no',
        native_language_code: 'no',
        offices: ['Oslo', 'Bergen', 'Trondheim', 'Stavanger'].map((name) => ({ name })),
      },
      { code: 'se', native_language_code: 'sv', offices: ['Stockholm', 'Malmö', 'Göteborg'].map((name) => ({ name })) },
    ],
  };
}
