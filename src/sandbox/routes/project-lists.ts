import { renderAttachment, renderWholeProject } from '../answers/render-project.js';
import type { Call } from '../calls/call.js';
import { requireUpload } from '../calls/multipart.js';
import { refuse } from '../fields/refusal.js';
import { readBody, readBoolean, readStrings } from '../fields/values.js';
import type { AttachmentDocument, ProjectDocument } from '../store/project-documents.js';
import { createId } from '../store/store.js';
import { createFileWriter, removeFile } from '../store/stored-files.js';
import { putProject, readOfficeIds, requireOwnProject } from './projects.js';
import { requireEach } from './resource.js';

/**
 * The calls for owners, offices and attachments of a project. Bodies have no wrapper, and deactivated users can be owners
 * (spec, Reference project). The spec does not describe offices and attachments. Here, offices work like owners and attachments
 * like files.
 */
function saveOwners(call: Call, project: ProjectDocument, owner_ids: readonly string[]): object {
  const isSame = owner_ids.join() === project.owner_ids.join();
  return renderWholeProject(call, isSame ? project : putProject(call, { ...project, owner_ids }));
}

/** Adds all owners or none. An empty list changes nothing; a user who is already an owner is 422. */
export function addOwners(call: Call): object {
  const project = requireOwnProject(call);
  const ids = readStrings(readBody(call), 'user_ids') ?? refuse(400, 'user_ids is required');
  requireEach(call.world.store.users, ids, (id) => `user ${id} not found`);
  const present = ids.find((id) => project.owner_ids.includes(id));
  if (present !== undefined) refuse(422, `user ${present} is already an owner`);
  return saveOwners(call, project, [...project.owner_ids, ...new Set(ids)]);
}

/**
 * Adds or replaces owners, all or none. An e-mail without a user rejects the entire request, and so does replacing with an
 * empty list.
 */
export function syncOwners(call: Call): object {
  const project = requireOwnProject(call);
  const body = readBody(call);
  const emails = readStrings(body, 'emails') ?? refuse(400, 'emails is required');
  const replace = readBoolean(body, 'replace') ?? false;
  if (replace && emails.length === 0) refuse(422, 'replace needs at least one email');
  const { findUser } = call.world.store;
  const found = emails.map((email) => ({ email, id: findUser(email)?.id }));
  const details = found.filter(({ id }) => id === undefined).map(({ email }) => email);
  if (details.length > 0) refuse(422, `no user has the email ${details.join(', ')}`, { details });
  const owners = new Set([...(replace ? [] : project.owner_ids), ...found.flatMap(({ id }) => id ?? [])]);
  return saveOwners(call, project, [...owners]);
}

/** Removes an owner. A person who is not an owner is a 500 (spec, Errors). */
export function removeOwner(call: Call): undefined {
  const project = requireOwnProject(call);
  const owner_ids = project.owner_ids.filter((id) => id !== call.params.user_id);
  if (owner_ids.length === project.owner_ids.length) refuse(500, 'internal server error');
  putProject(call, { ...project, owner_ids });
}

export function addOffices(call: Call): object {
  const project = requireOwnProject(call);
  const ids = readOfficeIds(call, readBody(call)) ?? refuse(400, 'office_ids is required');
  const present = ids.find((id) => project.office_ids.includes(id));
  if (present !== undefined) refuse(422, `office ${present} is already on the project`);
  return renderWholeProject(call, putProject(call, { ...project, office_ids: [...project.office_ids, ...ids] }));
}

export function removeOffice(call: Call): undefined {
  const project = requireOwnProject(call);
  const office_ids = project.office_ids.filter((id) => id !== call.params.office_id);
  if (office_ids.length === project.office_ids.length) refuse(404, 'the office is not on the project');
  putProject(call, { ...project, office_ids });
}

export function addAttachment(call: Call): object {
  const project = requireOwnProject(call);
  const { bytes, file_name, content_type } = requireUpload(call);
  const id = createId();
  const writer = createFileWriter(call.world.store, { id, file_name, content_type });
  writer.write(bytes);
  writer.finish();
  const created_at = call.world.clock.now();
  const attachment: AttachmentDocument = { id, file_name, content_type, size: bytes.length, created_at };
  putProject(call, { ...project, attachments: [...project.attachments, attachment] });
  return renderAttachment(call, project.id, attachment);
}

export function removeAttachment(call: Call): undefined {
  const project = requireOwnProject(call);
  const { attachment_id: gone } = call.params;
  const attachments = project.attachments.filter(({ id }) => id !== gone);
  if (gone === undefined || attachments.length === project.attachments.length) refuse(404, 'attachment not found');
  removeFile(call.world.store, gone);
  putProject(call, { ...project, attachments });
}
