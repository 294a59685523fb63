import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Story } from '../scenarios/kit.js';

/** Column → text. */
export type ToldCells = Readonly<Record<string, string>>;

/** The values written back to one record, by a call or by a row of a file. */
export interface Told {
  /** `staff`, `crm.deals` */
  readonly source: string;
  readonly record: string;
  readonly cells: ToldCells;
  /** True if any cell differs from the source's value. */
  readonly isNews: boolean;
}

interface Memory {
  /** `crm.deals P1` → the values written back so far. */
  readonly known: Map<string, ToldCells>;
  /** The part of them that its rows show since the last delivery. */
  readonly shown: Map<string, ToldCells>;
  readonly files: Set<string>;
  fresh: Told[];
}

const memories = new WeakMap<Story, Memory>();

function memoryOf(story: Story): Memory {
  const memory = memories.get(story) ?? { known: new Map(), shown: new Map(), files: new Set(), fresh: [] };
  memories.set(story, memory);
  return memory;
}

/** Stores written-back values in the source. */
export function keepTold(story: Story, source: string, record: string, cells: ToldCells): void {
  const { known, fresh } = memoryOf(story);
  const had = knownOf(story, source, record);
  const isNews = Object.entries(cells).some(([column, cell]) => had[column] !== cell);
  known.set(`${source} ${record}`, { ...had, ...cells });
  fresh.push({ source, record, cells, isNews });
}

export function knownOf(story: Story, source: string, record: string): ToldCells {
  return memoryOf(story).known.get(`${source} ${record}`) ?? {};
}

/** Shows them in the row from now on. */
export function showTold(story: Story, source: string, record: string): ToldCells {
  const cells = knownOf(story, source, record);
  memoryOf(story).shown.set(`${source} ${record}`, cells);
  return cells;
}

export function shownOf(story: Story, source: string, record: string): ToldCells {
  return memoryOf(story).shown.get(`${source} ${record}`) ?? {};
}

/** Sources with files read theirs from one folder each. */
const FOLDERS: readonly string[] = ['staff', 'crm.companies', 'crm.deals'];

export function folderOf(source: string): string {
  return `to-${source}`;
}

/** The values written back since the last look, including those in current files. */
export function takeTold(story: Story): readonly Told[] {
  readFiles(story);
  const memory = memoryOf(story);
  const taken = memory.fresh;
  memory.fresh = [];
  return taken;
}

/** Lets sources with files take in the files in their folders. */
export function readFiles(story: Story): void {
  const { files } = memoryOf(story);
  for (const source of FOLDERS) {
    const folder = join(story.folder, folderOf(source));
    mkdirSync(folder, { recursive: true });
    for (const name of readdirSync(folder).sort()) {
      const file = join(folder, name);
      if (name.startsWith('.') || files.has(file)) continue;
      files.add(file);
      const [header = '', ...rows] = readFileSync(file, 'utf8').trim().split('\r\n');
      const [, ...columns] = header.split(';');
      for (const row of rows) {
        const [record = '', ...cells] = row.split(';');
        keepTold(story, source, record, Object.fromEntries(columns.map((column, at) => [column, cells[at] ?? ''])));
      }
    }
  }
}
