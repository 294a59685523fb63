import { requireProjectEditor, requireReferenceManager, requireUnlocked } from '../access.js';
import { listCvTags, type OwnedCv, requireWritableCv, saveCv } from '../cvs.js';
import type { TagDocument } from '../documents.js';
import { renderCv } from '../render-cv.js';
import { renderWholeProject } from '../render-project.js';
import { type Answer, type Call, NO_CONTENT, Refusal, type Route, type World } from '../route.js';
import { updateUser } from '../save-user.js';
import { isBody } from '../values.js';
import { CUSTOMERS, renderCustomer, requireCustomer } from './customers.js';
import { CV } from './cvs.js';
import { PROJECT, requireProject } from './projects.js';

/** Custom tags on CVs, customers and projects (spec, Custom tags). */
export const RECORD_TAG_ROUTES: readonly Route[] = [
  { method: 'POST', path: `${CV}/custom_tags`, access: 'write', handle: tagCv },
  { method: 'DELETE', path: `${CV}/custom_tags/:tag_id`, access: 'write', handle: untagCv },
  { method: 'POST', path: `${CUSTOMERS}/:customer_id/custom_tags`, access: 'write', handle: tagCustomer },
  { method: 'DELETE', path: `${CUSTOMERS}/:customer_id/custom_tags/:tag_id`, access: 'write', handle: untagCustomer },
  { method: 'POST', path: `${PROJECT}/custom_tags`, access: 'write', handle: tagProject },
  { method: 'DELETE', path: `${PROJECT}/custom_tags/:tag_id`, access: 'write', handle: untagProject },
];

/** Unknown ids and missing fields are 404 alike (spec, List rules). */
function readTag(world: World, call: Call): TagDocument {
  const body = isBody(call.body) ? call.body : {};
  const { custom_tag_category_id: categoryId, custom_tag_id: tagId } = body;
  const tag = typeof tagId === 'string' ? world.store.tags.get(tagId) : undefined;
  if (!tag || tag.category_id !== categoryId) throw new Refusal(404, 'custom tag not found in that category');
  requireUnlocked(call, world.store.categories.get(tag.category_id));
  return tag;
}

/** Idempotent, unlike on projects. Where users' tags show on CVs, one set serves both. */
function tagCv(world: World, call: Call): Answer {
  const owned = requireWritableCv(world, call);
  const tag = readTag(world, call);
  const before = listCvTags(world, owned);
  if (before.includes(tag.id)) return { status: 200, body: renderCv(world, owned, call.mode) };
  return { status: 200, body: renderCv(world, saveCvTags(world, call, owned, [...before, tag.id]), call.mode) };
}

function untagCv(world: World, call: Call): Answer {
  const owned = requireWritableCv(world, call);
  saveCvTags(world, call, owned, removeTag(world, listCvTags(world, owned), call));
  return NO_CONTENT;
}

function saveCvTags(world: World, call: Call, { cv, user }: OwnedCv, tagIds: readonly string[]): OwnedCv {
  const isShared = world.account.user_tags_on_cvs && cv.proposal_id === null;
  return {
    user: isShared ? updateUser(world, user, { custom_tag_ids: tagIds }) : user,
    cv: saveCv(world, call, { ...cv, custom_tag_ids: isShared ? [] : tagIds }, undefined),
  };
}

/** Attaching twice to a customer changes nothing; the spec has 422 for projects only. */
function tagCustomer(world: World, call: Call): Answer {
  requireReferenceManager(call.key);
  const customer = requireCustomer(world, call);
  const tagId = readTag(world, call).id;
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
  const custom_tag_ids = removeTag(world, customer.custom_tag_ids, call);
  world.store.customers.put({ ...customer, custom_tag_ids, updated_at: world.clock.now() });
  return NO_CONTENT;
}

function tagProject(world: World, call: Call): Answer {
  const project = requireProject(world, call);
  requireProjectEditor(world, call, project);
  const tagId = readTag(world, call).id;
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
  const project = requireProject(world, call);
  requireProjectEditor(world, call, project);
  const custom_tag_ids = removeTag(world, project.custom_tag_ids, call);
  world.store.projects.put({ ...project, custom_tag_ids, updated_at: world.clock.now() });
  return NO_CONTENT;
}

function removeTag(world: World, ids: readonly string[], call: Call): readonly string[] {
  const tagId = call.params.tag_id ?? '';
  if (!ids.includes(tagId)) throw new Refusal(404, 'the custom tag is not on the record');
  requireUnlocked(call, world.store.categories.get(world.store.tags.get(tagId)?.category_id ?? ''));
  return ids.filter((id) => id !== tagId);
}
