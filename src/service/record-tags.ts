import type { Writes, Writing } from './answer.js';
import type { CvKey, ProjectKey } from './record-keys.js';
import { WireCustomer, WireProject } from './wire.js';
import { WireCv } from './wire-cv.js';

/** Both ids are internal; the body has no wrapper (spec, Custom tags). */
export interface TagKey {
  readonly categoryId: string;
  readonly tagId: string;
}

/**
 * Tags on records. The category's `can_be_used_for_*` limits which tags are shown, not which may be attached, so the
 * answer may lack an attached tag. Users have no call for tags; `ensure_unique_custom_tag_ids_by_category` in their
 * update sets them.
 */
export function createRecordTagsWriter(send: Writes) {
  return {
    /** Adding an existing tag changes nothing. */
    addToCv: ({ userId, cvId }: CvKey, tag: TagKey, signal?: AbortSignal): Writing<WireCv> =>
      send.record('addCvTag', WireCv, { path: [userId, cvId], body: buildBody(tag), signal }),
    /** Answers 404 if the CV does not have the tag. */
    removeFromCv: ({ userId, cvId }: CvKey, tagId: string, signal?: AbortSignal): Writing<null> =>
      send.empty('removeCvTag', { path: [userId, cvId, tagId], signal }),
    addToCustomer: (customerId: string, tag: TagKey, signal?: AbortSignal): Writing<WireCustomer> =>
      send.record('addCustomerTag', WireCustomer, { path: [customerId], body: buildBody(tag), signal }),
    removeFromCustomer: (customerId: string, tagId: string, signal?: AbortSignal): Writing<null> =>
      send.empty('removeCustomerTag', { path: [customerId, tagId], signal }),
    /** Answers 422 with `details` if the project already has the tag. */
    addToProject: ({ customerId, projectId }: ProjectKey, tag: TagKey, signal?: AbortSignal): Writing<WireProject> =>
      send.record('addProjectTag', WireProject, { path: [customerId, projectId], body: buildBody(tag), signal }),
    /** Answers 404 if the project does not have the tag. */
    removeFromProject: ({ customerId, projectId }: ProjectKey, tagId: string, signal?: AbortSignal): Writing<null> =>
      send.empty('removeProjectTag', { path: [customerId, projectId, tagId], signal }),
  };
}

function buildBody({ categoryId, tagId }: TagKey) {
  return { custom_tag_category_id: categoryId, custom_tag_id: tagId };
}
