import { buildWriteResult, parseWrite, type WriteResult } from './answer.js';
import type { WriteCall } from './call.js';
import type { CvKey } from './cv-sections.js';
import { WireCustomer, WireProject } from './wire.js';
import { WireCv } from './wire-cv.js';

/** Both are internal ids; the body has no wrapper (spec, Custom tags). */
export interface TagKey {
  readonly categoryId: string;
  readonly tagId: string;
}

/** A project is named together with its customer (spec, Customers and reference projects). */
export interface ProjectKey {
  readonly customerId: string;
  readonly projectId: string;
}

/**
 * Tags on records. What may be written is not filtered by the category's `can_be_used_for_*`, only what is shown: a tag
 * that was attached can be missing in the answer. Users have no call of their own:
 * `ensure_unique_custom_tag_ids_by_category` of their update.
 */
export interface RecordTagsWriter {
  /** A tag that is there already changes nothing. */
  addToCv(cv: CvKey, tag: TagKey, signal?: AbortSignal): Promise<WriteResult<WireCv>>;
  /** 404: it is not on the CV. */
  removeFromCv(cv: CvKey, tagId: string, signal?: AbortSignal): Promise<WriteResult<null>>;
  addToCustomer(customerId: string, tag: TagKey, signal?: AbortSignal): Promise<WriteResult<WireCustomer>>;
  removeFromCustomer(customerId: string, tagId: string, signal?: AbortSignal): Promise<WriteResult<null>>;
  /** 422 with `details`: it is there already. */
  addToProject(project: ProjectKey, tag: TagKey, signal?: AbortSignal): Promise<WriteResult<WireProject>>;
  /** 404: it is not on the project. */
  removeFromProject(project: ProjectKey, tagId: string, signal?: AbortSignal): Promise<WriteResult<null>>;
}

export function createRecordTagsWriter(call: WriteCall): RecordTagsWriter {
  return {
    async addToCv(cv, tag, signal) {
      const path = { user_id: cv.userId, cv_id: cv.cvId };
      return parseWrite(await call({ endpoint: 'addCvTag', path, body: buildBody(tag), signal }), WireCv);
    },
    async removeFromCv(cv, tagId, signal) {
      const path = { user_id: cv.userId, cv_id: cv.cvId, custom_tag_id: tagId };
      return buildWriteResult(await call({ endpoint: 'removeCvTag', path, signal }), null);
    },
    async addToCustomer(customerId, tag, signal) {
      const path = { customer_id: customerId };
      return parseWrite(await call({ endpoint: 'addCustomerTag', path, body: buildBody(tag), signal }), WireCustomer);
    },
    async removeFromCustomer(customerId, tagId, signal) {
      const path = { customer_id: customerId, custom_tag_id: tagId };
      return buildWriteResult(await call({ endpoint: 'removeCustomerTag', path, signal }), null);
    },
    async addToProject({ customerId, projectId }, tag, signal) {
      const path = { customer_id: customerId, project_id: projectId };
      return parseWrite(await call({ endpoint: 'addProjectTag', path, body: buildBody(tag), signal }), WireProject);
    },
    async removeFromProject({ customerId, projectId }, tagId, signal) {
      const path = { customer_id: customerId, project_id: projectId, custom_tag_id: tagId };
      return buildWriteResult(await call({ endpoint: 'removeProjectTag', path, signal }), null);
    },
  };
}

function buildBody({ categoryId, tagId }: TagKey) {
  return { custom_tag_category_id: categoryId, custom_tag_id: tagId };
}
