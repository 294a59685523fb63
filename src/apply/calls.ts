import { SyncError } from '../errors.js';
import {
  observeCategory,
  observeCustomer,
  observeOffice,
  observeProject,
  observeTag,
  observeUser,
} from '../mirror/observe.js';
import type { Directory } from '../model/directory.js';
import type { Entity } from '../model/entity.js';
import type { Json } from '../model/json.js';
import { foldKey, type Observed } from '../model/observed.js';
import type { Change } from '../model/plan.js';
import { type EndpointName, formatTemplate } from '../service/endpoints.js';
import type { ServiceReader, ServiceWriter } from '../service/talent-service.js';
import { buildCustomerCreate, buildPlainBody, buildUserBody, buildUserCreate, type Notifications } from './bodies.js';
import { needId, resolveCustomer } from './resolve-ids.js';

/** What a call answered: the object as it is now, and how to name the call to the service's support. */
export interface Sent {
  readonly observed: Observed;
  readonly requestId: string | null;
  readonly status: number | null;
}

/**
 * One call of a change. `repeat` says what may be done when its answer was lost: `idempotent`, send it again;
 * `probe`, look first whether it happened, because creates are not idempotent and answer 200 like everything else.
 */
export interface Step {
  readonly name: string;
  readonly endpoint: EndpointName;
  readonly repeat: 'idempotent' | 'probe';
  /** @param previous the object as the step before left it. */
  send(previous: Observed | null): Promise<Sent>;
  /** Finds what the call would have made; null when there is nothing of it. */
  probe(): Promise<Observed | null>;
}

export interface CallContext {
  readonly reader: ServiceReader;
  readonly writer: ServiceWriter;
  readonly directory: Directory;
  /** The mirror's copy of a project's or other object's values. */
  mirrored(entity: Entity, id: string): Observed | null;
  readonly notify: Notifications;
}

type BuildSteps = (change: Change, context: CallContext) => readonly Step[];

/** Entity → its calls. A change never needs more of them than the table of fewest writes allows. */
const STEPS: Readonly<Record<Entity, BuildSteps>> = {
  offices: buildOfficeSteps,
  tag_categories: buildCategorySteps,
  tags: buildTagSteps,
  users: buildUserSteps,
  customers: buildCustomerSteps,
  projects: buildProjectSteps,
};

export function buildSteps(change: Change, context: CallContext): readonly Step[] {
  return STEPS[change.entity](change, context);
}

/**
 * The same table without anything to send with: endpoint templates of a change's calls, for the forecast. Who is about to
 * be deactivated is read by id first, unless this run has read everybody.
 */
export function forecastCalls(change: Change, usersFresh: boolean): readonly string[] {
  const first: readonly EndpointName[] = change.action === 'deactivate' && !usersFresh ? ['getUser'] : [];
  return [...first, ...forecastEndpoints(change)].map((name) => formatTemplate(name));
}

function forecastEndpoints(change: Change): readonly EndpointName[] {
  const create = change.action === 'create';
  switch (change.entity) {
    case 'offices':
      return ['createOffice'];
    case 'tag_categories':
      return ['createTagCategory'];
    case 'tags':
      return ['createTag'];
    case 'users':
      return create ? ['createUser'] : ['updateUser'];
    case 'customers':
      return create ? ['createCustomer'] : ['updateCustomer'];
    case 'projects':
      return projectEndpoints(change);
  }
}

function projectEndpoints(change: Change): readonly EndpointName[] {
  const plain: readonly EndpointName[] =
    change.action === 'create'
      ? ['createProject']
      : change.fields.some((name) => name !== 'owners')
        ? ['updateProject']
        : [];
  return change.fields.includes('owners') ? [...plain, 'syncProjectOwners'] : plain;
}

function text(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}

function buildOfficeSteps(change: Change, { writer, reader, directory }: CallContext): readonly Step[] {
  const country = text(change.after.country);
  const name = text(change.after.name);
  const id = needId(directory.countryId(country), `Country "${country}"`);
  return [
    {
      name: 'create',
      endpoint: 'createOffice',
      repeat: 'probe',
      async send() {
        const { value, requestId, status } = await writer.countries.createOffice(id, { name });
        return { observed: observeOffice(value, { id, code: country }), requestId, status };
      },
      async probe() {
        const countries = await reader.countries.list();
        const office = countries.find((c) => c.id === id)?.offices.find((o) => foldKey(o.name) === foldKey(name));
        return office === undefined ? null : observeOffice(office, { id, code: country });
      },
    },
  ];
}

function buildCategorySteps(change: Change, { writer, reader }: CallContext): readonly Step[] {
  const external = text(change.after.external_unique_id);
  return [
    {
      name: 'create',
      endpoint: 'createTagCategory',
      repeat: 'probe',
      async send() {
        // Filtering can be set on create only (spec, Custom tags); without the CV flag the tag of a person would not show.
        const { value, requestId, status } = await writer.tags.createCategory({
          values: { en: external },
          external_unique_id: external,
          can_be_used_for_cvs: true,
          allow_filtering: true,
        });
        return { observed: observeCategory(value), requestId, status };
      },
      async probe() {
        const categories = await reader.tags.listCategories();
        const found = categories.find((category) => category.external_unique_id === external);
        return found === undefined ? null : observeCategory(found);
      },
    },
  ];
}

function buildTagSteps(change: Change, { writer, reader, directory }: CallContext): readonly Step[] {
  const category = text(change.after.category);
  const external = text(change.after.external_unique_id);
  const categoryId = needId(directory.categoryId(category), `Tag category "${category}"`);
  return [
    {
      name: 'create',
      endpoint: 'createTag',
      repeat: 'probe',
      async send() {
        const tag = { values: { en: external }, external_unique_id: external };
        const { value, requestId, status } = await writer.tags.create(categoryId, tag);
        return { observed: observeTag(value, categoryId), requestId, status };
      },
      async probe() {
        const categories = await reader.tags.listCategories();
        const tags = categories.find(({ id }) => id === categoryId)?.custom_tags ?? [];
        const found = tags.find((tag) => tag.external_unique_id === external);
        return found === undefined ? null : observeTag(found, categoryId);
      },
    },
  ];
}

function buildUserSteps(change: Change, { writer, reader, directory, notify }: CallContext): readonly Step[] {
  const { target } = change;
  if (target === null) {
    return [
      {
        name: 'create',
        endpoint: 'createUser',
        repeat: 'probe',
        async send() {
          const { value, requestId, status } = await writer.users.create(buildUserCreate(change, directory, notify));
          return { observed: observeUser(value), requestId, status };
        },
        async probe() {
          const external = text(change.after.external_unique_id);
          const email = text(change.after.email);
          const found = await reader.users.find(external === '' ? { email } : { external_unique_id: external, email });
          return found === null ? null : observeUser(found);
        },
      },
    ];
  }
  return [
    {
      name: 'update',
      endpoint: 'updateUser',
      repeat: 'idempotent',
      async send() {
        const { value, requestId, status } = await writer.users.update(
          target,
          buildUserBody(change, directory, notify),
        );
        return { observed: observeUser(value), requestId, status };
      },
      async probe() {
        const found = await reader.users.get(target);
        return found === null ? null : observeUser(found);
      },
    },
  ];
}

function buildCustomerSteps(change: Change, { writer, reader, directory, mirrored }: CallContext): readonly Step[] {
  const { target } = change;
  const known = target === null ? null : mirrored('customers', target);
  const external = text(change.after.external_unique_id ?? known?.values.external_unique_id);
  const probe = async (): Promise<Observed | null> => {
    const found = external === '' ? null : await reader.customers.find(external);
    return found === null ? null : observeCustomer(found);
  };
  if (target === null) {
    return [
      {
        name: 'create',
        endpoint: 'createCustomer',
        repeat: 'probe',
        async send() {
          const { value, requestId, status } = await writer.customers.create(buildCustomerCreate(change.after));
          return { observed: observeCustomer(value), requestId, status };
        },
        probe,
      },
    ];
  }
  return [
    {
      name: 'update',
      endpoint: 'updateCustomer',
      repeat: 'idempotent',
      async send() {
        const { value, requestId, status } = await writer.customers.update(
          target,
          buildPlainBody('customers', change.after, directory),
        );
        return { observed: observeCustomer(value), requestId, status };
      },
      probe,
    },
  ];
}

function buildProjectSteps(change: Change, context: CallContext): readonly Step[] {
  const { writer, reader, directory, mirrored } = context;
  const { after, target } = change;
  const customerId =
    target === null
      ? resolveCustomer(after.customer, directory)
      : text(mirrored('projects', target)?.values.company_customer_id);
  const probeById = async (id: string): Promise<Observed | null> => {
    const found = await reader.projects.get(customerId, id);
    return found === null ? null : observeProject(found, customerId);
  };
  const probeCreated = async (): Promise<Observed | null> => {
    const external = text(after.external_unique_id);
    const found = (await reader.projects.list(customerId)).find((project) =>
      external === '' ? sameName(project.project_name, after.project_name) : project.external_unique_id === external,
    );
    return found === undefined ? null : observeProject(found, customerId);
  };
  return projectEndpoints(change).map((endpoint): Step => {
    if (endpoint === 'createProject') {
      return {
        name: 'create',
        endpoint,
        repeat: 'probe',
        async send() {
          const { value, requestId, status } = await writer.projects.create(
            customerId,
            buildPlainBody('projects', after, directory),
          );
          return { observed: observeProject(value, customerId), requestId, status };
        },
        probe: probeCreated,
      };
    }
    return {
      name: endpoint === 'updateProject' ? 'update' : 'owners',
      endpoint,
      repeat: 'idempotent',
      async send(previous) {
        const id = needId(target ?? previous?.id ?? null, 'The project');
        const { value, requestId, status } =
          endpoint === 'updateProject'
            ? await writer.projects.update(customerId, id, buildPlainBody('projects', after, directory))
            : await writer.projects.syncOwners(customerId, id, { emails: emails(after.owners), replace: true });
        const project = value ?? (await reader.projects.get(customerId, id));
        if (project === null) throw new SyncError('SYNC_REFERENCE_UNKNOWN', goneProject(id));
        return { observed: observeProject(project, customerId), requestId, status };
      },
      probe: () => (target === null ? probeCreated() : probeById(target)),
    };
  });
}

function goneProject(id: string): { message: string; remedy: string } {
  return { message: `The project ${id} is gone.`, remedy: 'Run again: the next plan looks it up anew.' };
}

function emails(value: Json | undefined): readonly string[] {
  return Array.isArray(value) ? (value as readonly Json[]).map(String) : [];
}

function sameName(have: Readonly<Record<string, string>> | undefined, want: Json | undefined): boolean {
  return Object.entries((want ?? {}) as Readonly<Record<string, string>>).every(
    ([language, name]) => have?.[language] === name,
  );
}
