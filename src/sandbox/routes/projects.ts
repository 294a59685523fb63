import { hasHardLinks, renderWholeProject } from '../answers/render-project.js';
import {
  canReadProject,
  ownCountryOf,
  ownOfficeOf,
  requireProjectEditor,
  requirePublisher,
  requireReadableProject,
  requireReferenceManager,
} from '../calls/access.js';
import type { Call } from '../calls/call.js';
import { refuse } from '../fields/refusal.js';
import { type Body, readParameter, readStrings, readWrapper } from '../fields/values.js';
import { removeProjectFiles } from '../records/pictures.js';
import { listOffices } from '../records/places.js';
import { buildProject, fillProjectName, mergeProjectBody } from '../records/save-project.js';
import type { ProjectDocument } from '../store/project-documents.js';
import { requireCustomer } from './customers.js';
import { requireEach } from './resource.js';

/** Returns the project in the path if the key may read it. */
export function requireProject(call: Call): ProjectDocument {
  const { customer_id, project_id } = call.params;
  const project = call.world.store.projects.get(project_id);
  if (!project || project.company_customer_id !== customer_id) refuse(404, 'project not found');
  requireReadableProject(call, project);
  return project;
}

/** Returns the project in the path if the key may change it. */
export function requireOwnProject(call: Call): ProjectDocument {
  const project = requireProject(call);
  requireProjectEditor(call, project);
  return project;
}

/** Stores a changed project with the time of the change. */
export function putProject({ world }: Call, project: ProjectDocument): ProjectDocument {
  return world.store.projects.put({ ...project, updated_at: world.clock.now() });
}

export function getProject(call: Call): object {
  return renderWholeProject(call, requireProject(call));
}

/** Finds a project by external id. External ids are not unique: several matches are 409 with their ids (spec, projects/find). */
export function findProject(call: Call): object {
  const external = readParameter(call.query, 'external_unique_id') || refuse(400, 'external_unique_id is required');
  const holders = call.world.store.projects.find('WHERE external_unique_id = ? ORDER BY id', [external]);
  const readable = holders.filter((project) => canReadProject(call, project));
  const found = readable.length > 0 ? readable : holders;
  const project = found[0] ?? refuse(404, 'project not found');
  requireReadableProject(call, project);
  if (found.length === 1) return renderWholeProject(call, project);
  const duplicate_project_ids = found.map(({ id }) => id);
  return refuse(409, 'several projects have this external_unique_id', { duplicate_project_ids });
}

export function listProjects(call: Call): object {
  const { customers, projects } = call.world.store;
  const customerId = readParameter(call.query, 'company_customer_id') ?? '';
  if (!customers.get(customerId)) refuse(404, 'company_customer_id is required');
  const found = projects.find('WHERE company_customer_id = ? ORDER BY id', [customerId]);
  const readable = found.filter((project) => canReadProject(call, project));
  return { projects: readable.map((project) => renderWholeProject(call, project)) };
}

export function postProject(call: Call): object {
  const { world } = call;
  requireReferenceManager(call.key);
  const customer = requireCustomer(call);
  const body = readWrapper(call, 'company_project');
  const merged = mergeProjectBody(world, buildProject(world, customer.id), body, call.mode);
  if (merged.workflow_stage === 'live') requirePublisher(call.key);
  const office_ids = readOfficeIds(call, body) ?? findDefaultOffice(call);
  return renderWholeProject(call, world.store.projects.put({ ...fillProjectName(world, merged), office_ids }));
}

export function readOfficeIds({ world }: Call, body: Body): readonly string[] | undefined {
  const ids = readStrings(body, 'office_ids');
  requireEach(world.store.offices, ids, (id) => `office ${id} is not in the account`);
  return ids && [...new Set(ids)];
}

/** Returns the office of the key or its user, or else the first one of their country, or else the first one of the account. */
function findDefaultOffice(call: Call): readonly string[] {
  const { world, key } = call;
  const own = ownOfficeOf(call);
  if (own !== undefined) return [own];
  const code = key.office?.country ?? ownCountryOf(call);
  const countries = world.store.countries.find('ORDER BY code, id').filter((country) => !code || country.code === code);
  const [first] = countries.flatMap((country) => listOffices(world, country.id));
  return first ? [first.id] : [];
}

/**
 * Changes a project. `office_ids` is an unknown attribute here, so the response is 200 and the offices stay unchanged (spec,
 * Project rules 3).
 */
export function changeProject(call: Call): object {
  const before = requireOwnProject(call);
  const body = readWrapper(call, 'company_project');
  const merged = mergeProjectBody(call.world, before, body, call.mode);
  if (body.workflow_stage === 'live') requirePublisher(call.key);
  return renderWholeProject(call, putProject(call, { ...merged, version: before.version + 1 }));
}

/** Deletes a project. Clients should check `reason`, because the message is for people (spec, Errors). */
export function deleteProject(call: Call): undefined {
  const { world } = call;
  const project = requireOwnProject(call);
  if (hasHardLinks(world, project)) {
    refuse(409, 'project experiences of CVs are linked to the project', { reason: 'linked-project-experiences' });
  }
  removeProjectFiles(world, project);
  world.store.projects.delete(project.id);
}
