import { renderCustomer } from '../answers/render-customer.js';
import { renderCv } from '../answers/render-cv.js';
import { renderWholeProject } from '../answers/render-project.js';
import { requireReferenceManager, requireUnlocked } from '../calls/access.js';
import type { Call, CallHandler } from '../calls/call.js';
import { refuse } from '../fields/refusal.js';
import { bodyOf } from '../fields/values.js';
import { listCvTags, type OwnedCv, requireWritableCv, saveCv } from '../records/cvs.js';
import { updateUser } from '../records/save-user.js';
import type { CustomerDocument } from '../store/documents.js';
import type { ProjectDocument } from '../store/project-documents.js';
import { requireCustomer } from './customers.js';
import { requireOwnProject } from './projects.js';

/** A kind of record that has custom tags (spec, Custom tags). */
export interface Tagged<T> {
  readonly find: (call: Call) => T;
  readonly list: (call: Call, record: T) => readonly string[];
  readonly save: (call: Call, record: T, tagIds: readonly string[]) => T;
  readonly render: (call: Call, record: T) => object;
  /** If set, attaching a tag that the record already has is an error; otherwise it changes nothing. */
  readonly isStrict?: true;
}

/** Users and CVs share one set of tags if the account shows users' tags on CVs. */
export const TAGGED_CVS: Tagged<OwnedCv> = {
  find: requireWritableCv,
  list: ({ world }, owned) => listCvTags(world, owned),
  render: renderCv,
  save: (call, { cv, user }, tagIds) => {
    const isShared = call.world.account.user_tags_on_cvs && cv.proposal_id === null;
    return {
      user: isShared ? updateUser(call.world, user, { custom_tag_ids: tagIds }) : user,
      cv: saveCv(call, { ...cv, custom_tag_ids: isShared ? [] : tagIds }),
    };
  },
};

export const TAGGED_CUSTOMERS: Tagged<CustomerDocument> = {
  find: (call) => {
    requireReferenceManager(call.key);
    return requireCustomer(call);
  },
  list: (_, customer) => customer.custom_tag_ids,
  render: renderCustomer,
  save: ({ world }, customer, custom_tag_ids) =>
    world.store.customers.put({ ...customer, custom_tag_ids, updated_at: world.clock.now() }),
};

/** The spec requires 422 for an existing tag on projects only. */
export const TAGGED_PROJECTS: Tagged<ProjectDocument> = {
  isStrict: true,
  find: requireOwnProject,
  list: (_, project) => project.custom_tag_ids,
  render: renderWholeProject,
  save: ({ world }, project, custom_tag_ids) =>
    world.store.projects.put({ ...project, custom_tag_ids, updated_at: world.clock.now() }),
};

/** Reads the tag id. Unknown ids and missing fields are both 404 (spec, List rules). */
function readTagId(call: Call): string {
  const { tags, categories } = call.world.store;
  const { custom_tag_category_id: categoryId, custom_tag_id: tagId } = bodyOf(call);
  const tag = typeof tagId === 'string' ? tags.get(tagId) : undefined;
  if (!tag || tag.category_id !== categoryId) refuse(404, 'custom tag not found in that category');
  requireUnlocked(call, categories.get(tag.category_id));
  return tag.id;
}

export function attaches<T>({ find, list, save, render, isStrict }: Tagged<T>): CallHandler {
  return (call) => {
    const record = find(call);
    const tagId = readTagId(call);
    const before = list(call, record);
    if (!before.includes(tagId)) return render(call, save(call, record, [...before, tagId]));
    if (!isStrict) return render(call, record);
    return refuse(422, 'the custom tag is already on the project', { details: ['Custom tag has already been taken'] });
  };
}

export function detaches<T>({ find, list, save }: Tagged<T>): CallHandler {
  return (call) => {
    const { tags, categories } = call.world.store;
    const { tag_id: tagId = '' } = call.params;
    const record = find(call);
    const before = list(call, record);
    if (!before.includes(tagId)) refuse(404, 'the custom tag is not on the record');
    requireUnlocked(call, categories.get(tags.get(tagId)?.category_id));
    const left = before.filter((id) => id !== tagId);
    save(call, record, left);
    return undefined;
  };
}
