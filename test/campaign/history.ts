import type { Yaml } from '../scenarios/company.js';
import type { Fault } from './door.js';

/** The columns of a source's row. */
export type Cells = { readonly [column: string]: Yaml };
/** The rows of a source by key. */
export type Rows = ReadonlyMap<string, Cells>;
export const TABLES = [
  ...(['countries', 'offices', 'categories', 'tags', 'accounts', 'people', 'companies', 'deals'] as const),
  ...(['sections', 'staffing', 'bids'] as const),
] as const;
export type TableName = (typeof TABLES)[number];
/** The tables of the sources. */
export type Tables = Readonly<Record<TableName, Rows>>;

/** One edit of a source. Its targets may be missing in a shortened story; then it does nothing. */
export type Edit =
  | { readonly do: 'add' | 'set'; readonly table: TableName; readonly key: string; readonly cells: Cells }
  | { readonly do: 'remove'; readonly table: TableName; readonly key: string }
  /** Rows pass a value on in a circle: each takes that of the next. */
  | { readonly do: 'pass round'; readonly table: TableName; readonly keys: readonly string[]; readonly column: string }
  /** HR gives a person another number. */
  | { readonly do: 'renumber'; readonly table: 'people'; readonly key: string; readonly to: string };

/** An operator's act once a round is quiet. Afterwards it must become quiet again, with the same end. */
export type Act =
  /** The round's last run is undone. Then that undo is undone, or its pins end. */
  | { readonly do: 'undo'; readonly back: 'undo' | 'unpin' }
  | { readonly do: 'erase' | 'unlink'; readonly key: string }
  /** The state from before the round is restored. */
  | { readonly do: 'restore' };

/** Configurations for the first run of a round, before it gets its own again. */
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

/** An edit of an object in the service by others; `fields` as the reference names them. */
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
  /** One run per fault; none in a history without faults. */
  readonly faults: readonly Fault[];
  /** The mirror is deleted before the runs with these numbers, counted within the round from 0. */
  readonly losesMirrorAt: readonly number[];
  /** Time that passes before the round. */
  readonly restHours: number;
  /** A permanent edit of the configuration. */
  readonly settings: Partial<Settings>;
  readonly prelude: PreludeName | null;
  /** A plan reads the complete service after the edits, so that the audit can be replayed over it. */
  readonly looksFirst: boolean;
  readonly acts: readonly Act[];
}

export interface Settings {
  readonly afterId: 'exclude' | 'keyset';
  readonly tagsOnCvs: boolean;
  readonly afterMissingReads: number;
  readonly concurrency: number;
  /** The text that the mapping adds to each title. */
  readonly titleMark: '' | ' II';
  /** The effect of an empty cell on the telephone number. */
  readonly emptyPhone: 'keep' | 'clear';
  /** The access to the CRM: by its files, or by calls that list everything or only changes. */
  readonly crm: 'files' | 'lists' | 'changes';
  /** HR and the CRM get ids, and colleagues' changes. */
  readonly writesBack: boolean;
  /** People may be protected. */
  readonly protects: boolean;
  /** The service e-mails people who are created, return or are linked to a project. */
  readonly mails: boolean;
  /** Leavers are deleted after this number of days; null for never. */
  readonly purgeDays: number | null;
}

/** An account in the service before the first run. */
export interface Account {
  readonly email: string;
  readonly name: string;
  /** `no/Oslo` */
  readonly place: string;
  readonly title: string;
}

/** A complete story as data: it can be printed, shortened and replayed. */
export interface History {
  readonly seed: number;
  readonly settings: Settings;
  readonly accounts: readonly Account[];
  readonly rounds: readonly Round[];
}

/** These edits come after all others, in this order. */
const LAST: readonly string[] = ['pass round', 'renumber'];

/** The rows that may pass values on, and the people whose number may change. */
export interface Passing {
  canPass(key: string, tables: Tables): boolean;
  canRenumber(key: string, tables: Tables): boolean;
}

/**
 * The tables after the edits of a round. Passed values come last, and only among rows that `canPass` allows: an address
 * that
 * a leaver keeps, or that a joiner takes over, is held, which is another story.
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

/** One person always exists: a source without any rows says nothing. */
export function startTables(): Tables {
  const somebody = { name: 'Somebody Else', email: 'somebody@example.com', place: 'no/Oslo', scope: 'no/Oslo' };
  const tables = Object.fromEntries(TABLES.map((name) => [name, new Map<string, Cells>()]));
  return { ...tables, people: new Map([['E0', somebody]]) } as unknown as Tables;
}
