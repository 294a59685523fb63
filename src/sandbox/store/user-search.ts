import type Database from 'better-sqlite3';
import type { Collection } from './collection.js';
import type { UserDocument } from './documents.js';
import { WordTrie } from './word-trie.js';

export interface UserQuestion {
  /** Folded text that the name, e-mail or external id must contain or be similar to. */
  readonly name: string;
  readonly withDeactivated: boolean;
  readonly role: string | undefined;
  readonly offices: readonly string[];
  /** True to list exact matches before similar ones; otherwise, results are sorted by name only. */
  readonly byRelevance: boolean;
  readonly from: number;
  readonly size: number;
}

/** Returns the ids of one page of the users that were found. */
export type UserSearch = (question: UserQuestion) => readonly string[];

interface SearchRow {
  readonly id: string;
  readonly search_key: string;
  readonly name_key: string;
  readonly gone: number;
  readonly roles: string;
  readonly office_id: string;
}

/** A copy of a user's data for the search, which takes 300 bytes of memory. */
interface IndexedUser {
  row: SearchRow;
  /** Numbers of the user's words; empty if the user is deleted. */
  words: readonly number[];
  /** Number of the last search that found the user. */
  listed: number;
}

interface Index {
  readonly trie: WordTrie;
  readonly entries: Map<string, IndexedUser>;
  /** Word → the users who have or once had the word. */
  readonly holders: Set<IndexedUser>[];
  /** Earlier search word → the words near it. Entries are valid until a word is added. */
  readonly near: Map<string, ReadonlySet<number>>;
  /** All keys joined in one text, because searching one text is many times faster than searching each key. */
  joined: Joined;
  /** Users who have changed since the keys were joined. */
  readonly fresh: Set<IndexedUser>;
  questions: number;
  remembered: number;
}

interface Joined {
  readonly text: string;
  /** Offset of the key of each entry. */
  readonly starts: readonly number[];
  readonly entries: readonly IndexedUser[];
}

const MOST_FRESH = 500;
/** Maximum total number of cached word numbers. */
const MOST_REMEMBERED = 200_000;
const MOST_CHANGED = 5_000;

/**
 * Searches by name in memory, because SQLite would compare every word of every user with every search word. The index is built
 * at the first search, updated for each stored user, and rebuilt after a rollback.
 */
export function createUserSearch(db: Database.Database, users: Collection<UserDocument>): UserSearch {
  const columns = 'id, search_key, name_key, gone, roles, office_id';
  const readAll = db.prepare<[], SearchRow>(`SELECT ${columns} FROM users`);
  const readOne = db.prepare<[string], SearchRow>(`SELECT ${columns} FROM users WHERE id = ?`);
  let index: Index | null = null;
  let revision = -1;
  const changed = new Set<string>();
  users.onChange = (id) => {
    if (index !== null) changed.add(id);
  };

  function bringUpToDate(): Index {
    // Each reported change increases the revision by one, so any other difference means that changes were rolled back.
    const isFollowed = users.revision - revision === users.told && changed.size <= MOST_CHANGED;
    if (index === null || !isFollowed) index = buildIndex(readAll.iterate());
    else for (const id of changed) follow(index, id, readOne.get(id));
    if (index.fresh.size > MOST_FRESH) joinKeys(index);
    changed.clear();
    users.told = 0;
    revision = users.revision;
    return index;
  }

  return (question) => {
    const current = bringUpToDate();
    current.questions += 1;
    const found: RankedUser[] = [];
    const take = (entry: IndexedUser, rank: number): void => {
      if (entry.listed === current.questions) return;
      entry.listed = current.questions;
      if (isWanted(question, entry)) found.push({ row: entry.row, rank });
    };
    for (const entry of listContaining(question.name, current)) take(entry, 0);
    const rank = question.byRelevance ? 1 : 0;
    for (const entry of listSimilar(question.name, current)) take(entry, rank);
    return takePage(found, question.from, question.size);
  };
}

function isWanted({ withDeactivated, role, offices }: UserQuestion, { row, words }: IndexedUser): boolean {
  if (words.length === 0 || (row.gone === 1 && !withDeactivated)) return false;
  if (role !== undefined && !row.roles.includes(` ${role} `)) return false;
  return offices.length === 0 || offices.includes(row.office_id);
}

function buildIndex(rows: Iterable<SearchRow>): Index {
  const joined = { text: '', starts: [], entries: [] };
  const index: Index = {
    trie: new WordTrie(),
    entries: new Map(),
    holders: [],
    near: new Map(),
    joined,
    fresh: new Set(),
    questions: 0,
    remembered: 0,
  };
  for (const row of rows) follow(index, row.id, row);
  joinKeys(index);
  return index;
}

function follow(index: Index, id: string, row: SearchRow | undefined): void {
  const known = index.entries.get(id);
  if (row === undefined) {
    if (known) known.words = [];
    index.entries.delete(id);
    return;
  }
  const entry = known ?? { row, words: [], listed: 0 };
  const isSame = known?.row.search_key === row.search_key;
  entry.row = row;
  if (isSame) return;
  entry.words = [...new Set(splitWords(row.search_key))].map((word) => index.trie.add(word));
  for (const word of entry.words) {
    const holders = index.holders[word];
    if (holders === undefined) index.holders[word] = new Set([entry]);
    else holders.add(entry);
  }
  index.entries.set(id, entry);
  index.fresh.add(entry);
}

function joinKeys(index: Index): void {
  const entries = [...index.entries.values()];
  const keys = entries.map((entry) => entry.row.search_key);
  const starts: number[] = [];
  let length = 0;
  for (const key of keys) {
    starts.push(length);
    length += key.length + 1;
  }
  index.joined = { text: keys.join('\u0000'), starts, entries };
  index.fresh.clear();
}

function* listContaining(name: string, { joined, fresh }: Index): IterableIterator<IndexedUser> {
  const { text, starts, entries } = joined;
  for (let at = text.indexOf(name); at !== -1; ) {
    // Finds the last key that begins at or before the match.
    let low = 0;
    let high = starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((starts[middle] ?? 0) <= at) low = middle;
      else high = middle - 1;
    }
    const entry = entries[low];
    if (entry && !fresh.has(entry)) yield entry;
    const next = starts[low + 1];
    at = next === undefined ? -1 : text.indexOf(name, next);
  }
  for (const entry of fresh) if (entry.row.search_key.includes(name)) yield entry;
}

function findNear(index: Index, word: string): ReadonlySet<number> {
  const { trie, near } = index;
  const key = `${trie.count} ${word}`;
  const known = near.get(key);
  if (known !== undefined) return known;
  const found = new Set(trie.findNear(word, countAllowedEdits(word)));
  index.remembered += found.size + 1;
  if (index.remembered > MOST_REMEMBERED) {
    near.clear();
    index.remembered = found.size + 1;
  }
  near.set(key, found);
  return found;
}

const GAPS = /[\s@.,_-]+/;

function splitWords(text: string): readonly string[] {
  return text.split(GAPS).filter((word) => word !== '');
}

/**
 * Returns the number of typos that the user search allows in a word. A user is similar if every search word is near a word of
 * the user. Words of four to six letters may have one typo, longer words two. Shorter words must match exactly, because
 * otherwise nearly every user would be similar.
 */
function countAllowedEdits(wanted: string): 0 | 1 | 2 {
  if (wanted.length < 4) return 0;
  return wanted.length < 7 ? 1 : 2;
}

/** Yields users with a word near each search word. It begins with the search word that the fewest users match. */
function* listSimilar(name: string, index: Index): IterableIterator<IndexedUser> {
  const { entries, holders } = index;
  const near = splitWords(name).map((word) => findNear(index, word));
  if (near.length === 0) yield* entries.values();
  const sizes = near.map((words) => {
    let sum = 0;
    for (const word of words) sum += holders[word]?.size ?? 0;
    return sum;
  });
  const rarest = near[sizes.indexOf(Math.min(...sizes))];
  const others = near.filter((words) => words !== rarest);
  for (const word of rarest ?? []) {
    for (const entry of holders[word] ?? []) {
      // The user may only have had the word earlier.
      if (entry.words.includes(word) && others.every((words) => hasAny(words, entry.words))) yield entry;
    }
  }
}

function hasAny(words: ReadonlySet<number>, own: readonly number[]): boolean {
  for (const word of own) if (words.has(word)) return true;
  return false;
}

interface RankedUser {
  readonly row: SearchRow;
  readonly rank: number;
}

function compare(a: RankedUser, b: RankedUser): number {
  if (a.rank !== b.rank) return a.rank - b.rank;
  if (a.row.name_key !== b.row.name_key) return a.row.name_key < b.row.name_key ? -1 : 1;
  return a.row.id < b.row.id ? -1 : 1;
}

/** Finds a page of thousands of users without sorting all of them. */
function takePage(found: readonly RankedUser[], from: number, size: number): readonly string[] {
  const wanted = from + size;
  let best: RankedUser[] = [];
  let last: RankedUser | undefined;
  for (const one of found) {
    if (last !== undefined && compare(one, last) > 0) continue;
    best.push(one);
    if (best.length < wanted * 2 + 100) continue;
    best = best.sort(compare).slice(0, wanted);
    last = best.at(-1);
  }
  return best
    .sort(compare)
    .slice(from, wanted)
    .map(({ row }) => row.id);
}
