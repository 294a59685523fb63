import { withValues } from '../../mirror/observe.js';
import { observeCvCopy, observeReferenceCopy } from '../../mirror/observe-copy.js';
import { describeContents, type ProposalContents } from '../../mirror/observe-proposal.js';
import { readContents } from '../../mirror/refresh-proposals.js';
import { CONTENT_KINDS, type ContentKind, type Copy, type TakenOut } from '../../model/copies.js';
import { type Json, listOf, objectOf, textOf, type Values } from '../../model/json.js';
import { foldKey, type Observed } from '../../model/observed.js';
import type { Change } from '../../model/plan.js';
import type { WriteResult } from '../../service/answer.js';
import type { EndpointName } from '../../service/endpoints.js';
import { needId, resolveReference } from '../resolve-ids.js';
import { type CallContext, type Step, type StepResult, sendDeletion } from '../step.js';

interface Content {
  readonly add: EndpointName;
  readonly remove: EndpointName;
  readonly list: EndpointName;
  /** Builds the call that adds the person or project with this key. */
  readonly addition: (word: string, context: CallContext, before: Observed | null) => Addition;
  takeOut(proposalId: string, id: string, context: CallContext): Promise<WriteResult<null>>;
  /** The current contents, with the ids that removing them needs. */
  entries(contents: ProposalContents): readonly { readonly id: string }[] | undefined;
}

const CONTENTS: Readonly<Record<ContentKind, Content>> = {
  collaborators: {
    add: 'addCollaborator',
    remove: 'removeCollaborator',
    list: 'listCollaborators',
    addition: addCollaborator,
    takeOut: (proposalId, id, { writer }) => writer.proposals.removeCollaborator(proposalId, { type: 'user', id }),
    entries: ({ collaborators }) => collaborators?.users,
  },
  cvs: {
    add: 'addProposalCv',
    remove: 'removeProposalCv',
    list: 'listProposalCvs',
    addition: addCv,
    takeOut: (proposalId, id, { writer }) => writer.proposals.removeCv(proposalId, id),
    entries: ({ cvs }) => cvs,
  },
  references: {
    add: 'addProposalReference',
    remove: 'removeProposalReference',
    list: 'listProposalReferences',
    addition: addReference,
    takeOut: (proposalId, id, { writer }) => writer.proposals.removeReference(proposalId, id),
    entries: ({ references }) => references,
  },
};

interface ContentCall {
  readonly kind: ContentKind;
  readonly endpoint: EndpointName;
  /** The key of the person or project to add or remove. */
  readonly word: string;
  readonly takesOut: TakenOut | null;
}

/** Lists the calls that remove and add contents, in order. The change alone determines them. */
export function planContentCalls({ after, takesOut = [] }: Change): readonly ContentCall[] {
  const out = takesOut.map((one) => ({
    kind: one.field,
    endpoint: CONTENTS[one.field].remove,
    word: one.word,
    takesOut: one,
  }));
  const put = CONTENT_KINDS.flatMap((kind) =>
    wordsOf(after[kind]).map((word) => ({ kind, endpoint: CONTENTS[kind].add, word, takesOut: null })),
  );
  return [...out, ...put];
}

function wordsOf(value: Json | undefined): readonly string[] {
  return listOf(value).map(String);
}

type FindProposal = (change: Change, context: CallContext) => Promise<Observed | null>;

export function buildContentStep(call: ContentCall, change: Change, context: CallContext, find: FindProposal): Step {
  return call.takesOut === null
    ? buildAddition(call, change, context, find)
    : buildRemoval({ ...call, takesOut: call.takesOut }, change, context, find);
}

/** Describes how to add one content, and how to find it in the proposal's contents afterwards. */
interface Addition {
  /** @returns the new copy; null for collaborators, or if the answer does not show the copy. */
  send(
    proposalId: string,
  ): Promise<{ readonly copy: Copy | null; readonly requestId: string | null; readonly status: number }>;
  isIn(contents: ProposalContents): boolean;
  readonly id: string | null;
  /** The key as a look shows it; for people, the e-mail address. */
  readonly word: string;
}

function buildAddition(
  { kind, word, endpoint }: ContentCall,
  change: Change,
  context: CallContext,
  find: FindProposal,
) {
  const add = CONTENTS[kind].addition;
  return {
    name: `${kind} ${word}`,
    endpoint,
    repeat: 'probe',
    seenBy: CONTENTS[kind].list,
    async send(previous) {
      const before = needProposal(previous, change, context);
      const addition = add(word, context, before);
      const { requestId, status, copy } = await addition.send(before.id);
      const observed = withOneMore(before, kind, addition);
      return { observed, requestId, status, answered: copy !== null, ...(copy === null ? {} : { copy }) };
    },
    async probe() {
      const found = await find(change, context);
      if (found === null) return null;
      const before = context.mirrored('proposals', found.id);
      const addition = add(word, context, before);
      const contents = await readContents(context, found.id, new Set([kind]));
      if (!addition.isIn(contents)) return null;
      const known = withValues(found, { ...before?.values, ...found.values, ...describeContents(contents) });
      return withOneMore(known, kind, addition);
    },
  } satisfies Step;
}

/** Removes one content. Only an undo does this, for contents that the undone run added, by the ids from that run. */
function buildRemoval(
  { kind, word, endpoint, takesOut }: ContentCall & { readonly takesOut: TakenOut },
  change: Change,
  context: CallContext,
  find: FindProposal,
): Step {
  const content = CONTENTS[kind];
  const { id } = takesOut;
  return {
    name: `${kind} ${word} out`,
    endpoint,
    repeat: 'probe',
    seenBy: content.list,
    async send(previous): Promise<StepResult> {
      const before = needProposal(previous, change, context);
      const sent = await sendDeletion(() => content.takeOut(before.id, id, context));
      return { ...sent, observed: withOneLess(before, takesOut), answered: false };
    },
    async probe() {
      const found = await find(change, context);
      const contents = found === null ? {} : await readContents(context, found.id, new Set([kind]));
      if (found === null || content.entries(contents)?.some((entry) => entry.id === id)) return null;
      const known = withValues(found, { ...context.mirrored('proposals', found.id)?.values, ...found.values });
      return withOneLess(known, takesOut);
    },
  };
}

function withOneMore(proposal: Observed, kind: ContentKind, { word, id }: Addition): Observed {
  const words = [...new Set([...wordsOf(proposal.values[kind]), word])].sort();
  const ids = proposal.values[`${kind}_ids`];
  const known: Values = id === null ? {} : { [`${kind}_ids`]: { ...objectOf(ids), [word]: id } };
  return withValues(proposal, { [kind]: words, ...known });
}

/**
 * Leaves one content out of a proposal. People are compared by id, because the same undo may have reset their e-mail
 * addresses.
 */
function withOneLess({ values, ...proposal }: Observed, { field, word, of }: TakenOut): Observed {
  const ids = objectOf(values[`${field}_ids`]);
  const shownAs = foldKey(Object.keys(ids).find((name) => ids[name] === of) ?? word);
  const { [shownAs]: _gone, ...others } = ids;
  const words = wordsOf(values[field]).filter((one) => foldKey(one) !== shownAs);
  return withValues(
    { ...proposal, values },
    { [field]: words, ...(field === 'references' ? {} : { [`${field}_ids`]: others }) },
  );
}

export function needProposal(
  previous: Observed | null,
  { target }: Change,
  { mirrored }: Pick<CallContext, 'mirrored'>,
): Observed {
  return needId(previous ?? (target === null ? null : mirrored('proposals', target)), 'The proposal');
}

function findPerson(
  name: string,
  { directory, mirrored }: CallContext,
): { readonly id: string; readonly word: string } {
  const id = resolveReference('users', name, directory);
  return { id, word: foldKey(textOf(mirrored('users', id)?.values.email) || name) };
}

function addCollaborator(name: string, context: CallContext): Addition {
  const { writer } = context;
  const { id, word } = findPerson(name, context);
  return {
    id,
    word,
    async send(proposalId) {
      const { requestId, status } = await writer.proposals.addCollaborator(proposalId, { type: 'user', id });
      return { requestId, status, copy: null };
    },
    isIn: ({ collaborators }) => collaborators?.users.some((user) => user.id === id) === true,
  };
}

function addCv(name: string, context: CallContext): Addition {
  const { writer, reader, mirrored } = context;
  const { id, word } = findPerson(name, context);
  return {
    id,
    word,
    async send(proposalId) {
      const shown = mirrored('users', id)?.values.default_cv_id ?? (await reader.users.get(id))?.default_cv_id ?? null;
      const { value, requestId, status } = await writer.proposals.addCv(proposalId, textOf(needId(shown, 'The CV')));
      // The spec does not document this answer; it may be the proposal instead of the copy.
      return { requestId, status, copy: value?.user_id === id ? observeCvCopy(value) : null };
    },
    isIn: ({ cvs }) => cvs?.some((cv) => cv.user_id === id) === true,
  };
}

function addReference(word: string, { writer, directory, mirrored }: CallContext, before: Observed | null): Addition {
  const projectId = resolveReference('projects', word, directory);
  const customerId = textOf(mirrored('projects', projectId)?.values.customer_id);
  const unknownBefore = Number(before?.values.references_unknown ?? 0);
  return {
    id: null,
    word,
    async send(proposalId) {
      const { value, requestId, status } = await writer.proposals.addReference(proposalId, { customerId, projectId });
      // Only the project's external id identifies the copy. Without a match, the answer may be any other record.
      const copy = value === null ? null : observeReferenceCopy(value);
      return { requestId, status, copy: copy?.of === foldKey(word) ? copy : null };
    },
    isIn({ references = [] }) {
      const known = references.some((one) => foldKey(one.external_unique_id ?? '') === foldKey(word));
      // A new copy without a project id can only be detected because the number of such copies has grown.
      const unknown = references.filter((one) => !one.external_unique_id).length;
      return known || unknown > unknownBefore;
    },
  };
}
