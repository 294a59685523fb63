import { observeProject } from '../../mirror/observe.js';
import { type Json, textOf } from '../../model/json.js';
import type { Observed } from '../../model/observed.js';
import type { Change } from '../../model/plan.js';
import type { EndpointName } from '../../service/endpoints.js';
import { buildPlainBody } from '../bodies.js';
import { needId, resolveReference } from '../resolve-ids.js';
import type { CallContext, EntityCalls, Step, StepResult } from '../step.js';
import { buildEntrySteps, ENTRY_FIELDS, entryEndpoints } from './entry-steps.js';
import { needKnown } from './known-object.js';
import { buildOwnerSteps, ownerEndpoints } from './owner-steps.js';
import { buildTagSteps, tagEndpoints } from './tag-set-steps.js';
import { type ProjectBody, writeTolerantly } from './write-tolerantly.js';

export const PROJECT_CALLS: EntityCalls = { endpoints: projectEndpoints, build: buildProjectSteps };

const TAG_CALLS = { add: 'addProjectTag', remove: 'removeProjectTag' } as const;
/** Each has calls of its own. */
const APART: ReadonlySet<string> = new Set(['owners', 'tags', ...ENTRY_FIELDS]);

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
  return fields.some((name) => !APART.has(name)) ? ['updateProject'] : [];
}

function buildProjectSteps(change: Change, context: CallContext): readonly Step[] {
  const { writer, reader, directory, mirrored, linkedKey } = context;
  const { after, target } = change;
  const customerId =
    target === null
      ? resolveReference('customers', after.customer, directory)
      : textOf(mirrored('projects', target)?.values.customer_id);
  const probeById = async (id: string): Promise<Observed | null> => {
    const found = await reader.projects.get(customerId, id);
    return found === null ? null : observeProject(found, customerId, directory);
  };
  const probeCreated = async (): Promise<Observed | null> => {
    const external = textOf(after.external_unique_id);
    // Neither names nor external ids of projects are unique: another record's is not this one.
    const isFree = (id: string): boolean => [null, change.key].includes(linkedKey('projects', id));
    const isNew = (id: string): boolean => linkedKey('projects', id) !== null || mirrored('projects', id) === null;
    const found = ((await reader.projects.list(customerId)) ?? []).find(
      ({ id, external_unique_id: has, project_name }) =>
        isFree(id) && (external === '' ? isNew(id) && sameName(project_name, after.project_name) : has === external),
    );
    return found === undefined ? null : observeProject(found, customerId, directory);
  };
  const probe = (): Promise<Observed | null> => (target === null ? probeCreated() : probeById(target));
  const seenBy = target === null ? 'listProjects' : 'getProject';
  const steps = projectCalls(change).map((endpoint): Step => {
    const isCreate = endpoint === 'createProject';
    return {
      name: isCreate ? 'create' : 'update',
      endpoint,
      repeat: isCreate ? 'probe' : 'idempotent',
      seenBy: isCreate ? 'listProjects' : seenBy,
      send: (previous) => sendProject(change, customerId, previous, context),
      probe: isCreate ? probeCreated : probe,
    };
  });
  return [
    ...steps,
    ...buildEntrySteps(change, customerId, context, { probe, seenBy }),
    ...buildOwnerSteps({ change, customerId, context, probe, seenBy }),
    ...buildTagSteps(change, context, {
      endpoints: TAG_CALLS,
      seenBy,
      probe: (id) => (id === null ? probe() : probeById(id)),
      async add(projectId, tag) {
        const { value, requestId, status } = await writer.tags.addToProject({ customerId, projectId }, tag);
        return { observed: observeProject(value, customerId, directory), requestId, status };
      },
      remove: (projectId, tagId) => writer.tags.removeFromProject({ customerId, projectId }, tagId),
    }),
  ];
}

async function sendProject(
  change: Change,
  customerId: string,
  previous: Observed | null,
  { writer, directory, mirrored }: CallContext,
): Promise<StepResult> {
  const { target } = change;
  const { projects } = writer;
  const body: ProjectBody = buildPlainBody('projects', change, directory);
  const { answer, refusals } = await writeTolerantly(body, (part, id) => {
    const projectId = id ?? target;
    return projectId === null ? projects.create(customerId, part) : projects.update(customerId, projectId, part);
  });
  if (answer !== null) {
    const observed = observeProject(answer.value, customerId, directory);
    return { observed, requestId: answer.requestId, status: answer.status, refusals };
  }
  const [first] = refusals;
  const known = needKnown(previous ?? mirrored('projects', needId(target, 'The project')));
  return { observed: known, requestId: first?.error.requestId ?? null, status: first?.error.status ?? null, refusals };
}

function sameName(have: Readonly<Record<string, string>> | undefined, want: Json | undefined): boolean {
  return Object.entries((want ?? {}) as Readonly<Record<string, string>>).every(
    ([language, name]) => have?.[language] === name,
  );
}
