import type Database from 'better-sqlite3';

type ColumnValue = string | number | null;

/** Storage of one kind of document: the columns that queries use, and their indexes. */
export interface CollectionShape<T> {
  readonly columns: Readonly<Record<string, (document: T) => ColumnValue>>;
  /** Column names separated by commas, one text for each index. */
  readonly indexes?: readonly string[];
  /** Keeps parsed documents in memory. It is meant for small collections that every response needs (offices, tags). */
  readonly cached?: true;
}

/** Documents of one kind: a JSON body plus the columns of the shape. Each statement is prepared only once. */
export class Collection<T extends { readonly id: string }> {
  readonly #db: Database.Database;
  readonly #table: string;
  readonly #shape: CollectionShape<T>;
  readonly #get: Database.Statement<[string], { body: string }>;
  readonly #put: Database.Statement<unknown[]>;
  readonly #delete: Database.Statement<[string]>;
  readonly #questions = new Map<string, Database.Statement<unknown[], { body: string }>>();
  readonly #counts = new Map<string, Database.Statement<unknown[], { n: number }>>();
  readonly #cache: Map<string, T> | undefined;
  /** Increases with every change and every rollback. */
  revision = 0;
  /** Number of changes of single documents since a caller reset it to 0. `onChange` was called for each of them. */
  told = 0;
  onChange: (id: string) => void = () => undefined;

  constructor(db: Database.Database, table: string, shape: CollectionShape<T>) {
    this.#db = db;
    this.#table = table;
    this.#shape = shape;
    const names = Object.keys(shape.columns);
    const columns = names.map((name) => `, ${name}`).join('');
    // The table has rowids. Without them, a document of a kilobyte would overflow onto a separate page.
    db.exec(`CREATE TABLE IF NOT EXISTS ${table} (id TEXT PRIMARY KEY, body TEXT NOT NULL${columns})`);
    this.createIndexes();
    this.#get = db.prepare(`SELECT body FROM ${table} WHERE id = ?`);
    const updates = ['body', ...names].map((name) => `${name} = excluded.${name}`).join(', ');
    this.#put = db.prepare<unknown[]>(
      `INSERT INTO ${table} (id, body${columns}) VALUES (?, ?${', ?'.repeat(names.length)})
       ON CONFLICT (id) DO UPDATE SET ${updates}`,
    );
    this.#delete = db.prepare(`DELETE FROM ${table} WHERE id = ?`);
    this.#cache = shape.cached ? new Map() : undefined;
  }

  createIndexes(): void {
    for (const index of this.#shape.indexes ?? []) {
      this.#db.exec(`CREATE INDEX IF NOT EXISTS ${this.#nameIndex(index)} ON ${this.#table} (${index})`);
    }
  }

  dropIndexes(): void {
    for (const index of this.#shape.indexes ?? []) this.#db.exec(`DROP INDEX IF EXISTS ${this.#nameIndex(index)}`);
  }

  #nameIndex(columns: string): string {
    return `${this.#table}_${columns.replaceAll(', ', '_')}`;
  }

  get(id = ''): T | undefined {
    const known = this.#cache?.get(id);
    if (known) return known;
    const row = this.#get.get(id);
    if (!row) return undefined;
    const document = JSON.parse(row.body) as T;
    this.#cache?.set(id, document);
    return document;
  }

  put(document: T): T {
    this.revision += 1;
    const cells = Object.values(this.#shape.columns).map((column) => column(document));
    this.#put.run(document.id, JSON.stringify(document), ...cells);
    this.#cache?.set(document.id, document);
    this.#tell(document.id);
    return document;
  }

  delete(id: string): void {
    this.revision += 1;
    this.#delete.run(id);
    this.#cache?.delete(id);
    this.#tell(id);
  }

  #tell(id: string): void {
    this.told += 1;
    this.onChange(id);
  }

  /**
   * Finds documents by the rest of a SELECT: `find('WHERE email_key = ?', [key])`. The statement is cached by its text; values
   * are bound.
   */
  find(rest: string, values: readonly ColumnValue[] = []): T[] {
    let question = this.#questions.get(rest);
    if (!question) {
      question = this.#db.prepare<unknown[], { body: string }>(`SELECT body FROM ${this.#table} ${rest}`);
      remember(this.#questions, rest, question);
    }
    return question.all(...values).map((row) => JSON.parse(row.body) as T);
  }

  /** Finds only the ids, for results that are too large to load. */
  ids(rest: string, values: readonly ColumnValue[] = []): string[] {
    return this.#db
      .prepare<unknown[], { id: string }>(`SELECT id FROM ${this.#table} ${rest}`)
      .all(...values)
      .map(({ id }) => id);
  }

  count(rest: string, values: readonly ColumnValue[] = []): number {
    let question = this.#counts.get(rest);
    if (!question) {
      question = this.#db.prepare<unknown[], { n: number }>(`SELECT count(*) AS n FROM ${this.#table} ${rest}`);
      remember(this.#counts, rest, question);
    }
    return question.get(...values)?.n ?? 0;
  }

  /** Yields every document, one at a time. The caller must not write until the iteration ends. */
  *each(): IterableIterator<T> {
    for (const row of this.#db.prepare<unknown[], { body: string }>(`SELECT body FROM ${this.#table}`).iterate()) {
      yield JSON.parse(row.body) as T;
    }
  }

  clear(): void {
    this.#db.exec(`DELETE FROM ${this.#table}`);
    this.forget();
  }

  first(rest: string, values: readonly ColumnValue[] = []): T | undefined {
    return this.find(`${rest} LIMIT 1`, values)[0];
  }

  all(): T[] {
    return this.find('ORDER BY id');
  }

  /** Clears the cache. After a rollback, it may contain changes that were undone. */
  forget(): void {
    this.revision += 1;
    this.#cache?.clear();
  }
}

/** Caches a statement. The number is limited, because each search builds its own statement. */
function remember<S>(statements: Map<string, S>, text: string, statement: S): void {
  if (statements.size >= 500) statements.clear();
  statements.set(text, statement);
}
