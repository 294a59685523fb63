import { type Writing, writeOnly, writeRecord } from './answer.js';
import type { WriteCall } from './call.js';
import { type CvKey, fillCv, fillProject, type ProjectKey } from './record-keys.js';
import { WireCustomer, WireProject } from './wire.js';
import { WireCv } from './wire-cv.js';

/** Both are internal ids; the body has no wrapper (spec, Custom tags). */
export interface TagKey {
  readonly categoryId: string;
  readonly tagId: string;
}

/**
 * Tags on records. What may be written is not filtered by the category's `can_be_used_for_*`, only what is shown: a tag
 * that was attached can be missing in the answer. Users have no call of their own:
 * `ensure_unique_custom_tag_ids_by_category` of their update.
 */
export function createRecordTagsWriter(call: WriteCall) {
  return {
    /** A tag that is there already changes nothing. */
    addToCv(cv: CvKey, tag: TagKey, signal?: AbortSignal): Writing<WireCv> {
      return writeRecord(call, { endpoint: 'addCvTag', path: fillCv(cv), body: buildBody(tag), signal }, WireCv);
    },
    /** 404: it is not on the CV. */
    removeFromCv(cv: CvKey, tagId: string, signal?: AbortSignal): Writing<null> {
      const path = { ...fillCv(cv), custom_tag_id: tagId };
      return writeOnly(call, { endpoint: 'removeCvTag', path, signal });
    },
    addToCustomer(customerId: string, tag: TagKey, signal?: AbortSignal): Writing<WireCustomer> {
      const path = { customer_id: customerId };
      return writeRecord(call, { endpoint: 'addCustomerTag', path, body: buildBody(tag), signal }, WireCustomer);
    },
    removeFromCustomer(customerId: string, tagId: string, signal?: AbortSignal): Writing<null> {
      const path = { customer_id: customerId, custom_tag_id: tagId };
      return writeOnly(call, { endpoint: 'removeCustomerTag', path, signal });
    },
    /** 422 with `details`: it is there already. */
    addToProject(project: ProjectKey, tag: TagKey, signal?: AbortSignal): Writing<WireProject> {
      const path = fillProject(project);
      return writeRecord(call, { endpoint: 'addProjectTag', path, body: buildBody(tag), signal }, WireProject);
    },
    /** 404: it is not on the project. */
    removeFromProject(project: ProjectKey, tagId: string, signal?: AbortSignal): Writing<null> {
      const path = { ...fillProject(project), custom_tag_id: tagId };
      return writeOnly(call, { endpoint: 'removeProjectTag', path, signal });
    },
  };
}

function buildBody({ categoryId, tagId }: TagKey) {
  return { custom_tag_category_id: categoryId, custom_tag_id: tagId };
}
