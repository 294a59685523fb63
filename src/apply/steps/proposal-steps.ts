import { SyncError } from '../../errors.js';
import {
  describeContents,
  observeProposal,
  type ProposalContents,
  withProposalValues,
} from '../../mirror/observe-proposal.js';
import { isJsonObject, type Json, type Values } from '../../model/json.js';
import { foldKey, type Observed } from '../../model/observed.js';
import type { Change } from '../../model/plan.js';
import type { EndpointName } from '../../service/endpoints.js';
import type { ProposalCreate, ProposalStatus, ProposalUpdate } from '../../service/proposals.js';
import { needId, resolveReference } from '../resolve-ids.js';
import { type CallContext, type EntityCalls, readText, type Step } from '../step.js';

/** One call makes or changes a proposal; the owner is changed by another, and whatever is put in by one each. */
export const PROPOSAL_CALLS: EntityCalls = {
  endpoints: (change) => planCalls(change).map(({ endpoint }) => endpoint),
  build: (change, context) => planCalls(change).map((call) => BUILD[call.kind](call, change, context)),
};

type Kind = 'create' | 'update' | 'owner' | 'collaborators' | 'cvs' | 'references';

interface Call {
  readonly kind: Kind;
  readonly endpoint: EndpointName;
  /** Who or what is put in; '' for the others. */
  readonly word: string;
}

const ADDITIONS = [
  ['collaborators', 'addCollaborator'],
  ['cvs', 'addProposalCv'],
  ['references', 'addProposalReference'],
] as const;

/** The calls of a change in order, known from the change alone. */
function planCalls({ action, after }: Change): readonly Call[] {
  const calls: Call[] = [];
  const add = (kind: Kind, endpoint: EndpointName, word = ''): void => void calls.push({ kind, endpoint, word });
  if (action === 'create') add('create', 'createProposal');
  // A proposal is created unarchived: the create body has no such attribute (spec, Proposals).
  const plain = action === 'create' ? after.archived === true : PLAIN.some((name) => after[name] !== undefined);
  if (plain) add('update', 'updateProposal');
  if (action !== 'create' && after.owner !== undefined) add('owner', 'changeProposalOwner');
  for (const [kind, endpoint] of ADDITIONS) for (const word of wordsOf(after[kind])) add(kind, endpoint, word);
  return calls;
}

const PLAIN = ['name', 'status', 'archived'] as const;

function wordsOf(value: Json | undefined): readonly string[] {
  return Array.isArray(value) ? (value as readonly Json[]).map(String) : [];
}

type Build = (call: Call, change: Change, context: CallContext) => Step;

const BUILD: Readonly<Record<Kind, Build>> = {
  create: buildCreate,
  update: buildUpdate,
  owner: buildOwner,
  collaborators: (call, change, context) => buildAddition(call, change, context, addCollaborator),
  cvs: (call, change, context) => buildAddition(call, change, context, addCv),
  references: (call, change, context) => buildAddition(call, change, context, addReference),
};

/**
 * The proposal of a change: by its id, or by its name where the answer to its creation may have been lost. Names are not
 * unique, but one that is linked to another record is that record's, and records of one name are created one by one.
 */
async function findProposal(
  { target, key, after }: Change,
  { reader, linkedKey }: CallContext,
): Promise<Observed | null> {
  if (target !== null) {
    const found = await reader.proposals.get(target);
    return found === null ? null : observeProposal(found);
  }
  const name = foldKey(readText(after.name));
  const found: Observed[] = [];
  for await (const page of reader.proposals.list({ query: readText(after.name).trim(), includeArchived: true })) {
    for (const proposal of page) {
      const owner = linkedKey('proposals', proposal.id);
      if (owner === key) return observeProposal(proposal);
      if (owner === null && foldKey(proposal.name ?? '') === name) found.push(observeProposal(proposal));
    }
  }
  if (found.length < 2) return found[0] ?? null;
  throw new SyncError('SYNC_MATCH_AMBIGUOUS', {
    message: `${found.length} proposals are called "${readText(after.name)}", and one of them may have been created by a call whose answer was lost: ${found.map(({ id }) => id).join(', ')}.`,
    remedy: 'Rename or archive the ones that are not meant; the next run takes the one that is left.',
  });
}

function buildCreate(call: Call, change: Change, context: CallContext): Step {
  const { after } = change;
  const { name, status, owner } = after;
  return {
    name: 'create',
    endpoint: call.endpoint,
    repeat: 'probe',
    async send() {
      const body: ProposalCreate = {
        name: readText(name),
        ...(status === undefined ? {} : { status: readText(status) as ProposalStatus }),
        ...(owner === undefined ? {} : { owner_id: resolveReference('users', owner, context.directory) }),
      };
      const { value, requestId, status: code } = await context.writer.proposals.create(body);
      // Nobody and nothing is in it yet.
      const empty = describeContents({ collaborators: { api_users: [], users: [] }, cvs: [], references: [] });
      return { observed: withProposalValues(observeProposal(value), empty), requestId, status: code };
    },
    probe: () => findProposal(change, context),
  };
}

function buildUpdate(call: Call, change: Change, context: CallContext): Step {
  const { after, action } = change;
  return {
    name: 'update',
    endpoint: call.endpoint,
    repeat: 'idempotent',
    async send(previous) {
      const before = needProposal(previous, change, context);
      const fields = action === 'create' ? ['archived'] : PLAIN;
      const body = Object.fromEntries(
        fields.flatMap((name) => (after[name] === undefined ? [] : [[name, after[name]]])),
      );
      const { value, requestId, status } = await context.writer.proposals.update(before.id, body as ProposalUpdate);
      return { observed: withProposalValues(before, observeProposal(value).values), requestId, status };
    },
    probe: () => findProposal(change, context),
    happened: ({ values }) => PLAIN.every((name) => after[name] === undefined || values[name] === after[name]),
  };
}

function buildOwner(call: Call, change: Change, context: CallContext): Step {
  const id = resolveReference('users', change.after.owner, context.directory);
  return {
    name: 'owner',
    endpoint: call.endpoint,
    repeat: 'idempotent',
    async send(previous) {
      const before = needProposal(previous, change, context);
      const { value, requestId, status } = await context.writer.proposals.changeOwner(before.id, { type: 'user', id });
      const shown =
        value === null ? { owner: change.after.owner ?? null, owner_id: id } : observeProposal(value).values;
      return { observed: withProposalValues(before, shown), requestId, status, answered: value !== null };
    },
    probe: () => findProposal(change, context),
    happened: ({ values }) => values.owner_id === id,
  };
}

/** Puts one in; answers what the proposal holds then, and how a look would show it. */
interface Addition {
  send(
    proposalId: string,
  ): Promise<{ readonly shown: boolean; readonly requestId: string | null; readonly status: number }>;
  /** What a look would have to read, and whether it shows this one. */
  look(proposalId: string): Promise<{ readonly contents: ProposalContents; readonly isIn: boolean }>;
  readonly id: string | null;
  /** As a look shows it: people by e-mail. */
  readonly word: string;
}
type Add = (word: string, context: CallContext, before: Observed | null) => Addition;

function buildAddition(call: Call, change: Change, context: CallContext, add: Add): Step {
  const { kind, word } = call;
  return {
    name: `${kind} ${word}`,
    endpoint: call.endpoint,
    repeat: 'probe',
    async send(previous) {
      const before = needProposal(previous, change, context);
      const addition = add(word, context, before);
      const { requestId, status, shown } = await addition.send(before.id);
      return { observed: withOneMore(before, kind, addition), requestId, status, answered: shown };
    },
    async probe() {
      const found = await findProposal(change, context);
      if (found === null) return null;
      const before = context.mirrored('proposals', found.id);
      const addition = add(word, context, before);
      const { contents, isIn } = await addition.look(found.id);
      if (!isIn) return null;
      const known = withProposalValues(found, { ...before?.values, ...found.values, ...describeContents(contents) });
      return withOneMore(known, kind, addition);
    },
  };
}

function withOneMore(proposal: Observed, kind: Kind, { word, id }: Addition): Observed {
  const words = [...new Set([...wordsOf(proposal.values[kind]), word])].sort();
  const ids = proposal.values[`${kind}_ids`];
  const known: Values = id === null ? {} : { [`${kind}_ids`]: { ...(isJsonObject(ids) ? ids : {}), [word]: id } };
  return withProposalValues(proposal, { [kind]: words, ...known });
}

function needProposal(previous: Observed | null, { target }: Change, { mirrored }: CallContext): Observed {
  return needId(previous ?? (target === null ? null : mirrored('proposals', target)), 'The proposal');
}

function findPerson(
  name: string,
  { directory, mirrored }: CallContext,
): { readonly id: string; readonly word: string } {
  const id = resolveReference('users', name, directory);
  return { id, word: foldKey(readText(mirrored('users', id)?.values.email) || name) };
}

function addCollaborator(name: string, context: CallContext): Addition {
  const { writer, reader } = context;
  const { id, word } = findPerson(name, context);
  return {
    id,
    word,
    async send(proposalId) {
      const { requestId, status } = await writer.proposals.addCollaborator(proposalId, { type: 'user', id });
      return { requestId, status, shown: false };
    },
    async look(proposalId) {
      const collaborators = await reader.proposals.listCollaborators(proposalId);
      return { contents: { collaborators }, isIn: collaborators.users.some((user) => user.id === id) };
    },
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
      const { value, requestId, status } = await writer.proposals.addCv(proposalId, readText(needId(shown, 'The CV')));
      return { requestId, status, shown: value !== null };
    },
    async look(proposalId) {
      const cvs = await reader.proposals.listCvs(proposalId);
      return { contents: { cvs }, isIn: cvs.some((cv) => cv.user_id === id) };
    },
  };
}

function addReference(
  word: string,
  { writer, reader, directory, mirrored }: CallContext,
  before: Observed | null,
): Addition {
  const projectId = resolveReference('projects', word, directory);
  const customerId = readText(mirrored('projects', projectId)?.values.customer_id);
  const unknownBefore = Number(before?.values.references_unknown ?? 0);
  return {
    id: null,
    word,
    async send(proposalId) {
      const { value, requestId, status } = await writer.proposals.addReference(proposalId, { customerId, projectId });
      return { requestId, status, shown: value !== null };
    },
    async look(proposalId) {
      const references = await reader.proposals.listReferences(proposalId);
      const known = references.some((one) => foldKey(one.external_unique_id ?? '') === foldKey(word));
      // A copy that does not show which project it is of is told by there being one more of them.
      const unknown = references.filter((one) => !one.external_unique_id).length;
      return { contents: { references }, isIn: known || unknown > unknownBefore };
    },
  };
}
