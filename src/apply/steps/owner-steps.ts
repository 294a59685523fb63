import { observeProject, withValues } from '../../mirror/observe.js';
import { idOfIn } from '../../model/directory.js';
import { type Json, listOf, textOf } from '../../model/json.js';
import { foldKey, type Observed } from '../../model/observed.js';
import type { Change } from '../../model/plan.js';
import { shownIdOf } from '../../reconcile/fields/diff.js';
import type { EndpointName } from '../../service/endpoints.js';
import { ServiceError } from '../../service/service-error.js';
import { needId } from '../resolve-ids.js';
import type { CallContext, Step, StepResult } from '../step.js';

/**
 * One call sets the full list of owners. The service rejects an empty list (422), so if no owner is left, each owner is
 * removed separately.
 */
export function ownerEndpoints({ fields, before, after }: Change): readonly EndpointName[] {
  if (!fields.includes('owners')) return [];
  return after.owners === null
    ? wordsOf(before.owners).map(() => 'removeProjectOwner' as const)
    : ['syncProjectOwners'];
}

interface Owners {
  readonly change: Change;
  readonly customerId: string;
  readonly context: CallContext;
  readonly probe: () => Promise<Observed | null>;
  readonly seenBy: EndpointName;
}

export function buildOwnerSteps(owners: Owners): readonly Step[] {
  const { fields, before, after } = owners.change;
  if (!fields.includes('owners')) return [];
  return after.owners === null
    ? wordsOf(before.owners).map((email) => buildRemoval(email, owners))
    : [buildSync(owners)];
}

function buildSync({ change, customerId, context, probe, seenBy }: Owners): Step {
  return {
    name: 'owners',
    endpoint: 'syncProjectOwners',
    repeat: 'idempotent',
    async send(previous) {
      const id = needId(change.target ?? previous?.id ?? null, 'The project');
      const known = previous ?? context.mirrored('projects', id);
      const emails = wordsOf(change.after.owners).map((word) => emailOf(word, known, context));
      try {
        return await sync(id, emails, true);
      } catch (error) {
        // The service rejects the entire call if one e-mail address matches nobody (spec, Customers and reference
        // projects).
        const left = error instanceof ServiceError && error.status === 422 ? await findMatched(emails, context) : null;
        if (left === null || left.length === 0 || !(error instanceof ServiceError)) throw error;
        // Known people are added and nobody is removed, because the unknown address may belong to an existing owner.
        return { ...(await sync(id, left, false)), refusals: [{ field: 'owners', error }] };
      }
    },
    probe,
    seenBy,
  };

  async function sync(id: string, emails: readonly string[], replace: boolean): Promise<StepResult> {
    const { writer, reader, directory } = context;
    const { value, requestId, status } = await writer.projects.syncOwners(customerId, id, { emails, replace });
    const project = value ?? (await reader.projects.get(customerId, id));
    const observed = observeProject(needId(project, 'The project'), customerId, directory);
    return { observed, requestId, status, answered: value !== null };
  }
}

/**
 * Finds the e-mail address of a person, because the service accepts nothing else. A source may identify people by an
 * external id, and the project may show an address that this run has since changed.
 */
function emailOf(word: string, project: Observed | null, { directory, mirrored }: CallContext): string {
  const id = idOfIn(directory)('users', word) ?? shownIdOf(project?.values ?? null, 'owners', word);
  const email = id === null ? '' : textOf(mirrored('users', id)?.values.email);
  return email === '' ? word : email;
}

/** Finds the addresses that belong to someone; null if all do, because then the rejection has another reason. */
async function findMatched(emails: readonly string[], { reader }: CallContext): Promise<readonly string[] | null> {
  const matched: string[] = [];
  for (const email of emails) if ((await reader.users.find({ email })) !== null) matched.push(email);
  return matched.length === emails.length ? null : matched;
}

function buildRemoval(email: string, { change, customerId, context, probe, seenBy }: Owners): Step {
  const { writer, mirrored, directory } = context;
  return {
    name: `owner ${email}`,
    endpoint: 'removeProjectOwner',
    repeat: 'idempotent',
    async send(previous) {
      const projectId = needId(change.target, 'The project');
      const known = needId(previous ?? mirrored('projects', projectId), 'The project');
      const ids = (known.values.owners_ids ?? {}) as Readonly<Record<string, string>>;
      const userId = needId(ids[foldKey(email)] ?? idOfIn(directory)('users', email), `The owner ${email}`);
      const { requestId, status } = await writer.projects.removeOwner(customerId, projectId, userId);
      const owners = wordsOf(known.values.owners).filter((one) => one !== email);
      return { observed: withValues(known, { owners }), requestId, status };
    },
    probe,
    seenBy,
    happened: ({ values }) => values.owners !== undefined && !wordsOf(values.owners).includes(email),
  };
}

function wordsOf(value: Json | undefined): readonly string[] {
  return listOf(value).map(String);
}
