import type { Yaml } from '../scenarios/company.js';
import type { Fault } from './door.js';

/** A row of a source: its columns. */
export type Cells = { readonly [column: string]: Yaml };
/** The rows of a source by key. */
export type Rows = ReadonlyMap<string, Cells>;
export const TABLES = [
  ...(['countries', 'offices', 'categories', 'tags', 'accounts', 'people', 'companies', 'deals'] as const),
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
  | { readonly do: 'pass round'; readonly table: TableName; readonly keys: readonly string[]; readonly column: string }
  /** HR gives somebody another number. */
  | { readonly do: 'renumber'; readonly table: 'people'; readonly key: string; readonly to: string };

/** What an operator does once a round has become quiet. Afterwards it becomes quiet again, with the same end. */
export type Act =
  /** The round's last run is undone; then that is undone itself, or its pins end. */
  | { readonly do: 'undo'; readonly back: 'undo' | 'unpin' }
  | { readonly do: 'erase' | 'unlink'; readonly key: string }
  /** The state becomes again what it was before the round. */
  | { readonly do: 'restore' };

/** A configuration of which a round begins with a run, before it gets its own again. */
export const PRELUDES = {
  'guards of users': {
    guards: {
      users: Object.fromEntries(
        ['create', 'update', 'deactivate', 'reactivate', 'relink', 'delete'].map((action) => [action, { max: 0 }]),
      ),
    },
  },
  'create-only': { policy: 'create-only' },
  'upsert-only': { policy: 'upsert-only' },
  'drift is reported': { drift: 'report' },
} as const satisfies Readonly<Record<string, { readonly [key: string]: Yaml }>>;
export type PreludeName = keyof typeof PRELUDES;

/** What somebody else does to an object in the service; `fields` as the reference names them. */
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
  /** Time that goes by before the round. */
  readonly restHours: number;
  /** The configuration is edited, for good. */
  readonly settings: Partial<Settings>;
  readonly prelude: PreludeName | null;
  /** Whether a plan reads all of the service after the hands, so that the audit can be replayed over it. */
  readonly looksFirst: boolean;
  readonly acts: readonly Act[];
}

export interface Settings {
  readonly afterId: 'exclude' | 'keyset';
  readonly tagsOnCvs: boolean;
  readonly afterMissingReads: number;
  readonly concurrency: number;
  /** What the mapping of titles puts behind each. */
  readonly titleMark: '' | ' II';
  /** What an empty cell does to the telephone number. */
  readonly emptyPhone: 'keep' | 'clear';
  /** How the CRM is reached: by its files, or by calls that list all of it or what has changed. */
  readonly crm: 'files' | 'lists' | 'changes';
  /** Whether HR and the CRM get ids, and what colleagues change. */
  readonly writesBack: boolean;
  /** Whether people may be protected. */
  readonly protects: boolean;
  /** Whether the service e-mails people who are created, come back or are linked to a project. */
  readonly mails: boolean;
  /** After so many days leavers are deleted; null for never. */
  readonly purgeDays: number | null;
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

/** These edits come after all others, in this order. */
const LAST: readonly string[] = ['pass round', 'renumber'];

/** Which rows may pass values round, and whose number may change. */
export interface Passing {
  canPass(key: string, tables: Tables): boolean;
  canRenumber(key: string, tables: Tables): boolean;
}

/**
 * The tables after the edits of a round. Values are passed round last, and among rows that `canPass` lets: an address that
 * somebody who leaves keeps, or that a joiner takes over, is held, and that is another story.
 */
export function applyEdits(tables: Tables, edits: readonly Edit[], { canPass, canRenumber }: Passing): Tables {
  let after: Record<TableName, Rows> = { ...tables };
  for (const edit of edits.toSorted((a, b) => LAST.indexOf(a.do) - LAST.indexOf(b.do))) {
    const now: Tables = after;
    const rows = new Map(now[edit.table]);
    if (edit.do === 'renumber') {
      if (rows.has(edit.key) && canRenumber(edit.key, after)) after = renumberTables(after, edit.key, edit.to);
      continue;
    }
    if (edit.do === 'remove') rows.delete(edit.key);
    else if (edit.do === 'pass round') passRound(rows, edit, (key) => canPass(key, now));
    else if ((edit.do === 'add') !== rows.has(edit.key)) rows.set(edit.key, { ...rows.get(edit.key), ...edit.cells });
    after[edit.table] = rows;
  }
  return after;
}

function passRound(
  rows: Map<string, Cells>,
  { keys, column }: Extract<Edit, { do: 'pass round' }>,
  canPass: (key: string) => boolean,
): void {
  const found = keys.flatMap((key): readonly (readonly [string, Cells])[] => {
    const cells = rows.get(key);
    return cells !== undefined && canPass(key) ? [[key, cells]] : [];
  });
  if (found.length < keys.length) return;
  found.forEach(([key, cells], index) => {
    const next = found[(index + 1) % found.length]?.[1];
    rows.set(key, { ...cells, [column]: next?.[column] ?? '' });
  });
}

/** Columns that name people; lists of them are written `a+b`. */
const NAMING: readonly string[] = ['person', 'owner', 'owners', 'team', 'people'];

function renumberTables(tables: Readonly<Record<TableName, Rows>>, key: string, to: string): Record<TableName, Rows> {
  const rename = (value: Yaml): Yaml =>
    String(value)
      .split('+')
      .map((one) => (one === key ? to : one))
      .join('+');
  const renumbered = TABLES.map((name) => [
    name,
    new Map(
      [...tables[name]].map(([row, cells]): [string, Cells] => [
        name === 'people' && row === key ? to : row,
        Object.fromEntries(
          Object.entries(cells).map(([column, value]) => [column, NAMING.includes(column) ? rename(value) : value]),
        ),
      ]),
    ),
  ]);
  return Object.fromEntries(renumbered) as Record<TableName, Rows>;
}

/** Somebody is always there: a source without any rows says nothing. */
export function startTables(): Tables {
  const somebody = { name: 'Somebody Else', email: 'somebody@example.com', place: 'no/Oslo', scope: 'no/Oslo' };
  const tables = Object.fromEntries(TABLES.map((name) => [name, new Map<string, Cells>()]));
  return { ...tables, people: new Map([['E0', somebody]]) } as unknown as Tables;
}
