import { requireProjectEditor } from '../access.js';
import { parseUpload } from '../multipart.js';
import type { AttachmentDocument } from '../project-documents.js';
import { renderAttachment, renderWholeProject } from '../render-project.js';
import { type Answer, type Call, NO_CONTENT, Refusal, type Route, type World } from '../route.js';
import { createId } from '../store.js';
import { readBody, readStrings } from '../values.js';
import { PROJECT, requireProject } from './projects.js';

/** Offices and attachments of a project: not shown in the spec, so offices are like owners, attachments like files. */
export const PROJECT_EXTRA_ROUTES: readonly Route[] = [
  { method: 'POST', path: `${PROJECT}/offices`, access: 'write', handle: addOffices },
  { method: 'DELETE', path: `${PROJECT}/offices/:office_id`, access: 'write', handle: removeOffice },
  { method: 'POST', path: `${PROJECT}/attachments`, access: 'write', handle: addAttachment },
  { method: 'DELETE', path: `${PROJECT}/attachments/:attachment_id`, access: 'write', handle: removeAttachment },
];

function addOffices(world: World, call: Call): Answer {
  const project = requireProject(world, call);
  requireProjectEditor(world, call, project);
  const ids = readStrings(readBody(call), 'office_ids');
  if (ids === undefined) throw new Refusal(400, 'office_ids is required');
  const unknown = ids.find((id) => !world.store.offices.get(id));
  if (unknown !== undefined) throw new Refusal(404, `office ${unknown} is not in the account`);
  const present = ids.find((id) => project.office_ids.includes(id));
  if (present !== undefined) throw new Refusal(422, `office ${present} is already on the project`);
  const office_ids = [...project.office_ids, ...new Set(ids)];
  const saved = world.store.projects.put({ ...project, office_ids, updated_at: world.clock.now() });
  return { status: 200, body: renderWholeProject(world, saved, call) };
}

function removeOffice(world: World, call: Call): Answer {
  const project = requireProject(world, call);
  requireProjectEditor(world, call, project);
  const officeId = call.params.office_id ?? '';
  if (!project.office_ids.includes(officeId)) throw new Refusal(404, 'the office is not on the project');
  const office_ids = project.office_ids.filter((id) => id !== officeId);
  world.store.projects.put({ ...project, office_ids, updated_at: world.clock.now() });
  return NO_CONTENT;
}

/** `multipart/form-data` with one file (spec, Conventions 1). */
function addAttachment(world: World, call: Call): Answer {
  const project = requireProject(world, call);
  requireProjectEditor(world, call, project);
  if (call.contentType !== 'multipart/form-data') throw new Refusal(415, 'Content-Type must be multipart/form-data');
  const upload = parseUpload(call.bytes, call.boundary);
  if (!upload) throw new Refusal(400, 'the form has no part with a file');
  const { bytes, file_name, content_type } = upload;
  const { id } = world.store.files.put({ id: createId(), file_name, content_type, base64: bytes.toString('base64') });
  const now = world.clock.now();
  const attachment: AttachmentDocument = { id, file_name, content_type, size: bytes.length, created_at: now };
  world.store.projects.put({ ...project, attachments: [...project.attachments, attachment], updated_at: now });
  return { status: 200, body: renderAttachment(world, project.id, attachment, call) };
}

function removeAttachment(world: World, call: Call): Answer {
  const project = requireProject(world, call);
  requireProjectEditor(world, call, project);
  const attachments = project.attachments.filter(({ id }) => id !== call.params.attachment_id);
  if (attachments.length === project.attachments.length) throw new Refusal(404, 'attachment not found');
  world.store.files.delete(call.params.attachment_id ?? '');
  world.store.projects.put({ ...project, attachments, updated_at: world.clock.now() });
  return NO_CONTENT;
}
