import {
  canReadProject,
  ownCountryOf,
  ownOfficeOf,
  requireProjectEditor,
  requirePublisher,
  requireReadableProject,
  requireReferenceManager,
} from '../access.js';
import type { ProjectDocument } from '../project-documents.js';
import { hasHardLinks, renderWholeProject } from '../render-project.js';
import { type Answer, type Call, NO_CONTENT, Refusal, type Route, type World } from '../route.js';
import { buildProject, fillProjectName, mergeProjectBody } from '../save-project.js';
import { type Body, readParameter, readStrings, readWrapper } from '../values.js';
import { listOffices } from './countries.js';
import { CUSTOMERS, requireCustomer } from './customers.js';

export const PROJECT = `${CUSTOMERS}/:customer_id/projects/:project_id`;
const PROJECTS = '/api/v2/company/cv/projects';

export const PROJECT_ROUTES: readonly Route[] = [
  { method: 'GET', path: PROJECT, access: 'read', handle: getProject },
  { method: 'GET', path: `${PROJECTS}/find`, access: 'read', handle: findProject },
  { method: 'GET', path: PROJECTS, access: 'read', handle: listProjects },
  { method: 'POST', path: `${CUSTOMERS}/:customer_id/projects`, access: 'write', handle: postProject },
  { method: 'PUT', path: PROJECT, access: 'write', handle: putProject },
  { method: 'DELETE', path: PROJECT, access: 'write', handle: deleteProject },
];

/** The project of the path, under the customer of the path, readable for the key. */
export function requireProject(world: World, call: Call): ProjectDocument {
  const project = world.store.projects.get(call.params.project_id ?? '');
  if (!project || project.company_customer_id !== call.params.customer_id) throw new Refusal(404, 'project not found');
  requireReadableProject(world, call, project);
  return project;
}

function getProject(world: World, call: Call): Answer {
  return { status: 200, body: renderWholeProject(world, requireProject(world, call), call) };
}

/** External ids of projects are not unique: several holders are 409 with their ids (spec, projects/find). */
function findProject(world: World, call: Call): Answer {
  const external = readParameter(call.query, 'external_unique_id');
  if (!external) throw new Refusal(400, 'external_unique_id is required');
  const holders = world.store.projects.find('WHERE external_unique_id = ? ORDER BY id', [external]);
  const readable = holders.filter((project) => canReadProject(world, call, project));
  const found = readable.length > 0 ? readable : holders;
  const [project] = found;
  if (!project) throw new Refusal(404, 'project not found');
  requireReadableProject(world, call, project);
  if (found.length > 1) {
    throw new Refusal(409, 'several projects have this external_unique_id', {
      duplicate_project_ids: found.map((duplicate) => duplicate.id),
    });
  }
  return { status: 200, body: renderWholeProject(world, project, call) };
}

function listProjects(world: World, call: Call): Answer {
  const customerId = readParameter(call.query, 'company_customer_id') ?? '';
  if (!world.store.customers.get(customerId)) throw new Refusal(404, 'company_customer_id is required');
  const projects = world.store.projects.find('WHERE company_customer_id = ? ORDER BY id', [customerId]);
  const readable = projects.filter((project) => canReadProject(world, call, project));
  return { status: 200, body: { projects: readable.map((project) => renderWholeProject(world, project, call)) } };
}

function postProject(world: World, call: Call): Answer {
  requireReferenceManager(call.key);
  const customer = requireCustomer(world, call);
  const body = readWrapper(call, 'company_project');
  const merged = mergeProjectBody(world, buildProject(world, customer.id), body, call.mode);
  if (merged.workflow_stage === 'live') requirePublisher(call.key);
  const project = world.store.projects.put({
    ...fillProjectName(world, merged),
    office_ids: readOfficeIds(world, body) ?? findDefaultOffice(world, call),
  });
  return { status: 200, body: renderWholeProject(world, project, call) };
}

function readOfficeIds(world: World, body: Body): readonly string[] | undefined {
  const ids = readStrings(body, 'office_ids');
  const unknown = ids?.find((id) => !world.store.offices.get(id));
  if (unknown !== undefined) throw new Refusal(404, `office ${unknown} is not in the account`);
  return ids === undefined ? undefined : [...new Set(ids)];
}

/** The office of the key or its user, else the first of the own country, else the first of the account. */
function findDefaultOffice(world: World, call: Call): readonly string[] {
  const own = ownOfficeOf(world, call);
  if (own !== undefined) return [own];
  const code = call.key.office?.country ?? ownCountryOf(world, call);
  const countries = world.store.countries.find('ORDER BY code, id').filter((country) => !code || country.code === code);
  const [first] = countries.flatMap((country) => listOffices(world, country.id));
  return first ? [first.id] : [];
}

/** `office_ids` is an unknown attribute here: 200, offices unchanged (spec, Project rules 3). */
function putProject(world: World, call: Call): Answer {
  const before = requireProject(world, call);
  requireProjectEditor(world, call, before);
  const body = readWrapper(call, 'company_project');
  const merged = mergeProjectBody(world, before, body, call.mode);
  if (body.workflow_stage === 'live') requirePublisher(call.key);
  const project = world.store.projects.put({ ...merged, version: before.version + 1, updated_at: world.clock.now() });
  return { status: 200, body: renderWholeProject(world, project, call) };
}

/** Branch on `reason`, the message is for people (spec, Errors). */
function deleteProject(world: World, call: Call): Answer {
  const project = requireProject(world, call);
  requireProjectEditor(world, call, project);
  if (hasHardLinks(world, project)) {
    throw new Refusal(409, 'project experiences of CVs are linked to the project', {
      reason: 'linked-project-experiences',
    });
  }
  for (const { id } of project.attachments) world.store.files.delete(id);
  world.store.projects.delete(project.id);
  return NO_CONTENT;
}
