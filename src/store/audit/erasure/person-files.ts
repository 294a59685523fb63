import { closeSync, existsSync, openSync, readdirSync, readSync, rmSync } from 'node:fs';
import { join, relative } from 'node:path';
import { isJsonObject, type Json } from '../../../model/json.js';
import type { PersonFinder } from './person.js';

/** Folders of files that can be created again. Files in them that name the person are deleted. */
const REMOVABLE = ['plans', 'reports', 'rejects'] as const;
/** The current databases with their logs, the locks, and a preview's copy, which the erasure always removes. */
const OWN_FILES = /^((state\.db|mirror\.db|(preview[/\\])?run\.lock)([-.]\w+)?|preview[/\\]copy[/\\].*)$/;

export interface PersonFiles {
  /** Plans, reports and rejects that name the person, as paths relative to the state folder. */
  readonly remove: readonly string[];
  /** Backups and other files in the folder that contain the person. The operator must delete them. */
  readonly left: readonly string[];
}

/** @param isInDatabase returns true if a database file contains the person */
export function findPersonFiles(
  folder: string,
  person: PersonFinder,
  isInDatabase: (file: string, person: PersonFinder) => boolean,
): PersonFiles {
  const remove: string[] = [];
  const left: string[] = [];
  for (const file of listFiles(folder)) {
    const path = relative(folder, file);
    const [top = ''] = path.split(/[/\\]/);
    if (OWN_FILES.test(path)) continue;
    const isRemovable = REMOVABLE.some((name) => name === top);
    if (isInFile(file, person) || (!isRemovable && isDatabase(file) && holds(file, person, isInDatabase)))
      (isRemovable ? remove : left).push(path);
  }
  return { remove: remove.sort(), left: left.sort() };
}

export function removeFiles(folder: string, paths: readonly string[]): void {
  for (const path of paths) rmSync(join(folder, path), { force: true });
}

export function listFiles(folder: string): readonly string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return listFiles(path);
    return entry.isFile() ? [path] : [];
  });
}

function isInFile(file: string, person: PersonFinder): boolean {
  for (const line of eachLine(file)) {
    const parsed = parseLine(line);
    if (person.isIn(line) || (parsed !== null && person.mentions(parsed))) return true;
  }
  return false;
}

/** Parses a line of a plan or NDJSON file: one JSON object, possibly followed by a comma. */
export function parseLine(line: string): Json {
  if (!line.startsWith('{"')) return null;
  try {
    const parsed = JSON.parse(line.replace(/,$/, '')) as Json;
    return isJsonObject(parsed) ? parsed : null;
  } catch {
    return null;
  }
}

function isDatabase(file: string): boolean {
  for (const line of eachLine(file)) return line.startsWith('SQLite format 3\0');
  return false;
}

/** A file that cannot be read counts as containing the person, because it may. */
function holds(file: string, person: PersonFinder, isInDatabase: (file: string, person: PersonFinder) => boolean) {
  try {
    return isInDatabase(file, person);
  } catch {
    return true;
  }
}

const CHUNK = 1 << 16;
/** Longer lines are searched in overlapping pieces. */
const LONGEST_LINE = 1 << 20;
const OVERLAP = 1 << 12;

/** Yields the lines of a file of any size and content. It reads one piece at a time. */
export function* eachLine(file: string): Iterable<string> {
  const handle = openSync(file, 'r');
  const decoder = new TextDecoder();
  const chunk = Buffer.alloc(CHUNK);
  try {
    let rest = '';
    for (let size = readSync(handle, chunk); size > 0; size = readSync(handle, chunk)) {
      const lines = `${rest}${decoder.decode(chunk.subarray(0, size), { stream: true })}`.split('\n');
      rest = lines.pop() ?? '';
      yield* lines;
      if (rest.length > LONGEST_LINE) {
        yield rest;
        rest = rest.slice(-OVERLAP);
      }
    }
    yield `${rest}${decoder.decode()}`;
  } finally {
    closeSync(handle);
  }
}
