import { observeUser, withValues } from '../../mirror/observe.js';
import { readCvTags, withCv } from '../../mirror/observe-cv.js';
import { idOfIn } from '../../model/directory.js';
import { isJsonObject, itemsOf, type Json, objectOf, textOf, type Values } from '../../model/json.js';
import type { Observed } from '../../model/observed.js';
import type { Change } from '../../model/plan.js';
import type { CvUpdate } from '../../service/cvs.js';
import type { EndpointName } from '../../service/endpoints.js';
import { findOwner } from '../find-cv.js';
import { isSeen } from '../judge-look.js';
import { needId } from '../resolve-ids.js';
import { answerAs, type CallContext, type Step, sendDeletion } from '../step.js';

/** The part of a person's change that is made on the master CV: one call for two fields, and one call per tag. */
interface CvPart {
  readonly fields: Values;
  readonly calls: readonly TagCall[];
}
interface TagCall {
  readonly kind: 'add' | 'remove';
  /** The person's field that contains the tag. Tags of `tags` are removed on the CV, but never added there. */
  readonly field: 'cv_tags' | 'tags';
  readonly category: string;
  readonly tag: string;
}

function readCvPart({ before, after }: Change): CvPart {
  const { name_multilang: name, place_of_residence: place } = after;
  return {
    fields: {
      ...(name === undefined ? {} : { name_multilang: name }),
      ...(place === undefined ? {} : { place_of_residence: place }),
    },
    calls: [...readTagCalls(before.cv_tags, after.cv_tags), ...readClearings(before.tags, after.tags)],
  };
}

function readTagCalls(before: Json | undefined, after: Json | undefined): readonly TagCall[] {
  return Object.entries(objectOf(after)).flatMap(([category, want]) => {
    const wanted = namesOf(want);
    const had = namesOf(objectOf(before)[category]);
    const call =
      (kind: TagCall['kind']) =>
      (tag: string): TagCall => ({ kind, field: 'cv_tags', category, tag });
    return [
      ...wanted.filter((tag) => !had.includes(tag)).map(call('add')),
      ...had.filter((tag) => !wanted.includes(tag)).map(call('remove')),
    ];
  });
}

function readClearings(before: Json | undefined, after: Json | undefined): readonly TagCall[] {
  return Object.entries(objectOf(after)).flatMap(([category, want]) => {
    if (want !== null) return [];
    const had = namesOf(objectOf(before)[category]);
    return had.map((tag): TagCall => ({ kind: 'remove', field: 'tags', category, tag }));
  });
}

export function listCvEndpoints(change: Change): readonly EndpointName[] {
  const { fields, calls } = readCvPart(change);
  const tags = calls.map(({ kind }): EndpointName => (kind === 'add' ? 'addCvTag' : 'removeCvTag'));
  return [...(Object.keys(fields).length > 0 ? (['updateCv'] as const) : []), ...tags];
}

export function buildCvSteps(change: Change, context: CallContext): readonly Step[] {
  const { fields, calls } = readCvPart(change);
  const steps = calls.map((call) => buildTagStep(call, change, context));
  return Object.keys(fields).length > 0 ? [buildFieldStep(fields, change, context), ...steps] : steps;
}

function buildFieldStep(fields: Values, change: Change, context: CallContext): Step {
  const { writer, directory } = context;
  return {
    name: 'cv',
    endpoint: 'updateCv',
    repeat: 'idempotent',
    seenBy: 'getCv',
    async send(previous) {
      const user = needUser(previous, change, context);
      const answer = await writer.cvs.update(await findCv(user, context), fields as CvUpdate);
      return answerAs(answer, (cv) => withCv(user, cv, directory));
    },
    probe: () => lookAtCv(change, context),
    happened: (found) => isSeen({ ...change, after: fields }, found, idOfIn(directory)),
  };
}

function buildTagStep(call: TagCall, change: Change, context: CallContext): Step {
  const { kind, field, category, tag } = call;
  const { directory, writer } = context;
  const what = `Tag "${tag}" of category "${category}"`;
  const tagId = (): string => needId(directory.tagId(category, tag), what);
  return {
    name: `${kind} ${field} ${category}/${tag}`,
    endpoint: kind === 'add' ? 'addCvTag' : 'removeCvTag',
    repeat: 'idempotent',
    seenBy: 'getCv',
    async send(previous) {
      const user = needUser(previous, change, context);
      const cv = await findCv(user, context);
      if (kind === 'add') {
        const categoryId = needId(directory.categoryId(category), `Tag category "${category}"`);
        const answer = await writer.tags.addToCv(cv, { categoryId, tagId: tagId() });
        return answerAs(answer, (shown) => withValues(user, { cv_tags: readCvTags(shown, directory) }));
      }
      const sent = await sendDeletion(() => writer.tags.removeFromCv(cv, tagId()));
      return { ...sent, observed: withoutTag(call, user, context) };
    },
    probe: () => lookAtCv(change, context),
    // The look reads the CV, which also shows the person's tags if they can be removed there at all.
    happened(found) {
      const shown = tagsOf(found, 'cv_tags')[category];
      return shown !== undefined && namesOf(shown).includes(tag) === (kind === 'add');
    },
  };
}

/**
 * Returns the known person without the tag, because the answer to a delete is empty. The answer to an earlier call on
 * the person shows no tags, so the tags then come from the mirror.
 */
function withoutTag({ field, category, tag }: TagCall, user: Observed, { mirrored }: CallContext): Observed {
  const tags = user.values[field] ?? mirrored('users', user.id)?.values[field];
  // Tags that the mirror does not know stay unknown; written tags are remembered separately.
  if (!isJsonObject(tags)) return user;
  const left = namesOf(tags[category]).filter((one) => one !== tag);
  const value = field === 'cv_tags' ? left : (left[0] ?? null);
  return withValues(user, { [field]: { ...tags, [category]: value } });
}

function tagsOf(user: Observed, field: TagCall['field']): Values {
  return objectOf(user.values[field]);
}

async function findCv(user: Observed, context: CallContext) {
  const cvId = textOf(user.values.default_cv_id);
  return cvId === '' ? findOwner(user.id, context) : { userId: user.id, cvId };
}

function needUser(previous: Observed | null, { target }: Change, { mirrored }: CallContext): Observed {
  return needId(previous ?? (target === null ? null : mirrored('users', target)), 'The person');
}

/** The person with the current CV, for a look after a lost answer or a crash. */
export async function lookAtCv(change: Change, context: CallContext): Promise<Observed | null> {
  const { reader, directory, mirrored } = context;
  const user = change.target === null ? await findCreated(change, context) : mirrored('users', change.target);
  if (user === null) return null;
  const cv = await reader.cvs.get(await findCv(user, context));
  if (cv === null) return user;
  const looked = withCv(user, cv, directory);
  // If a person's tags show on the CV, they are mixed with the CV's own.
  return directory.showsUserTags ? withValues(looked, { tags: readShared(change, looked) }) : looked;
}

function readShared({ after }: Change, looked: Observed): Values {
  const [known, onCv] = [tagsOf(looked, 'tags'), tagsOf(looked, 'cv_tags')];
  const mapped = Object.keys(objectOf(after.tags));
  return { ...known, ...Object.fromEntries(mapped.map((category) => [category, namesOf(onCv[category])[0] ?? null])) };
}

async function findCreated(change: Change, { reader }: CallContext): Promise<Observed | null> {
  const found = await reader.users.find({ email: textOf(change.after.email) });
  return found === null ? null : observeUser(found);
}

function namesOf(tags: Json | undefined): readonly string[] {
  return itemsOf(tags).map(String);
}
