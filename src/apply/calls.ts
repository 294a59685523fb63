import { observeCategory, observeCustomer, observeOffice, observeTag, observeUser } from '../mirror/observe.js';
import type { Entity } from '../model/entity.js';
import { foldKey, type Observed } from '../model/observed.js';
import { type Change, isImported } from '../model/plan.js';
import { type EndpointName, formatTemplate } from '../service/endpoints.js';
import { buildCustomerCreate, buildPlainBody, buildUserBody, buildUserCreate } from './bodies.js';
import { buildProjectSteps, projectEndpoints } from './project-steps.js';
import { needId } from './resolve-ids.js';
import { type CallContext, readText, type Step } from './step.js';

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
  // An import's calls are counted once, for all who go by it.
  if (isImported(change)) return [];
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

function buildOfficeSteps(change: Change, { writer, reader, directory }: CallContext): readonly Step[] {
  const country = readText(change.after.country);
  const name = readText(change.after.name);
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
  const external = readText(change.after.external_unique_id);
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
  const category = readText(change.after.category);
  const external = readText(change.after.external_unique_id);
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
          const external = readText(change.after.external_unique_id);
          const email = readText(change.after.email);
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
  const external = readText(change.after.external_unique_id ?? known?.values.external_unique_id);
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
