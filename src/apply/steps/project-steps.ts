import { observeProject } from '../../mirror/observe.js';
import { FIELDS, type FieldShape } from '../../model/fields.js';
import { type Json, textOf } from '../../model/json.js';
import type { Observed } from '../../model/observed.js';
import type { Change } from '../../model/plan.js';
import type { EndpointName } from '../../service/endpoints.js';
import { buildPlainBody } from '../bodies.js';
import { needId, resolveReference } from '../resolve-ids.js';
import { answerAs, type CallContext, type EntityCalls, type Step, type StepResult } from '../step.js';
import { buildEntrySteps, entryEndpoints } from './entry-steps.js';
import { buildOwnerSteps, ownerEndpoints } from './owner-steps.js';
import { buildTagSteps, tagEndpoints } from './tag-set-steps.js';
import { type ProjectBody, writeTolerantly } from './write-tolerantly.js';

export const PROJECT_CALLS: EntityCalls = { endpoints: projectEndpoints, build: buildProjectSteps };

const TAG_CALLS = { add: 'addProjectTag', remove: 'removeProjectTag' } as const;
/** Shapes of the fields that are set by separate calls. */
const APART: readonly FieldShape[] = ['references', 'tag_sets', 'entries'];

/** The calls of a project's change, in order: the project itself, its texts, its owners, its tags. */
function projectEndpoints(change: Change): readonly EndpointName[] {
  return [
    ...projectCalls(change),
    ...entryEndpoints(change),
    ...ownerEndpoints(change),
    ...tagEndpoints(change, TAG_CALLS),
  ];
}

function projectCalls({ action, fields }: Change): readonly ('createProject' | 'updateProject')[] {
  if (action === 'create') return ['createProject'];
  return fields.some((name) => !APART.includes(FIELDS.projects[name]?.shape ?? 'text')) ? ['updateProject'] : [];
}

function buildProjectSteps(change: Change, context: CallContext): readonly Step[] {
  const { writer, directory, mirrored } = context;
  const { after, target } = change;
  const customerId =
    target === null
      ? resolveReference('customers', after.customer, directory)
      : textOf(mirrored('projects', target)?.values.customer_id);
  const placed = { change, customerId, context };
  const probe = (): Promise<Observed | null> => (target === null ? findCreated(placed) : findById(target, placed));
  const look = { probe, seenBy: target === null ? 'listProjects' : 'getProject' } as const;
  const [main] = projectCalls(change);
  const isCreate = main === 'createProject';
  const mainStep: Step = {
    name: isCreate ? 'create' : 'update',
    endpoint: isCreate ? 'createProject' : 'updateProject',
    repeat: isCreate ? 'probe' : 'idempotent',
    ...look,
    send: (previous) => sendProject(placed, previous),
  };
  return [
    ...(main === undefined ? [] : [mainStep]),
    ...buildEntrySteps(change, customerId, context, look),
    ...buildOwnerSteps({ ...placed, ...look }),
    ...buildTagSteps(change, context, {
      endpoints: TAG_CALLS,
      seenBy: look.seenBy,
      probe: (id) => (id === null ? probe() : findById(id, placed)),
      add: async (projectId, tag) =>
        answerAs(await writer.tags.addToProject({ customerId, projectId }, tag), (project) =>
          observeProject(project, customerId, directory),
        ),
      remove: (projectId, tagId) => writer.tags.removeFromProject({ customerId, projectId }, tagId),
    }),
  ];
}

/** The change of a project, with its customer. */
interface PlacedChange {
  readonly change: Change;
  readonly customerId: string;
  readonly context: CallContext;
}

async function findById(id: string, { customerId, context }: PlacedChange): Promise<Observed | null> {
  const { reader, directory } = context;
  const found = await reader.projects.get(customerId, id);
  return found === null ? null : observeProject(found, customerId, directory);
}

/**
 * Finds the project that a lost create may have made. Names and external ids of projects are not unique, so a project
 * linked to another record is ignored.
 */
async function findCreated({ change, customerId, context }: PlacedChange): Promise<Observed | null> {
  const { reader, directory, mirrored, linkedKey } = context;
  const { key, after } = change;
  const external = textOf(after.external_unique_id);
  const isFree = (id: string): boolean => [null, key].includes(linkedKey('projects', id));
  const isNew = (id: string): boolean => linkedKey('projects', id) !== null || mirrored('projects', id) === null;
  const found = ((await reader.projects.list(customerId)) ?? []).find(
    ({ id, external_unique_id: has, project_name }) =>
      isFree(id) && (external === '' ? isNew(id) && sameName(project_name, after.project_name) : has === external),
  );
  return found === undefined ? null : observeProject(found, customerId, directory);
}

async function sendProject(
  { change, customerId, context }: PlacedChange,
  previous: Observed | null,
): Promise<StepResult> {
  const { writer, directory, mirrored } = context;
  const { target } = change;
  const { projects } = writer;
  const body: ProjectBody = buildPlainBody('projects', change, directory);
  const { answer, refusals } = await writeTolerantly(body, (part, id) => {
    const projectId = id ?? target;
    return projectId === null ? projects.create(customerId, part) : projects.update(customerId, projectId, part);
  });
  if (answer !== null) {
    return { ...answerAs(answer, (project) => observeProject(project, customerId, directory)), refusals };
  }
  const [first] = refusals;
  const known = needId(previous ?? mirrored('projects', needId(target, 'The project')), 'The project');
  return { observed: known, requestId: first?.error.requestId ?? null, status: first?.error.status ?? null, refusals };
}

function sameName(have: Readonly<Record<string, string>> | undefined, want: Json | undefined): boolean {
  return Object.entries((want ?? {}) as Readonly<Record<string, string>>).every(
    ([language, name]) => have?.[language] === name,
  );
}
