import type { Yaml } from '../scenarios/company.js';
import type { Fault } from './door.js';

/** A row of a source: its columns. */
export type Cells = { readonly [column: string]: Yaml };
/** The rows of a source by key. */
export type Rows = ReadonlyMap<string, Cells>;
export const TABLES = [
  ...(['countries', 'offices', 'categories', 'tags', 'people', 'companies', 'deals'] as const),
  ...(['sections', 'staffing', 'bids'] as const),
] as const;
export type TableName = (typeof TABLES)[number];
/** What the sources have. */
export type Tables = Readonly<Record<TableName, Rows>>;

/** One edit of a source. What it names may be missing in a story that was cut shorter: then it does nothing. */
export type Edit =
  | { readonly do: 'add' | 'set'; readonly table: TableName; readonly key: string; readonly cells: Cells }
  | { readonly do: 'remove'; readonly table: TableName; readonly key: string }
  /** Rows pass a value round: each takes that of the next. */
  | { readonly do: 'pass round'; readonly table: TableName; readonly keys: readonly string[]; readonly column: string };

/** What somebody else do to an object in the service; `fields` as the reference names them. */
export interface Hand {
  /** First word of the object's name. */
  readonly of: string;
  readonly key: string;
  readonly fields: Readonly<Record<string, Yaml>>;
}

/** The sources and the service change; then runs follow until nothing is left to do. */
export interface Round {
  readonly edits: readonly Edit[];
  readonly hands: readonly Hand[];
  /** A new delivery, with or without edits. */
  readonly delivers: boolean;
  readonly full: boolean;
  /** One run each, with that fault; none in a history without faults. */
  readonly faults: readonly Fault[];
  /** The mirror is deleted before the run of that number, counted within the round from 0. */
  readonly losesMirrorAt: readonly number[];
}

export interface Settings {
  readonly afterId: 'exclude' | 'keyset';
  readonly tagsOnCvs: boolean;
  readonly afterMissingReads: number;
  readonly concurrency: number;
}

/** Somebody who is in the service before the first run. */
export interface Account {
  readonly email: string;
  readonly name: string;
  /** `no/Oslo` */
  readonly place: string;
  readonly title: string;
}

/** All of a story as data: it can be printed, cut shorter and told again. */
export interface History {
  readonly seed: number;
  readonly settings: Settings;
  readonly accounts: readonly Account[];
  readonly rounds: readonly Round[];
}

/**
 * The tables after the edits of a round. Values are passed round last, and among rows that `canPass` lets: an address that
 * somebody who leaves keeps, or that a joiner takes over, is held, and that is another story.
 */
export function applyEdits(
  tables: Tables,
  edits: readonly Edit[],
  canPass: (key: string, cells: Cells) => boolean,
): Tables {
  const after = { ...tables };
  for (const edit of edits.toSorted((a, b) => Number(a.do === 'pass round') - Number(b.do === 'pass round'))) {
    const rows = new Map(after[edit.table]);
    if (edit.do === 'remove') rows.delete(edit.key);
    else if (edit.do === 'pass round') passRound(rows, edit, canPass);
    else if ((edit.do === 'add') !== rows.has(edit.key)) rows.set(edit.key, { ...rows.get(edit.key), ...edit.cells });
    after[edit.table] = rows;
  }
  return after;
}

function passRound(
  rows: Map<string, Cells>,
  { keys, column }: Extract<Edit, { do: 'pass round' }>,
  canPass: (key: string, cells: Cells) => boolean,
): void {
  const found = keys.flatMap((key): readonly (readonly [string, Cells])[] => {
    const cells = rows.get(key);
    return cells !== undefined && canPass(key, cells) ? [[key, cells]] : [];
  });
  if (found.length < keys.length) return;
  found.forEach(([key, cells], index) => {
    const next = found[(index + 1) % found.length]?.[1];
    rows.set(key, { ...cells, [column]: next?.[column] ?? '' });
  });
}

/** Somebody is always there: a source without any rows says nothing. */
export function startTables(): Tables {
  const somebody = { name: 'Somebody Else', email: 'somebody@example.com', place: 'no/Oslo', scope: 'no/Oslo' };
  const tables = Object.fromEntries(TABLES.map((name) => [name, new Map<string, Cells>()]));
  return { ...tables, people: new Map([['E0', somebody]]) } as unknown as Tables;
}
