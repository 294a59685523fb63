import { SyncError } from '../../errors.js';
import { observe } from '../../mirror/observe.js';
import { observeLink, withValues } from '../../mirror/observe-cv.js';
import { isJsonObject, type Json, textOf } from '../../model/json.js';
import { sendsMail } from '../../model/mails.js';
import type { Observed } from '../../model/observed.js';
import type { Change } from '../../model/plan.js';
import { isSameRole, listRoles } from '../../model/staffing.js';
import type { CvRoleCreate } from '../../service/cvs.js';
import { ServiceError } from '../../service/service-error.js';
import { findCvKey, findOwner } from '../find-cv.js';
import { needId, resolveReference } from '../resolve-ids.js';
import type { BatchStep, CallContext, EntityCalls, Step, StepResult } from '../step.js';

/** The link itself goes with those of others in one call; each role is one more (spec, Project linking; CVs and sections). */
export const STAFFING_CALLS: EntityCalls = {
  endpoints({ action, after }) {
    if (action === 'delete') return ['deleteCvSection'];
    const roles = listRoles(after.role).map(() => 'createCvRole' as const);
    return action === 'create' ? ['linkConsultants', ...roles] : roles;
  },
  build: (change, context) => [
    ...(change.action === 'delete' ? [buildRemoval(change, context)] : []),
    ...(change.target === null ? [asStep(change, context)] : []),
    ...listRoles(change.after.role).map((role) => buildRole(role, change, context)),
  ],
  buildBatch: buildLink,
};

/** Of one change alone, the common call is a call like any other. */
function asStep(change: Change, context: CallContext): Step {
  const batch = buildLink([change], context);
  return {
    name: batch.name,
    endpoint: batch.endpoint,
    repeat: 'probe',
    seenBy: batch.seenBy,
    ...(batch.mails === true ? { mails: true as const } : {}),
    async send() {
      const { observed, requestId, status } = await batch.send();
      return { observed: observed[0] ?? null, requestId, status };
    },
    async probe() {
      const [found] = await batch.probe();
      return found === undefined || found === 'nothing' ? null : found;
    },
  };
}

/** Only an undo takes a link back: the experience that it made is deleted like any section. */
function buildRemoval({ target }: Change, context: CallContext): Step {
  const id = needId(target, 'The experience');
  const owner = () => findCvKey(context.mirrored('staffing', id), context);
  return {
    name: 'delete',
    endpoint: 'deleteCvSection',
    repeat: 'idempotent',
    seenBy: 'getCvSection',
    deletes: true,
    async send() {
      const { requestId, status } = await context.writer.cvs.sections.delete(owner(), 'project_experiences', id);
      return { observed: null, requestId, status };
    },
    async probe() {
      const section = await context.reader.cvs.sections.get(owner(), 'project_experiences', id);
      return section === null ? null : observeLink(section, owner());
    },
  };
}

interface StaffingPair {
  readonly userId: string;
  readonly projectId: string;
}

/**
 * Puts a project on the CVs of several people. The service does not look whether it is there already (spec, Project
 * linking 2), so the plan did, on CVs read in the same run; after a lost answer each CV is looked at again, and whoever
 * has an experience of the project is linked, by this call or by somebody else.
 */
function buildLink(changes: readonly Change[], context: CallContext): BatchStep {
  const { writer, reader, directory, mirrored, notify } = context;
  const pairs = changes.map(
    ({ after }): StaffingPair => ({
      userId: resolveReference('users', after.user, directory),
      projectId: resolveReference('projects', after.project, directory),
    }),
  );
  const projectId = needId(pairs[0]?.projectId ?? null, 'The project');
  const project = mirrored('projects', projectId);
  const link = changes[0]?.after.link === true;
  // Of one plan all are undone, or none is.
  const mails = changes.some((change) => sendsMail(change, notify));

  async function findOn({ userId }: StaffingPair): Promise<Observed | null> {
    const owner = await findOwner(userId, context);
    const experiences = (await reader.cvs.get(owner))?.project_experiences ?? [];
    const found = experiences.find((section) => section.reference_project_id === projectId);
    return found === undefined ? null : observeLink(found, owner);
  }

  return {
    name: 'link',
    endpoint: 'linkConsultants',
    seenBy: 'getCv',
    ...(mails ? { mails: true as const } : {}),
    async send() {
      const customerId = textOf(project?.values.customer_id);
      const key = {
        customerId: needId(customerId === '' ? null : customerId, 'The customer of the project'),
        projectId,
      };
      const { value, requestId, status } = await writer.consultants
        .link(key, {
          user_ids: [...new Set(pairs.map(({ userId }) => userId))],
          link_to_project: link,
          include_dates: changes[0]?.after.include_dates === true,
          notify_by_email: mails,
          include_section_ids: true,
        })
        .catch((error: unknown) => {
          throw link ? explainRefusal(error) : error;
        });
      const observed: Observed[] = [];
      for (const pair of pairs) {
        const made = value.updated_cvs.find((cv) => cv.user_id === pair.userId);
        const person = made?.name || pair.userId;
        const shown =
          made?.section_id == null
            ? await findOn(pair)
            : observe('staffing', made.section_id, `${person} on ${project?.label ?? projectId}`, {
                project_id: projectId,
                user_id: pair.userId,
                cv_id: made.cv_id,
                link,
                role: [],
              });
        if (shown === null) throw notAnswered(person);
        observed.push(shown);
      }
      return { observed, requestId, status };
    },
    async probe() {
      const found: (Observed | 'nothing')[] = [];
      for (const pair of pairs) found.push((await findOn(pair)) ?? 'nothing');
      return found;
    },
  };
}

/** The body is right, so a 400 to a hard link says that the account has none (spec, Project linking, response codes). */
function explainRefusal(error: unknown): unknown {
  if (!(error instanceof ServiceError) || error.status !== 400) return error;
  return new ServiceError({
    ...error.init,
    code: 'SYNC_SERVICE_NO_LINKING',
    message: `Hard linking is not enabled for the account: ${error.words || 'the service refused the link'}.`,
    cause: error,
  });
}

function notAnswered(person: string): SyncError {
  return new SyncError('SYNC_SERVICE_UNKNOWN_OUTCOME', {
    message: `The service answered the link of ${person} without naming it, and the CV does not show it.`,
    remedy: 'Look at the CV in the service. The next run reads it again before it links anybody.',
  });
}

function buildRole(role: Json, change: Change, context: CallContext): Step {
  const { writer, mirrored } = context;
  const words = isJsonObject(role) ? String(Object.values(role)[0] ?? '') : '';
  const has = (link: Observed): boolean => listRoles(link.values.role).some((one) => isSameRole(one, role));
  return {
    name: `role ${words}`,
    endpoint: 'createCvRole',
    repeat: 'probe',
    seenBy: 'getCv',
    async send(previous): Promise<StepResult> {
      const link = previous ?? (change.target === null ? null : mirrored('staffing', change.target));
      const id = needId(link?.id ?? null, 'The experience');
      const cv = findCvKey(link, context);
      // Found by a look after a lost answer, or made by somebody else since: then the role may be there as well.
      if (link !== null && has(link)) return { observed: link, requestId: null, status: null, provedBy: 'getCv' };
      const body = { name: role } as unknown as CvRoleCreate;
      const { value, requestId, status } = await writer.cvs.createRole(cv, id, body);
      const roles = [...listRoles(link?.values.role), value.name ?? role];
      return { observed: link === null ? null : withValues(link, { role: roles }), requestId, status };
    },
    probe: () => lookAtLink(change, context),
    happened: has,
  };
}

async function lookAtLink(change: Change, context: CallContext): Promise<Observed | null> {
  const { reader, directory, mirrored } = context;
  const target = change.target === null ? null : mirrored('staffing', change.target);
  const userId = textOf(target?.values.user_id) || resolveReference('users', change.after.user, directory);
  const projectId = textOf(target?.values.project_id) || resolveReference('projects', change.after.project, directory);
  const owner = await findOwner(userId, context);
  const experiences = (await reader.cvs.get(owner))?.project_experiences ?? [];
  const found = experiences.find(({ id, reference_project_id: from }) =>
    target === null ? from === projectId : id === target.id,
  );
  return found === undefined ? null : observeLink(found, owner);
}
