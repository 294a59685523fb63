import type { App } from '../app/app.js';
import { SyncError } from '../base/errors.js';
import { deriveRun } from '../cycle.js';
import { compareTexts } from '../model/compare-texts.js';
import type { Hold } from '../model/desired.js';
import { isAccount } from '../model/entity.js';
import { IMPORT_COLUMNS } from '../model/import-columns.js';
import { formatPlace } from '../model/place.js';
import type { GuardTrip } from '../model/plan.js';
import { disarmCell } from '../model/spreadsheet.js';
import { listPeople, type PersonRow } from '../planning/csv-import/list-people.js';
import { nativeLanguages } from '../planning/csv-import/native-languages.js';
import { columnsOf, type FileForm } from '../planning/csv-import/read-cells.js';
import { type FileShape, formatHeader, formatRows, orderColumns } from '../planning/csv-import/write-rows.js';
import type { DerivedRun } from '../planning/derived-run.js';

export interface ExportOptions {
  readonly full: boolean;
  readonly separator: ',' | ';';
  /** A language code, or `native`. */
  readonly language: string;
  /** `guard` turns cells that begin like a formula into text; `write` keeps every value exact, for an upload. */
  readonly formulas: 'guard' | 'write';
}

export interface LeftOutPerson {
  readonly key: string;
  readonly place: string;
  readonly reason: string;
}

/** A value that the file cannot contain, with the number of people affected. */
export interface NotCarried {
  readonly field: string;
  readonly reason: string;
  readonly people: number;
  /** Keys of the first few people. */
  readonly examples: readonly string[];
}

/** Describes the content of the file and the data that is missing from it. */
export interface ExportSummary {
  readonly rows: number;
  readonly columns: readonly string[];
  /**
   * Columns of managed fields without any value. These columns are left out, because an empty column could clear values in
   * the service.
   */
  readonly columns_left_out: readonly string[];
  readonly language: string;
  readonly left_out: readonly LeftOutPerson[];
  readonly not_carried: readonly NotCarried[];
  /**
   * Number of cells that got an apostrophe because they begin like a formula. An upload would make the apostrophe part of
   * the value.
   */
  readonly guarded: number;
  /** Number of people in the file whose address differs in the service. The import changes it there. */
  readonly emails_changed: number;
  /** Number of people in the file who are deactivated in the service. */
  readonly deactivated: number;
  readonly not_in_file: { readonly active: number; readonly external: number };
  readonly guards: readonly GuardTrip[];
}

export interface UsersExport extends ExportSummary {
  readonly derived: DerivedRun;
  /** Returns the file in pieces of at most 500 rows. */
  readonly write: () => Iterable<string>;
}

/**
 * The people from the sources, as a file for the service's own import. The people are derived as for a plan, so held people
 * are left out. The staged records are read twice: first to find the non-empty columns, then to write. Two reads keep
 * memory use constant.
 * @throws SyncError if people are not mapped, or if the source that decides who exists could not be read
 */
export async function exportUsers(app: App, options: ExportOptions): Promise<UsersExport> {
  const { users } = app.config;
  if (users === null) {
    throw new SyncError('SYNC_CLI_USAGE', {
      message: 'This configuration synchronises no people.',
      place: 'export csv-import',
      remedy: 'Add `users:` to it.',
    });
  }
  const derived = await deriveRun(app, { full: options.full, only: null });
  const failed = derived.stopped.find(({ entity }) => isAccount(entity));
  if (failed !== undefined) throw failed.error;
  const { stores } = app;
  const holds = [...stores.work.holds()].filter(({ entity }) => isAccount(entity));
  const tagColumns = users.bulkLoad?.tagColumns ?? {};
  const form: FileForm = { language: options.language, tagColumns, nativeLanguage: nativeLanguages(stores.mirror) };
  const people = (): Iterable<readonly PersonRow[]> => listPeople({ stores, rules: users.rules, form });
  const seen = lookThrough(people());
  const columns = orderColumns(seen.filled, tagColumns);
  const managed = new Set(Object.keys(users.fields).flatMap((field) => columnsOf(field)));
  const shape: FileShape = { columns, separator: options.separator, isForPeople: options.formulas === 'guard' };
  const active = stores.mirror.counts('users').active - seen.active;
  return {
    derived,
    rows: seen.rows,
    columns,
    columns_left_out: IMPORT_COLUMNS.filter((column) => managed.has(column) && !columns.includes(column)),
    language: options.language,
    left_out: [...heldOutside(holds, seen.leftOut), ...seen.leftOut].sort(byKey),
    not_carried: [...seen.losses.values()],
    guarded: options.formulas === 'guard' ? seen.formulas : 0,
    emails_changed: seen.emails,
    deactivated: seen.deactivated,
    not_in_file: { active, external: countExternals(stores.mirror) },
    guards: derived.guards.filter(({ guard }) => guard.startsWith('users.')),
    *write() {
      yield formatHeader(shape);
      for (const page of people()) {
        yield formatRows(
          page.flatMap(({ refusal, cells }) => (refusal === null ? [cells] : [])),
          shape,
        );
      }
    },
  };
}

const EXAMPLES = 5;

interface ExportTally {
  rows: number;
  formulas: number;
  emails: number;
  deactivated: number;
  /** Number of people in the file who are active in the service. */
  active: number;
  readonly filled: Set<string>;
  readonly leftOut: LeftOutPerson[];
  readonly losses: Map<string, NotCarried>;
}

function lookThrough(people: Iterable<readonly PersonRow[]>): ExportTally {
  const seen: ExportTally = {
    rows: 0,
    formulas: 0,
    emails: 0,
    deactivated: 0,
    active: 0,
    filled: new Set(),
    leftOut: [],
    losses: new Map(),
  };
  for (const page of people) for (const person of page) noteUser(person, seen);
  return seen;
}

function noteUser({ desired, held, refusal, cells, losses, changesEmail }: PersonRow, seen: ExportTally): void {
  const { key } = desired;
  if (refusal !== null) {
    seen.leftOut.push({ key, place: formatPlace(desired.place), reason: refusal });
    return;
  }
  seen.rows += 1;
  if (changesEmail) seen.emails += 1;
  if (held?.active === true) seen.active += 1;
  if (held?.active === false) seen.deactivated += 1;
  for (const [title, cell] of cells) {
    seen.filled.add(title);
    if (disarmCell(cell) !== cell) seen.formulas += 1;
  }
  for (const { field, reason } of losses) {
    const name = `${field}\n${reason}`;
    const { people, examples } = seen.losses.get(name) ?? { people: 0, examples: [] };
    const more = examples.length < EXAMPLES ? [...examples, key] : examples;
    seen.losses.set(name, { field, reason, people: people + 1, examples: more });
  }
}

/** Records that were held before they became a desired person: unreadable rows, duplicates. */
function heldOutside(holds: readonly Hold[], leftOut: readonly LeftOutPerson[]): readonly LeftOutPerson[] {
  const listed = new Set(leftOut.map(({ key }) => key));
  return holds.flatMap(({ key, place, reason }) =>
    listed.has(key) ? [] : [{ key, place, reason: `held: ${reason}` }],
  );
}

function byKey(a: LeftOutPerson, b: LeftOutPerson): number {
  return compareTexts(a.key, b.key);
}

function countExternals(mirror: App['stores']['mirror']): number {
  let externals = 0;
  for (const { active, values } of mirror.all('users')) if (active && values.role === 'external') externals += 1;
  return externals;
}
