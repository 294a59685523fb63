import { randomBytes } from 'node:crypto';
import Database from 'better-sqlite3';
import { Collection } from './collection.js';
import type {
  CategoryDocument,
  CountryDocument,
  CustomerDocument,
  ImportDocument,
  IndustryDocument,
  MailDocument,
  OfficeDocument,
  ProjectDocument,
  TagDocument,
  UserDocument,
} from './documents.js';
import { foldText } from './languages.js';
import { isSimilar } from './similar.js';

/** The sandbox's own database: nothing else reads or writes it. */
export interface Store {
  readonly countries: Collection<CountryDocument>;
  readonly offices: Collection<OfficeDocument>;
  readonly users: Collection<UserDocument>;
  readonly categories: Collection<CategoryDocument>;
  readonly tags: Collection<TagDocument>;
  readonly industries: Collection<IndustryDocument>;
  readonly customers: Collection<CustomerDocument>;
  readonly projects: Collection<ProjectDocument>;
  readonly imports: Collection<ImportDocument>;
  readonly mails: Collection<MailDocument>;
  /** Runs `work` whole or not at all. Synchronous, so it never spans an await. */
  write<R>(work: () => R): R;
  /** Runs `work` and takes everything back, for dry runs. */
  rehearse<R>(work: () => R): R;
  countUsers(officeId: string): { readonly active: number; readonly deactivated: number };
  readMeta(name: string): string | undefined;
  writeMeta(name: string, value: string): void;
  close(): void;
}

const REHEARSAL = Symbol('rehearsal');

/** `file` is a path or ':memory:'. A process that dies loses nothing answered (WAL); a power cut may lose the last writes. */
export function createStore(file: string): Store {
  const db = new Database(file);
  db.pragma('journal_mode = WAL');
  db.pragma('synchronous = NORMAL');
  db.pragma('cache_size = -65536');
  db.exec('CREATE TABLE IF NOT EXISTS meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID');
  db.function('is_similar', { deterministic: true }, (key, asked) => (isSimilar(String(key), String(asked)) ? 1 : 0));
  const collections = createCollections(db);
  const counts = db.prepare<[string], { gone: number; n: number }>(
    'SELECT gone, count(*) AS n FROM users WHERE office_id = ? GROUP BY gone',
  );
  const readMeta = db.prepare<[string], { value: string }>('SELECT value FROM meta WHERE name = ?');
  const writeMeta = db.prepare('INSERT OR REPLACE INTO meta (name, value) VALUES (?, ?)');
  function write<R>(work: () => R): R {
    try {
      return db.transaction(work)();
    } catch (error) {
      for (const collection of Object.values(collections)) collection.forget();
      throw error;
    }
  }
  return {
    ...collections,
    write,
    rehearse: (work) => {
      const box: { result?: ReturnType<typeof work> } = {};
      try {
        write(() => {
          box.result = work();
          throw REHEARSAL;
        });
      } catch (error) {
        if (error !== REHEARSAL) throw error;
      }
      return box.result as ReturnType<typeof work>;
    },
    countUsers: (officeId) => {
      let active = 0;
      let deactivated = 0;
      for (const row of counts.all(officeId)) {
        if (row.gone === 1) deactivated = row.n;
        else active = row.n;
      }
      return { active, deactivated };
    },
    readMeta: (name) => readMeta.get(name)?.value,
    writeMeta: (name, value) => {
      writeMeta.run(name, value);
    },
    close: () => db.close(),
  };
}

/** Opaque identifiers in the form of 24 hexadecimal digits; random, so that their order tells nothing. */
export function createId(): string {
  return randomBytes(12).toString('hex');
}

/** E-mails are told apart without regard to case. */
export function emailKey(email: string): string {
  return email.trim().toLowerCase();
}

function createCollections(db: Database.Database) {
  return {
    countries: new Collection<CountryDocument>(db, {
      table: 'countries',
      columns: { code: (country) => country.code },
      indexes: [['code']],
      cached: true,
    }),
    offices: new Collection<OfficeDocument>(db, {
      table: 'offices',
      columns: { country_id: (office) => office.country_id, name: (office) => office.name },
      indexes: [['country_id', 'name']],
      cached: true,
    }),
    users: new Collection<UserDocument>(db, {
      table: 'users',
      columns: {
        email_key: (user) => emailKey(user.email),
        external_unique_id: (user) => user.external_unique_id,
        upn: (user) => user.upn,
        name_key: (user) => foldText(user.name),
        search_key: (user) => foldText(`${user.name}\n${user.email}\n${user.external_unique_id ?? ''}`),
        roles: (user) => ` ${[user.role, ...user.extra_roles].join(' ')} `,
        office_id: (user) => user.office_id,
        country_id: (user) => user.country_id,
        gone: (user) => (user.deactivated_at === null ? 0 : 1),
        profile_updated_at: (user) => user.profile_updated_at,
        has_tags: (user) => (user.custom_tag_ids.length === 0 ? null : 1),
      },
      indexes: [
        ['email_key'],
        ['external_unique_id'],
        ['upn'],
        ['name_key', 'id'],
        ['gone', 'name_key', 'id'],
        ['profile_updated_at', 'id'],
        ['office_id', 'gone'],
        ['has_tags'],
      ],
    }),
    categories: new Collection<CategoryDocument>(db, {
      table: 'categories',
      columns: { external_unique_id: (category) => category.external_unique_id },
      indexes: [['external_unique_id']],
      cached: true,
    }),
    tags: new Collection<TagDocument>(db, {
      table: 'tags',
      columns: { external_unique_id: (tag) => tag.external_unique_id, category_id: (tag) => tag.category_id },
      indexes: [['external_unique_id'], ['category_id']],
      cached: true,
    }),
    industries: new Collection<IndustryDocument>(db, { table: 'industries', columns: {}, indexes: [], cached: true }),
    customers: new Collection<CustomerDocument>(db, {
      table: 'customers',
      columns: {
        external_unique_id: (customer) => customer.external_unique_id,
        name_key: (customer) => foldText(Object.values(customer.customer_name).join('\n')),
      },
      indexes: [['external_unique_id'], ['name_key', 'id']],
    }),
    projects: new Collection<ProjectDocument>(db, {
      table: 'projects',
      columns: {
        external_unique_id: (project) => project.strings.external_unique_id ?? null,
        company_customer_id: (project) => project.company_customer_id,
        workflow_stage: (project) => project.workflow_stage,
      },
      indexes: [['external_unique_id'], ['company_customer_id', 'id']],
    }),
    imports: new Collection<ImportDocument>(db, {
      table: 'imports',
      columns: { state: (task) => task.state },
      indexes: [['state']],
    }),
    mails: new Collection<MailDocument>(db, { table: 'mails', columns: {}, indexes: [] }),
  };
}
