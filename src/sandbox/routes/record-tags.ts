import { requireReferenceManager } from '../access.js';
import { renderWholeProject } from '../render-project.js';
import { type Answer, type Call, NO_CONTENT, Refusal, type Route, type World } from '../route.js';
import { isBody } from '../values.js';
import { CUSTOMERS, renderCustomer, requireCustomer } from './customers.js';
import { PROJECT, requireProject } from './projects.js';

/** Custom tags on customers and projects. Locked categories take changes from every API key (spec, List rules). */
export const RECORD_TAG_ROUTES: readonly Route[] = [
  { method: 'POST', path: `${CUSTOMERS}/:customer_id/custom_tags`, access: 'write', handle: tagCustomer },
  { method: 'DELETE', path: `${CUSTOMERS}/:customer_id/custom_tags/:tag_id`, access: 'write', handle: untagCustomer },
  { method: 'POST', path: `${PROJECT}/custom_tags`, access: 'write', handle: tagProject },
  { method: 'DELETE', path: `${PROJECT}/custom_tags/:tag_id`, access: 'write', handle: untagProject },
];

/** Unknown ids and missing fields are 404 alike (spec, List rules). */
function readTagId(world: World, call: Call): string {
  const body = isBody(call.body) ? call.body : {};
  const { custom_tag_category_id: categoryId, custom_tag_id: tagId } = body;
  const tag = typeof tagId === 'string' ? world.store.tags.get(tagId) : undefined;
  if (!tag || tag.category_id !== categoryId) throw new Refusal(404, 'custom tag not found in that category');
  return tag.id;
}

/** Attaching twice to a customer changes nothing; the spec has 422 for projects only. */
function tagCustomer(world: World, call: Call): Answer {
  requireReferenceManager(call.key);
  const customer = requireCustomer(world, call);
  const tagId = readTagId(world, call);
  const tagged = customer.custom_tag_ids.includes(tagId)
    ? customer
    : world.store.customers.put({
        ...customer,
        custom_tag_ids: [...customer.custom_tag_ids, tagId],
        updated_at: world.clock.now(),
      });
  return { status: 200, body: renderCustomer(world, tagged, call.mode) };
}

function untagCustomer(world: World, call: Call): Answer {
  requireReferenceManager(call.key);
  const customer = requireCustomer(world, call);
  const custom_tag_ids = removeTag(customer.custom_tag_ids, call);
  world.store.customers.put({ ...customer, custom_tag_ids, updated_at: world.clock.now() });
  return NO_CONTENT;
}

function tagProject(world: World, call: Call): Answer {
  requireReferenceManager(call.key);
  const project = requireProject(world, call);
  const tagId = readTagId(world, call);
  if (project.custom_tag_ids.includes(tagId)) {
    throw new Refusal(422, 'the custom tag is already on the project', {
      details: ['Custom tag has already been taken'],
    });
  }
  const tagged = world.store.projects.put({
    ...project,
    custom_tag_ids: [...project.custom_tag_ids, tagId],
    updated_at: world.clock.now(),
  });
  return { status: 200, body: renderWholeProject(world, tagged, call) };
}

function untagProject(world: World, call: Call): Answer {
  requireReferenceManager(call.key);
  const project = requireProject(world, call);
  const custom_tag_ids = removeTag(project.custom_tag_ids, call);
  world.store.projects.put({ ...project, custom_tag_ids, updated_at: world.clock.now() });
  return NO_CONTENT;
}

function removeTag(ids: readonly string[], call: Call): readonly string[] {
  const tagId = call.params.tag_id ?? '';
  if (!ids.includes(tagId)) throw new Refusal(404, 'the custom tag is not on the record');
  return ids.filter((id) => id !== tagId);
}
