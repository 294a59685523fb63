import type { Place } from '../../model/place.js';
import type { Sqlite } from '../sqlite.js';
import { createStatements } from '../statements.js';

const FILES = 'files';
const LINES = 'lines';
const NAMES = 'names';

/**
 * The places of the staged rows. They are stored separately, so that a line inserted above all others does not rewrite
 * any row.
 */
export class StagedPlaces {
  private names: string[] = [];
  private numbers = new Map<string, number>();
  /** For each row, 1 + the index of its file's name; 0 if the file is unknown. */
  private files = new Int32Array(0);
  private lines = new Int32Array(0);
  private isMoved = false;
  private isLoaded = false;
  private readonly statements;

  /** @param isOwn true if the tables are private, so nothing is stored */
  constructor(
    sqlite: Sqlite,
    private readonly isOwn: boolean,
  ) {
    this.isLoaded = isOwn;
    const { run, value } = createStatements(sqlite);
    this.statements = {
      find: value<Buffer>('SELECT value FROM main.staged_places WHERE name = $name'),
      put: run('INSERT OR REPLACE INTO main.staged_places (name, value) VALUES ($name, $value)'),
    };
  }

  set(row: number, { at, line = 0 }: Place): void {
    this.load();
    if (row >= this.files.length) this.grow(row);
    const file = this.numberOf(at);
    if (this.files[row] === file && this.lines[row] === line) return;
    this.files[row] = file;
    this.lines[row] = line;
    this.isMoved = true;
  }

  get(row: number, source: string): Place {
    this.load();
    const at = this.names[(this.files[row] ?? 0) - 1] ?? '';
    const line = this.lines[row] ?? 0;
    return line === 0 ? { source, at } : { source, at, line };
  }

  /** Stores the places for the next run. Names of files without rows are dropped. */
  save(): void {
    if (!this.isMoved || this.isOwn) return;
    this.dropUnused();
    const bytesOf = ({ buffer, byteLength }: Int32Array<ArrayBuffer>): Buffer => Buffer.from(buffer, 0, byteLength);
    this.statements.put({ name: NAMES, value: Buffer.from(JSON.stringify(this.names)) });
    this.statements.put({ name: FILES, value: bytesOf(this.files) });
    this.statements.put({ name: LINES, value: bytesOf(this.lines) });
    this.isMoved = false;
  }

  private load(): void {
    if (this.isLoaded) return;
    this.isLoaded = true;
    const { find } = this.statements;
    const numbersOf = (name: string): Int32Array<ArrayBuffer> => {
      const bytes = find({ name }) ?? Buffer.alloc(0);
      return new Int32Array(Uint8Array.from(bytes).buffer);
    };
    this.setNames(JSON.parse(find({ name: NAMES })?.toString() ?? '[]') as string[]);
    this.files = numbersOf(FILES);
    this.lines = numbersOf(LINES);
  }

  private grow(row: number): void {
    const length = Math.max(1024, Math.ceil((row + 1) * 1.25));
    const longer = (numbers: Int32Array): Int32Array<ArrayBuffer> => {
      const grown = new Int32Array(length);
      grown.set(numbers);
      return grown;
    };
    this.files = longer(this.files);
    this.lines = longer(this.lines);
  }

  private numberOf(at: string): number {
    const known = this.numbers.get(at);
    if (known !== undefined) return known;
    this.names.push(at);
    this.numbers.set(at, this.names.length);
    return this.names.length;
  }

  private setNames(names: string[]): void {
    this.names = names;
    this.numbers = new Map(names.map((name, index) => [name, index + 1]));
  }

  private dropUnused(): void {
    const before = this.names;
    this.setNames([]);
    const renumbered = new Int32Array(before.length + 1);
    for (const [row, file] of this.files.entries()) {
      if (file === 0) continue;
      renumbered[file] ||= this.numberOf(before[file - 1] ?? '');
      this.files[row] = renumbered[file] ?? 0;
    }
  }
}
