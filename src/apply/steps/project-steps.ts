import { SyncError } from '../../errors.js';
import { observeProject } from '../../mirror/observe.js';
import { idOfIn } from '../../model/directory.js';
import type { Json } from '../../model/json.js';
import type { Observed } from '../../model/observed.js';
import type { Change } from '../../model/plan.js';
import type { EndpointName } from '../../service/endpoints.js';
import { hashObserved } from '../../store/hash-observed.js';
import { buildPlainBody } from '../bodies.js';
import { needId, resolveReference } from '../resolve-ids.js';
import { type CallContext, type EntityCalls, readText, type Step } from '../step.js';

export const PROJECT_CALLS: EntityCalls = { endpoints: projectEndpoints, build: buildProjectSteps };

/** The calls of a project's change, in order. */
function projectEndpoints(change: Change): readonly EndpointName[] {
  const plain: readonly EndpointName[] =
    change.action === 'create'
      ? ['createProject']
      : change.fields.some((name) => name !== 'owners')
        ? ['updateProject']
        : [];
  if (!change.fields.includes('owners')) return plain;
  // An empty list is refused (422): when no owner stays, each is taken off alone.
  const leaving =
    change.after.owners === null ? emails(change.before.owners).map(() => 'removeProjectOwner' as const) : null;
  return [...plain, ...(leaving ?? ['syncProjectOwners' as const])];
}

function buildProjectSteps(change: Change, context: CallContext): readonly Step[] {
  const { writer, reader, directory, mirrored } = context;
  const { after, target } = change;
  const customerId =
    target === null
      ? resolveReference('customers', after.customer, directory)
      : readText(mirrored('projects', target)?.values.customer_id);
  const probeById = async (id: string): Promise<Observed | null> => {
    const found = await reader.projects.get(customerId, id);
    return found === null ? null : observeProject(found, customerId);
  };
  const probeCreated = async (): Promise<Observed | null> => {
    const external = readText(after.external_unique_id);
    const found = (await reader.projects.list(customerId)).find((project) =>
      external === '' ? sameName(project.project_name, after.project_name) : project.external_unique_id === external,
    );
    return found === undefined ? null : observeProject(found, customerId);
  };
  const leaving = after.owners === null ? [...emails(change.before.owners)] : [];
  return projectEndpoints(change).map((endpoint): Step => {
    if (endpoint === 'removeProjectOwner') {
      return buildOwnerRemoval(leaving.shift() ?? '', needId(target, 'The project'), customerId, context, probeById);
    }
    if (endpoint === 'createProject') {
      return {
        name: 'create',
        endpoint,
        repeat: 'probe',
        async send() {
          const { value, requestId, status } = await writer.projects.create(
            customerId,
            buildPlainBody('projects', after, directory),
          );
          return { observed: observeProject(value, customerId), requestId, status };
        },
        probe: probeCreated,
      };
    }
    return {
      name: endpoint === 'updateProject' ? 'update' : 'owners',
      endpoint,
      repeat: 'idempotent',
      async send(previous) {
        const id = needId(target ?? previous?.id ?? null, 'The project');
        const { value, requestId, status } =
          endpoint === 'updateProject'
            ? await writer.projects.update(customerId, id, buildPlainBody('projects', after, directory))
            : await writer.projects.syncOwners(customerId, id, { emails: emails(after.owners), replace: true });
        const project = value ?? (await reader.projects.get(customerId, id));
        if (project === null) throw new SyncError('SYNC_REFERENCE_UNKNOWN', goneProject(id));
        return { observed: observeProject(project, customerId), requestId, status, answered: value !== null };
      },
      probe: () => (target === null ? probeCreated() : probeById(target)),
    };
  });
}

function buildOwnerRemoval(
  email: string,
  projectId: string,
  customerId: string,
  { writer, mirrored, directory }: CallContext,
  probe: (id: string) => Promise<Observed | null>,
): Step {
  return {
    name: `owner ${email}`,
    endpoint: 'removeProjectOwner',
    repeat: 'idempotent',
    async send(previous) {
      const before = needKnown(previous ?? mirrored('projects', projectId));
      const ids = (before.values.owners_ids ?? {}) as Readonly<Record<string, string>>;
      const userId = needId(ids[email] ?? idOfIn(directory)('users', email), `The owner ${email}`);
      const { requestId, status } = await writer.projects.removeOwner(customerId, projectId, userId);
      const owners = emails(before.values.owners).filter((one) => one !== email);
      const values = { ...before.values, owners };
      return { observed: { ...before, values, hash: hashObserved(before.active, values) }, requestId, status };
    },
    probe: () => probe(projectId),
    happened: (found) => !emails(found.values.owners).includes(email),
  };
}

function needKnown(object: Observed | null): Observed {
  if (object !== null) return object;
  throw new SyncError('SYNC_REFERENCE_UNKNOWN', goneProject('of that change'));
}

function goneProject(id: string): { message: string; remedy: string } {
  return { message: `The project ${id} is gone.`, remedy: 'Run again: the next plan looks it up anew.' };
}

function emails(value: Json | undefined): readonly string[] {
  return Array.isArray(value) ? (value as readonly Json[]).map(String) : [];
}

function sameName(have: Readonly<Record<string, string>> | undefined, want: Json | undefined): boolean {
  return Object.entries((want ?? {}) as Readonly<Record<string, string>>).every(
    ([language, name]) => have?.[language] === name,
  );
}
