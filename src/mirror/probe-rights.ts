import type { Config } from '../config/config.js';
import { ENTITIES, type Entity, isSection } from '../model/entity.js';
import { plural } from '../model/plural.js';
import { SECTION_TYPES } from '../model/sections.js';
import type { ServiceReader } from '../service/talent-service.js';
import { contradict } from './refused-reads.js';

/** A permission, with the read that proves it. */
export interface RightProbe {
  readonly name: string;
  /** Returns a readable finding. @throws when the service rejects the read */
  read(reader: ServiceReader, signal: AbortSignal | undefined): Promise<string>;
}

/** Read permissions by entity. Entities in one row need the same permission. */
const READS: readonly (RightProbe & {
  readonly of: readonly Entity[];
  /** Fields that need the permission even if their entity does not, such as `users.cv_tags`. */
  readonly fields?: readonly string[];
})[] = [
  {
    name: 'right to read users',
    of: ['users', 'staffing', 'projects', 'proposals', ...SECTION_TYPES],
    async read(reader, signal) {
      for await (const _ of reader.users.search({ size: 1, signal })) break;
      // The service answers other roles with 403 (spec, Rules for users/changes 4).
      await reader.users.readChangesPage({ since: new Date().toISOString(), limit: 1 });
      return 'the key is internationalmanager or readonly_internationalmanager';
    },
  },
  {
    name: 'right to read tags',
    of: ['tag_categories', 'tags', 'users', 'customers', 'projects'],
    read: async (reader, signal) => plural((await reader.tags.listCategories(signal)).length, 'category', 'categories'),
  },
  {
    name: 'right to read customers',
    of: ['customers', 'projects', 'staffing'],
    async read(reader, signal) {
      for await (const page of reader.customers.list({ size: 1, signal })) {
        const [customer] = page;
        if (customer === undefined) break;
        const projects = await reader.projects.list(customer.id, signal);
        if (projects === null) throw contradict(`customer ${customer.id}`, 'GET /api/v2/company/cv/projects');
        return `at least one customer, and its ${plural(projects.length, 'project')} with custom fields`;
      }
      return 'no customer yet, so reading projects cannot be tested';
    },
  },
  {
    name: 'right to read CVs',
    of: ['staffing', ...SECTION_TYPES],
    fields: ['users.cv_tags', 'users.tags'],
    async read(reader, signal) {
      const { cvs, total } = await reader.cvs.searchPage({ offset: 0, size: 1, signal });
      const [hit] = cvs;
      const userId = hit?.cv.user_id;
      if (hit === undefined || !userId) return 'no CV yet, so reading one cannot be tested';
      const cv = await reader.cvs.get({ userId, cvId: hit.cv.id }, signal);
      return `${total === null ? 'some CVs' : plural(total, 'CV')}${cv === null ? '' : ', one of them read entirely'}`;
    },
  },
  {
    name: 'right to search projects',
    of: ['staffing'],
    fields: ['customers.industry'],
    async read(reader, signal) {
      const { projects } = await reader.projects.searchPage({ offset: 0, size: 1, signal });
      return projects.length === 0 ? 'no project yet' : 'at least one project';
    },
  },
  {
    name: 'right to read proposals',
    of: ['proposals'],
    async read(reader, signal) {
      for await (const page of reader.proposals.list({ size: 1, signal })) return `at least ${page.length} proposal`;
      return 'no proposal yet';
    },
  },
];

/** The roles needed to write an entity. No read can prove that the key has them (spec, Authentication 3 and 4). */
const WRITES: readonly {
  readonly of: readonly Entity[];
  readonly what: string;
  readonly role: string;
  /** Returns true if records can also create such objects by naming them. */
  readonly followsNames?: (config: Config) => boolean;
}[] = [
  {
    of: ['users'],
    what: 'users',
    role: 'internationalmanager, or countrymanager for its own country; moving people between countries needs internationalmanager',
  },
  {
    of: ['countries', 'offices'],
    what: 'countries and offices',
    role: 'internationalmanager',
    followsNames: ({ users }) => users?.createMissingOffices === true,
  },
  {
    of: ['tag_categories', 'tags'],
    what: 'tag categories and tags',
    role: 'internationalmanager or higher',
    followsNames: (config) => config.tags.createMissing && namesTags(config),
  },
  { of: ['customers'], what: 'customers', role: 'referencemanager or internationalmanager' },
  {
    of: ['projects'],
    what: 'reference projects',
    role: 'referencemanager or internationalmanager, and the publish permission for `workflow_stage: live`',
  },
  {
    of: ['staffing', ...SECTION_TYPES],
    what: 'CVs',
    role: 'a role that may edit all of them, and hard linking enabled for the account if `link` is true',
  },
  { of: ['proposals'], what: 'proposals', role: 'an administrator, or the owner of each' },
];

/** Lists the reads that prove the permissions that this configuration needs, each once. */
export function listRightProbes(config: Config): readonly RightProbe[] {
  const isMapped = (path: string): boolean => {
    const [entity, field = ''] = path.split('.') as [Entity, string?];
    return config.mappings[entity]?.fields[field] !== undefined;
  };
  return READS.filter(
    ({ of, fields = [] }) => of.some((entity) => isNeeded(entity, config)) || fields.some((path) => isMapped(path)),
  );
}

/** Lists the permissions that this configuration needs but that no read can prove, each with its role. */
export function listUnprovable(config: Config): readonly string[] {
  const lines = WRITES.filter(
    ({ of, followsNames }) => of.some((entity) => isNeeded(entity, config)) || followsNames?.(config) === true,
  ).map(({ what, role }) => `not proven, because nothing was written: the right to change ${what} (needs ${role})`);
  return lines.length === 0 ? ['this configuration writes nothing'] : lines;
}

function isNeeded(entity: Entity, config: Config): boolean {
  return config.mappings[entity] !== undefined;
}

function namesTags({ mappings }: Config): boolean {
  return ENTITIES.some((entity) => !isSection(entity) && 'tags' in (mappings[entity]?.fields ?? {}));
}
