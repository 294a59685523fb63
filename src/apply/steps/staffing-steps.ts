import { SyncError } from '../../base/errors.js';
import { observe, withValues } from '../../mirror/observe.js';
import { observeLink } from '../../mirror/observe-cv.js';
import { isJsonObject, type Json, textOf } from '../../model/json.js';
import { sendsMail } from '../../model/mails.js';
import type { Observed } from '../../model/observed.js';
import type { Change } from '../../model/plan.js';
import { isSameRole, listRoles } from '../../model/staffing.js';
import type { WriteResult } from '../../service/answer.js';
import type { WireLinkedCvs } from '../../service/consultants.js';
import type { CvRoleCreate } from '../../service/cvs.js';
import { ServiceError } from '../../service/service-error.js';
import type { WireSection } from '../../service/wire-cv.js';
import { findCvKey, findOwner } from '../find-cv.js';
import { needId, resolveReference } from '../resolve-ids.js';
import { answerAs, type BatchStep, type CallContext, type EntityCalls, type Step, type StepResult } from '../step.js';

/** One call creates the links of several people; each role takes another call (spec, Project linking; CVs and sections). */
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

/** Wraps the shared call as an ordinary step for a single change. */
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

/** Removes a link by deleting the experience, like any other section. Only an undo does this. */
function buildRemoval({ target }: Change, context: CallContext): Step {
  const id = needId(target, 'The experience');
  const owner = () => findCvKey(context.mirrored('staffing', id), context);
  return {
    name: 'delete',
    endpoint: 'deleteCvSection',
    repeat: 'idempotent',
    seenBy: 'getCvSection',
    deletes: true,
    send: async () => answerAs(await context.writer.cvs.sections.delete(owner(), 'project_experiences', id)),
    async probe() {
      const section = await context.reader.cvs.sections.get(owner(), 'project_experiences', id);
      return section === null ? null : observeLink(section, owner());
    },
  };
}

/** Links of several people to one project, created by one call. */
interface Links {
  readonly projectId: string;
  readonly userIds: readonly string[];
  /** True for hard links. */
  readonly link: boolean;
  readonly includeDates: boolean;
  readonly mails: boolean;
}

function readLinks(changes: readonly Change[], { directory, notify }: CallContext): Links {
  const [first] = changes;
  const pairs = changes.map(({ after }) => ({
    userId: resolveReference('users', after.user, directory),
    projectId: resolveReference('projects', after.project, directory),
  }));
  return {
    projectId: needId(pairs[0]?.projectId ?? null, 'The project'),
    userIds: pairs.map(({ userId }) => userId),
    link: first?.after.link === true,
    includeDates: first?.after.include_dates === true,
    // A plan contains either only undo changes or none.
    mails: changes.some((change) => sendsMail(change, notify)),
  };
}

/**
 * Adds a project to the CVs of several people. The service does not check for existing links (spec, Project linking 2),
 * so planning checks the CVs read in the same run. After a lost answer each CV is read again. Anyone with an experience
 * of the project then counts as linked, even if someone else created it.
 */
function buildLink(changes: readonly Change[], context: CallContext): BatchStep {
  const links = readLinks(changes, context);
  return {
    name: 'link',
    endpoint: 'linkConsultants',
    seenBy: 'getCv',
    ...(links.mails ? { mails: true as const } : {}),
    async send() {
      const { value, requestId, status } = await sendLinks(links, context);
      const observed: Observed[] = [];
      for (const userId of links.userIds) {
        const made = value.updated_cvs.find((cv) => cv.user_id === userId);
        observed.push(await showLink(userId, made, links, context));
      }
      return { observed, requestId, status };
    },
    async probe() {
      const found: (Observed | 'nothing')[] = [];
      for (const userId of links.userIds) found.push((await findLink(userId, links, context)) ?? 'nothing');
      return found;
    },
  };
}

async function sendLinks(
  { projectId, userIds, link, includeDates, mails }: Links,
  { writer, mirrored }: CallContext,
): Promise<WriteResult<WireLinkedCvs>> {
  const customerId = textOf(mirrored('projects', projectId)?.values.customer_id) || null;
  const project = { customerId: needId(customerId, 'The customer of the project'), projectId };
  try {
    return await writer.consultants.link(project, {
      user_ids: [...new Set(userIds)],
      link_to_project: link,
      include_dates: includeDates,
      notify_by_email: mails,
      include_section_ids: true,
    });
  } catch (error) {
    throw link ? explainRefusal(error) : error;
  }
}

/** Finds the link in the answer, or in the CV if the answer does not contain it. */
async function showLink(
  userId: string,
  made: WireLinkedCvs['updated_cvs'][number] | undefined,
  links: Links,
  context: CallContext,
): Promise<Observed> {
  const { projectId, link } = links;
  const person = made?.name || userId;
  if (made?.section_id == null) {
    const shown = await findLink(userId, links, context);
    if (shown === null) throw notAnswered(person);
    return shown;
  }
  const project = context.mirrored('projects', projectId);
  return observe('staffing', made.section_id, `${person} on ${project?.label ?? projectId}`, {
    project_id: projectId,
    user_id: userId,
    cv_id: made.cv_id,
    link,
    role: [],
  });
}

async function findLink(userId: string, { projectId }: Links, context: CallContext): Promise<Observed | null> {
  return findExperience(userId, (section) => section.reference_project_id === projectId, context);
}

async function findExperience(
  userId: string,
  isSought: (section: WireSection<'project_experiences'>) => boolean,
  context: CallContext,
): Promise<Observed | null> {
  const owner = await findOwner(userId, context);
  const found = (await context.reader.cvs.get(owner))?.project_experiences?.find(isSought);
  return found === undefined ? null : observeLink(found, owner);
}

/**
 * Explains a 400 for a hard link. The body is correct, so hard links are not enabled for the account (spec, Project
 * linking, response codes).
 */
function explainRefusal(error: unknown): unknown {
  if (!(error instanceof ServiceError) || error.status !== 400) return error;
  return new ServiceError({
    ...error.init,
    code: 'SYNC_SERVICE_NO_LINKING',
    message: `Hard linking is not enabled for the account: ${error.words || 'the service rejected the link'}.`,
    cause: error,
  });
}

function notAnswered(person: string): SyncError {
  return new SyncError('SYNC_SERVICE_UNKNOWN_OUTCOME', {
    message: `The service answered the call that links ${person} without naming the link, and the CV does not show it.`,
    remedy: 'Look at the CV in the service. The next run reads it again before it links anyone.',
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
      // A look after a lost answer found the experience, or someone else created it, so it may already have the role.
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
  const { directory, mirrored } = context;
  const target = change.target === null ? null : mirrored('staffing', change.target);
  const userId = textOf(target?.values.user_id) || resolveReference('users', change.after.user, directory);
  const projectId = textOf(target?.values.project_id) || resolveReference('projects', change.after.project, directory);
  return findExperience(
    userId,
    ({ id, reference_project_id: from }) => (target === null ? from === projectId : id === target.id),
    context,
  );
}
