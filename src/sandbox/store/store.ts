import { randomUUID } from 'node:crypto';
import Database from 'better-sqlite3';
import { foldText } from '../fields/languages.js';
import { Collection, type CollectionShape } from './collection.js';
import type { CvDocument, LinkDocument } from './cv-documents.js';
import { foldCv, foldProject, foldUser, listSkillNames, readFieldText } from './cv-text.js';
import type * as kept from './documents.js';
import type { ProjectDocument, TailoredReferenceDocument } from './project-documents.js';
import { createUserSearch, type UserSearch } from './user-search.js';

/** The database of the sandbox, which no other program uses. */
export interface Store extends Collections {
  /** The collections by name, for code that treats all of them in the same way. */
  readonly collections: Collections;
  /** Runs `work` in a transaction. `work` is synchronous, so a transaction never spans an await. */
  write<R>(work: () => R): R;
  /** Runs `work` and rolls it back, as for a dry run. */
  rehearse<R>(work: () => R): R;
  readonly searchUsers: UserSearch;
  findUser(email: string): kept.UserDocument | undefined;
  countUsers(officeId: string): { readonly active: number; readonly deactivated: number };
  /** Fills empty collections and then creates their indexes. Until then, documents can only be read by id. */
  fill(collections: readonly Indexed[], work: () => void): void;
  /** Releases cached pages of the file, after a large read that is not repeated. */
  releaseMemory(): void;
  readMeta(name: string): string | undefined;
  writeMeta(name: string, value: string): void;
  close(): void;
}

const REHEARSAL = Symbol('rehearsal');

/**
 * Opens a database. `file` is a path or ':memory:'. A crash of the process loses no answered write (WAL); a power failure may
 * lose the last ones.
 */
export function createStore(file: string): Store {
  const db = new Database(file);
  db.pragma('journal_mode = WAL');
  db.pragma('synchronous = NORMAL');
  db.pragma('cache_size = -65536');
  // An account in memory must not need a disk, because its container may have no writable one.
  if (file === ':memory:') db.pragma('temp_store = MEMORY');
  // A new user writes a page in each of ten indexes. Rarer checkpoints combine many of these writes.
  db.pragma('wal_autocheckpoint = 10000');
  db.exec('CREATE TABLE IF NOT EXISTS meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID');
  db.function('field_text', { deterministic: true }, (body, field) => readFieldText(String(body), String(field)));
  const collections = createCollections(db);
  const readMeta = db.prepare<[string], { value: string }>('SELECT value FROM meta WHERE name = ?');
  const writeMeta = db.prepare('INSERT OR REPLACE INTO meta (name, value) VALUES (?, ?)');
  return {
    ...collections,
    collections,
    ...createTransactions(db, Object.values(collections)),
    searchUsers: createUserSearch(db, collections.users),
    findUser: (email) => collections.users.first('WHERE email_key = ?', [emailKey(email)]),
    countUsers: createUserCounts(db, collections.users),
    fill: (filled, work) => {
      for (const collection of filled) collection.dropIndexes();
      work();
      for (const collection of filled) collection.createIndexes();
    },
    releaseMemory: () => {
      db.pragma('shrink_memory');
    },
    readMeta: (name) => readMeta.get(name)?.value,
    writeMeta: (name, value) => {
      writeMeta.run(name, value);
    },
    close: () => db.close(),
  };
}

type Indexed = Pick<Collection<never>, 'dropIndexes' | 'createIndexes'>;
type Changing = Pick<Collection<never>, 'revision' | 'forget'>;

function createTransactions(db: Database.Database, all: readonly Changing[]): Pick<Store, 'write' | 'rehearse'> {
  // The transaction is created once, because creating one takes longer than many writes. A nested call becomes a savepoint.
  const runWhole = db.transaction((work: () => unknown) => work());
  function write<R>(work: () => R): R {
    const before = all.map((collection) => collection.revision);
    try {
      return runWhole(work) as R;
    } catch (error) {
      // Most errors occur before anything has changed.
      for (const [index, collection] of all.entries()) {
        if (collection.revision !== before[index]) collection.forget();
      }
      throw error;
    }
  }
  function rehearse<R>(work: () => R): R {
    const box: { result?: R } = {};
    try {
      write(() => {
        box.result = work();
        throw REHEARSAL;
      });
    } catch (error) {
      if (error !== REHEARSAL) throw error;
    }
    return box.result as R;
  }
  return { write, rehearse };
}

interface UserCount {
  active: number;
  deactivated: number;
}

/** Counts users per office. Every list of countries shows these numbers, so they are recounted only after users have changed. */
function createUserCounts(db: Database.Database, users: Collection<kept.UserDocument>): Store['countUsers'] {
  const question = db.prepare<[], { office_id: string; gone: number; n: number }>(
    'SELECT office_id, gone, count(*) AS n FROM users GROUP BY office_id, gone',
  );
  let counts = new Map<string, UserCount>();
  let revision = -1;
  return (officeId) => {
    if (users.revision !== revision) {
      counts = new Map();
      for (const { office_id, gone, n } of question.all()) {
        const count = counts.get(office_id) ?? { active: 0, deactivated: 0 };
        count[gone === 1 ? 'deactivated' : 'active'] = n;
        counts.set(office_id, count);
      }
      revision = users.revision;
    }
    return counts.get(officeId) ?? { active: 0, deactivated: 0 };
  };
}

/** Returns an opaque id of 24 hexadecimal digits. It is random, so that its order means nothing. */
export function createId(): string {
  // Random UUIDs come from a pool. A system call for each id would take longer than the rest of a record.
  return randomUUID().replaceAll('-', '').slice(0, 24);
}

/** Returns the key of an e-mail address, which ignores case. */
export function emailKey(email: string): string {
  return email.trim().toLowerCase();
}

/** Joins ids for `instr(tags, ' <id> ')`. */
function joinIds(ids: readonly string[]): string | null {
  return ids.length === 0 ? null : ` ${ids.join(' ')} `;
}

function shape<T extends { readonly id: string }>(columns: CollectionShape<T>): CollectionShape<T> {
  return columns;
}

const USERS = shape<kept.UserDocument>({
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
    tags: (user) => joinIds(user.custom_tag_ids),
    cv_id: (user) => user.default_cv_id,
    text_key: (user) => foldUser(user),
  },
  indexes: [
    'email_key',
    'external_unique_id',
    'upn',
    'name_key, id',
    'gone, name_key, id',
    'profile_updated_at, id',
    'office_id, gone',
    'has_tags',
    'cv_id',
  ],
});

const SHAPES = {
  countries: shape<kept.CountryDocument>({ columns: { code: ({ code }) => code }, indexes: ['code'], cached: true }),
  offices: shape<kept.OfficeDocument>({
    columns: { country_id: (office) => office.country_id, name: (office) => office.name },
    indexes: ['country_id, name'],
    cached: true,
  }),
  users: USERS,
  categories: shape<kept.CategoryDocument>({
    columns: { external_unique_id: (category) => category.external_unique_id },
    indexes: ['external_unique_id'],
    cached: true,
  }),
  tags: shape<kept.TagDocument>({
    columns: { external_unique_id: (tag) => tag.external_unique_id, category_id: (tag) => tag.category_id },
    indexes: ['external_unique_id', 'category_id'],
    cached: true,
  }),
  industries: shape<kept.IndustryDocument>({ columns: {}, cached: true }),
  customers: shape<kept.CustomerDocument>({
    columns: {
      external_unique_id: (customer) => customer.external_unique_id,
      name_key: (customer) => foldText(Object.values(customer.customer_name).join('\n')),
    },
    indexes: ['external_unique_id', 'name_key, id'],
  }),
  projects: shape<ProjectDocument>({
    columns: {
      external_unique_id: (project) => project.strings.external_unique_id ?? null,
      company_customer_id: (project) => project.company_customer_id,
      workflow_stage: (project) => project.workflow_stage,
      text_key: (project) => foldProject(project),
    },
    indexes: ['external_unique_id', 'company_customer_id, id'],
  }),
  imports: shape<kept.ImportDocument>({ columns: { state: (task) => task.state }, indexes: ['state'] }),
  mails: shape<kept.MailDocument>({ columns: { at: (mail) => mail.at }, indexes: ['at'] }),
  cvs: shape<CvDocument>({
    columns: {
      user_id: (cv) => cv.user_id,
      proposal_id: (cv) => cv.proposal_id,
      has_tags: (cv) => (cv.custom_tag_ids.length === 0 ? null : 1),
      tags: (cv) => joinIds(cv.custom_tag_ids),
      skills: (cv) => listSkillNames(cv),
      text_key: (cv) => foldCv(cv),
    },
    indexes: ['user_id', 'proposal_id, id', 'has_tags'],
  }),
  links: shape<LinkDocument>({
    columns: { cv_id: (link) => link.cv_id, project_id: (link) => link.project_id },
    indexes: ['cv_id', 'project_id'],
  }),
  proposals: shape<kept.ProposalDocument>({
    columns: {
      name_key: (proposal) => foldText(proposal.name),
      archived: (proposal) => (proposal.archived ? 1 : 0),
      parties: (proposal) => joinIds([proposal.owner, ...proposal.collaborators].map((party) => party.id)),
    },
    indexes: ['archived, name_key, id'],
  }),
  tailored_references: shape<TailoredReferenceDocument>({
    columns: { proposal_id: (reference) => reference.proposal_id },
    indexes: ['proposal_id, id'],
  }),
  reports: shape<kept.ReportDocument>({ columns: { state: (report) => report.state }, indexes: ['state'] }),
  files: shape<kept.FileDocument>({ columns: {} }),
  file_parts: shape<kept.FilePartDocument>({ columns: { file_id: (part) => part.file_id }, indexes: ['file_id'] }),
};

type DocumentOf<Shape> = Shape extends CollectionShape<infer T extends { readonly id: string }> ? T : never;

export type Collections = { readonly [Name in keyof typeof SHAPES]: Collection<DocumentOf<(typeof SHAPES)[Name]>> };

function createCollections(db: Database.Database): Collections {
  const collections = Object.entries(SHAPES).map(([table, columns]) => [
    table,
    new Collection(db, table, columns as CollectionShape<never>),
  ]);
  return Object.fromEntries(collections) as Collections;
}
