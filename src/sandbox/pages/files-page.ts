import { Readable } from 'node:stream';
import type { World } from '../account/world.js';
import { type Call, type CallHandler, OtherAnswer } from '../calls/call.js';
import { chooseTemplate } from '../documents/choose-look.js';
import { describeProject } from '../documents/describe-project.js';
import { refuse } from '../fields/refusal.js';
import { downloads, findCvDocument } from '../routes/exports.js';
import type { ProjectDocument } from '../store/project-documents.js';
import { readStoredFile } from '../store/stored-files.js';
import { buildCall, requireRecord } from './as-colleague.js';
import { paramsOf } from './cv-page.js';
import type { PageRequest } from './page.js';

/** Returns a handler for the document of a project, with the default template of its office, country or account. */
function describesProject(find: (world: World, id: string) => ProjectDocument | undefined): CallHandler {
  return downloads((call: Call) => {
    const project = requireRecord(find(call.world, call.params.record_id ?? ''));
    const office = call.world.store.offices.get(project.office_ids[0] ?? '');
    return (language) => describeProject(call.world, project, language, chooseTemplate(call.world, officeOf(office)));
  });
}

function officeOf(office: { readonly id: string; readonly country_id: string } | undefined) {
  return { office_id: office?.id ?? '', country_id: office?.country_id ?? '' };
}

const KINDS: Readonly<Record<string, CallHandler>> = {
  cvs: downloads(findCvDocument),
  projects: describesProject(({ store }, id) => store.projects.get(id)),
  references: describesProject(({ store }, id) => store.tailored_references.get(id)?.project),
};

/** Handles `/documents/:kind/:record_id/:language_code/:filetype`. */
export function renderDownload(page: PageRequest): Promise<OtherAnswer> {
  const { kind = '', record_id = '' } = page.params;
  const handle = (Object.hasOwn(KINDS, kind) ? KINDS[kind] : undefined) ?? refuse(404, 'there are no such documents');
  const params = kind === 'cvs' ? paramsOf({ ...page, params: { ...page.params, cv_id: record_id } }) : page.params;
  return Promise.resolve(handle(buildCall(page, { params })) as Promise<OtherAnswer>);
}

/** Handles `/stored/:file_id`: a picture of a record, or an attachment. */
export function findStoredFile({ world, params }: PageRequest): OtherAnswer {
  const file = requireRecord(world.store.files.get(params.file_id));
  const { content_type: contentType, file_name: name, size } = file;
  return new OtherAnswer({
    file: {
      bytes: Readable.from(readStoredFile(world.store, file)),
      size,
      contentType,
      name,
      standIn: `file-${file.id}`,
    },
  });
}
