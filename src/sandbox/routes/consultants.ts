import { canWriteCv } from '../access.js';
import type { CvDocument, PartDocument, SectionDocument } from '../cv-documents.js';
import { readMasterCv, saveCv } from '../cvs.js';
import { type InheritedValues, readInheritedValues } from '../inherited-values.js';
import type { EntryDocument, ProjectDocument } from '../project-documents.js';
import { buildPart, buildSection } from '../read-section.js';
import { type Answer, type Call, Refusal, type Route, type World } from '../route.js';
import { recordMail } from '../save-user.js';
import { type Body, readBody, readBoolean, readStrings } from '../values.js';
import { PROJECT, requireProject } from './projects.js';

export const CONSULTANT_ROUTES: readonly Route[] = [
  { method: 'POST', path: `${PROJECT}/consultants`, access: 'write', handle: linkConsultants },
];

/** Puts the project on master CVs: all of them or none; no look at what is there already (spec, Project linking 1–3). */
function linkConsultants(world: World, call: Call): Answer {
  const project = requireProject(world, call);
  const body = readBody(call);
  const isLinked = readLinked(world, call, body);
  const ids = readStrings(body, 'user_ids') ?? [];
  if (ids.length === 0) throw new Refusal(400, 'user_ids must name at least one user');
  const users = [...new Set(ids)].map((id) => {
    const user = world.store.users.get(id);
    if (!user) throw new Refusal(404, `user ${id} not found`);
    return user;
  });
  const closed = users.find((user) => !canWriteCv(world, call, user));
  if (closed) throw new Refusal(403, `this key has no write access to the CV of user ${closed.id}`);
  const notify = readBoolean(body, 'notify_by_email') ?? false;
  const withIds = readBoolean(body, 'include_section_ids') ?? false;
  const contactIds = readStrings(body, 'customer_contact_ids') ?? [];
  const withDates = readBoolean(body, 'include_dates') ?? false;
  const values = readInheritedValues(world, project);
  const updated_cvs = users.map((user) => {
    const blank = { ...buildSection(world.clock.now(), 0), disabled: true, recently_added: true };
    const seeded = withDates ? { ...blank, strings: readDates(project) } : blank;
    const origin = { isLinked, project_id: project.id, customer_id: project.company_customer_id };
    const section = isLinked ? { ...seeded, origin } : { ...fillCopy(seeded, values, contactIds), origin };
    const cv = saveCv(world, call, putFirst(readMasterCv(world, user), section), 'project_experiences');
    if (notify) recordMail(world, user.email, 'linked');
    return { user_id: user.id, cv_id: cv.id, name: user.name, ...(withIds ? { section_id: section.id } : {}) };
  });
  return { status: 200, body: { updated_cvs } };
}

function readLinked(world: World, call: Call, body: Body): boolean {
  const sent = body.link_to_project;
  if (sent === undefined) return false;
  if (typeof sent !== 'boolean') throw new Refusal(400, 'link_to_project must be true or false');
  if (!sent) return false;
  if (!world.account.features.hard_linking) throw new Refusal(400, 'hard linking is not enabled for the account');
  if (call.key.role === 'external') throw new Refusal(403, 'external users cannot link project experiences');
  return true;
}

function readDates(project: ProjectDocument): Record<string, string | null> {
  const dates = ['month_from', 'year_from', 'month_to', 'year_to'] as const;
  return Object.fromEntries(dates.map((field) => [field, project.strings[field] ?? null]));
}

/** Values as they are now, once and for all; contacts only where they are asked for by id. */
function fillCopy(section: SectionDocument, values: InheritedValues, contactIds: readonly string[]): SectionDocument {
  const contacts = values.contacts.filter(({ id }) => contactIds.includes(id));
  return {
    ...section,
    texts: values.texts,
    strings: { ...values.strings, ...section.strings },
    parts: {
      project_experience_customer_contacts: contacts.map((contact, index) => copyContact(section, contact, index)),
    },
  };
}

function copyContact(section: SectionDocument, contact: EntryDocument, index: number): PartDocument {
  return { ...buildPart(section.created_at, index), strings: contact.strings, version: 1 };
}

/** First place: the others are renumbered behind it. */
function putFirst(cv: CvDocument, section: SectionDocument): CvDocument {
  const others = (cv.sections.project_experiences ?? []).map((other, index) => ({ ...other, order: index + 1 }));
  return { ...cv, sections: { ...cv.sections, project_experiences: [section, ...others] } };
}
