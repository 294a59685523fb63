import { observeUser, withValues } from '../../mirror/observe.js';
import { idOfIn } from '../../model/directory.js';
import { FIELDS, isManager } from '../../model/fields.js';
import { isJsonObject, objectOf, textOf, type Values } from '../../model/json.js';
import { sendsMail } from '../../model/mails.js';
import type { Observed } from '../../model/observed.js';
import type { Change } from '../../model/plan.js';
import { repeatOf } from '../../service/endpoint.js';
import type { EndpointName } from '../../service/endpoints.js';
import { buildUserBody, buildUserCreate } from '../bodies.js';
import { isSeen } from '../judge-look.js';
import { resolveOfficeIds, resolveTagIds } from '../resolve-ids.js';
import { answerAs, type CallContext, type EntityCalls, type Step } from '../step.js';
import { buildCvSteps, listCvEndpoints, lookAtCv } from './person-cv-steps.js';
import { isTagsAlone } from './tag-set-steps.js';

export const USER_CALLS: EntityCalls = { endpoints: userEndpoints, build: buildUserSteps };

/** One call on the user if any user field changes, followed by the calls on the CV (spec, CV update body fields; Custom tags). */
function userEndpoints(change: Change): readonly EndpointName[] {
  return [...listUserEndpoints(change), ...listCvEndpoints(change)];
}

function listUserEndpoints(change: Change): readonly EndpointName[] {
  if (change.action === 'create') return ['createUser'];
  return speaksOfUser(change) ? ['updateUser'] : [];
}

function speaksOfUser(change: Change): boolean {
  return change.action !== 'update' || Object.keys(pickUserPart(change.after)).length > 0;
}

/** The fields for a call on the user, without CV fields and without tags to clear. */
function pickUserPart(after: Values): Values {
  const { tags, ...others } = after;
  const part = Object.entries(others).filter(([name]) => FIELDS.users[name]?.onCv !== true);
  const set = Object.entries(objectOf(tags)).filter(([, tag]) => tag !== null);
  return Object.fromEntries(set.length > 0 ? [...part, ['tags', Object.fromEntries(set)]] : part);
}

function buildUserSteps(change: Change, context: CallContext): readonly Step[] {
  const part = { ...change, after: pickUserPart(change.after) };
  const first = change.target === null ? [buildCreate(part, context)] : [];
  const update = change.target !== null && speaksOfUser(change) ? [buildUpdate(part, change.target, context)] : [];
  return [...first, ...update, ...buildCvSteps(change, context)];
}

function mailsOf(change: Change, notify: CallContext['notify']): Pick<Step, 'mails'> {
  return sendsMail(change, notify) ? { mails: true } : {};
}

function buildCreate(change: Change, context: CallContext): Step {
  const { writer, reader, directory, notify } = context;
  return {
    name: 'create',
    endpoint: 'createUser',
    repeat: 'probe',
    seenBy: 'findUser',
    ...mailsOf(change, notify),
    async send() {
      const answer = await writer.users.create(buildUserCreate(change, directory, notify));
      return answerAs(answer, (user) => withScope(observeUser(user), change, context));
    },
    async probe() {
      const external = textOf(change.after.external_unique_id);
      const email = textOf(change.after.email);
      const found = await reader.users.find(external === '' ? { email } : { external_unique_id: external, email });
      return found === null ? null : observeUser(found);
    },
  };
}

function buildUpdate(change: Change, target: string, context: CallContext): Step {
  const { writer, reader, directory, notify } = context;
  // If only tags change, the CV alone can show them. If another field changes too, that field on the person proves the
  // call.
  const looksOnCv = change.action === 'update' && isTagsAlone(Object.keys(change.after)) && directory.showsUserTags;
  const mailing = mailsOf(change, notify);
  return {
    name: 'update',
    endpoint: 'updateUser',
    repeat: repeatOf({ repeat: 'idempotent' }, mailing.mails === true),
    seenBy: looksOnCv ? 'getCv' : 'getUser',
    ...mailing,
    async send() {
      const body = { ...buildUserBody(change, directory, notify), ...buildTagScope(change, context) };
      const answer = await writer.users.update(target, body);
      return answerAs(answer, (user) => rememberTags(withScope(observeUser(user), change, context), change, context));
    },
    async probe() {
      if (looksOnCv) return lookAtCv(change, context);
      const found = await reader.users.get(target);
      return found === null ? null : observeUser(found);
    },
    happened: (found) => isSeen(change, found, idOfIn(directory)),
    withUnshown: (found) => rememberTags(found, change, context),
  };
}

/** The service replaces a scope completely, so the call includes tags that others added in categories not named here. */
function buildTagScope(
  { after: { role_allowed_tags: tags }, target }: Change,
  { directory, mirrored }: CallContext,
): { readonly role_allowed_tag_ids?: readonly string[] } {
  if (!isJsonObject(tags)) return {};
  const user = target === null ? null : mirrored('users', target);
  const there = isManager(user?.values.roles) ? user?.values.role_allowed_tag_ids : [];
  const named = new Set(Object.keys(tags).map((category) => directory.categoryId(category)));
  const others = (Array.isArray(there) ? there.map(String) : []).filter((id) => {
    const category = mirrored('tags', id)?.values.category_id;
    return typeof category === 'string' && !named.has(category);
  });
  return { role_allowed_tag_ids: [...resolveTagIds(tags, directory), ...others].sort() };
}

/** Adds the sent scope if the answer lacks it. Only the read of a single person is certain to show a scope (spec, Users). */
function withScope(user: Observed, change: Change, context: CallContext): Observed {
  const { role_allowed_offices: offices } = change.after;
  const { role_allowed_office_ids: shownOffices, role_allowed_tag_ids: shownTags } = user.values;
  return withValues(user, {
    ...(offices === undefined || shownOffices !== undefined
      ? {}
      : { role_allowed_office_ids: [...resolveOfficeIds(offices, context.directory)].sort() }),
    ...(shownTags === undefined ? buildTagScope(change, context) : {}),
  });
}

/** Adds the written tags to the person, because no answer shows tags. This applies only if the mirror knows tags from the CVs. */
function rememberTags(user: Observed, { after }: Change, { mirrored }: CallContext): Observed {
  if (!isJsonObject(after.tags)) return user;
  const known = mirrored('users', user.id)?.values.tags;
  if (!isJsonObject(known)) return user;
  return withValues(user, { tags: { ...known, ...after.tags } });
}
