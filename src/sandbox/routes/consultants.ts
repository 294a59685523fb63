import { canWriteCv } from '../calls/access.js';
import type { Call } from '../calls/call.js';
import { refuse } from '../fields/refusal.js';
import { type Body, readBody, readBoolean, readStrings } from '../fields/values.js';
import { readMasterCv, saveCv } from '../records/cvs.js';
import { type InheritedValues, readInheritedValues } from '../records/inherited-values.js';
import { buildPart, buildSection } from '../records/read-section.js';
import { recordMail } from '../records/save-user.js';
import type { CvDocument, SectionDocument } from '../store/cv-documents.js';
import type { UserDocument } from '../store/documents.js';
import type { ProjectDocument } from '../store/project-documents.js';
import { requireProject } from './projects.js';

/** Adds the project to master CVs, to all or to none. Existing entries are not checked (spec, Project linking 1–3). */
export function linkConsultants(call: Call): object {
  const { world } = call;
  const project = requireProject(call);
  const body = readBody(call);
  const isLinked = readLinked(call, body);
  const users = readUsers(call, body);
  const notify = readBoolean(body, 'notify_by_email') ?? false;
  const withIds = readBoolean(body, 'include_section_ids') ?? false;
  const contactIds = readStrings(body, 'customer_contact_ids') ?? [];
  const strings = (readBoolean(body, 'include_dates') ?? false) ? readDates(project) : {};
  const values = readInheritedValues(world, project);
  const origin = { isLinked, project_id: project.id, customer_id: project.company_customer_id };
  const updated_cvs = users.map((user) => {
    const blank = { ...buildSection(world.clock.now(), 0), disabled: true, recently_added: true, strings, origin };
    const section = isLinked ? blank : fillCopy(blank, values, contactIds);
    const cv = saveCv(call, putFirst(readMasterCv(world, user), section), 'project_experiences');
    if (notify) recordMail(world, user.email, 'linked');
    return { user_id: user.id, cv_id: cv.id, name: user.name, ...(withIds ? { section_id: section.id } : {}) };
  });
  return { updated_cvs };
}

function readUsers(call: Call, body: Body): readonly UserDocument[] {
  const ids = readStrings(body, 'user_ids') ?? [];
  if (ids.length === 0) refuse(400, 'user_ids must name at least one user');
  const { users } = call.world.store;
  const found = [...new Set(ids)].map((id) => users.get(id) ?? refuse(404, `user ${id} not found`));
  const closed = found.find((user) => !canWriteCv(call, user));
  if (closed) refuse(403, `this key has no write access to the CV of user ${closed.id}`);
  return found;
}

function readLinked({ world, key }: Call, { link_to_project: sent }: Body): boolean {
  if (sent !== undefined && typeof sent !== 'boolean') refuse(400, 'link_to_project must be true or false');
  if (!sent) return false;
  if (!world.account.features.hard_linking) refuse(400, 'hard linking is not enabled for the account');
  if (key.role === 'external') refuse(403, 'external users cannot link project experiences');
  return true;
}

function readDates({ strings }: ProjectDocument): SectionDocument['strings'] {
  const dates = ['month_from', 'year_from', 'month_to', 'year_to'];
  return Object.fromEntries(dates.map((field) => [field, strings[field] ?? null]));
}

/** Fills a copy with the current values of the project. It includes contacts only if the request names them by id. */
function fillCopy(section: SectionDocument, values: InheritedValues, contactIds: readonly string[]): SectionDocument {
  const contacts = values.contacts
    .filter(({ id }) => contactIds.includes(id))
    .map(({ strings }, index) => ({ ...buildPart(section.created_at, index), strings, version: 1 }));
  return {
    ...section,
    texts: values.texts,
    strings: { ...values.strings, ...section.strings },
    parts: { project_experience_customer_contacts: contacts },
  };
}

/** Inserts the section at the beginning and renumbers the others. */
function putFirst(cv: CvDocument, section: SectionDocument): CvDocument {
  const others = (cv.sections.project_experiences ?? []).map((other, index) => ({ ...other, order: index + 1 }));
  return { ...cv, sections: { ...cv.sections, project_experiences: [section, ...others] } };
}
