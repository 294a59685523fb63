import { SyncError } from '../../base/errors.js';
import { withValues } from '../../mirror/observe.js';
import { describeContents, observeProposal } from '../../mirror/observe-proposal.js';
import { FIELDS, isPlain } from '../../model/fields.js';
import { textOf } from '../../model/json.js';
import { foldKey, type Observed } from '../../model/observed.js';
import type { Change } from '../../model/plan.js';
import type { EndpointName } from '../../service/endpoints.js';
import type { ProposalCreate, ProposalStatus, ProposalUpdate } from '../../service/proposals.js';
import type { WireProposal } from '../../service/wire-proposal.js';
import { resolveReference } from '../resolve-ids.js';
import { answerAs, type CallContext, type EntityCalls, type Step } from '../step.js';
import { buildContentStep, needProposal, planContentCalls } from './proposal-contents-steps.js';

/** The calls of a proposal: one creates or updates it, one changes its owner, and each content takes another call. */
export const PROPOSAL_CALLS: EntityCalls = {
  endpoints: (change) => [...planCalls(change), ...planContentCalls(change)].map(({ endpoint }) => endpoint),
  build: (change, context) => [
    ...planCalls(change).map((call) => BUILD[call.kind](call, change, context)),
    ...planContentCalls(change).map((call) => buildContentStep(call, change, context, findProposal)),
  ],
};

/** A known proposal is read by id; a proposal that may have been created is searched for in the list. */
function seenBy({ target }: Change): EndpointName {
  return target === null ? 'listProposals' : 'getProposal';
}

type ProposalCallKind = 'create' | 'update' | 'owner';

interface ProposalCall {
  readonly kind: ProposalCallKind;
  readonly endpoint: EndpointName;
}

/** Lists the calls on the proposal itself, in order. The change alone determines them. */
function planCalls({ action, after }: Change): readonly ProposalCall[] {
  const calls: ProposalCall[] = [];
  if (action === 'create') calls.push({ kind: 'create', endpoint: 'createProposal' });
  // A new proposal is never archived, because the create body has no such attribute (spec, Proposals).
  const plain = action === 'create' ? after.archived === true : PLAIN.some((name) => after[name] !== undefined);
  if (plain) calls.push({ kind: 'update', endpoint: 'updateProposal' });
  if (action !== 'create' && after.owner !== undefined) calls.push({ kind: 'owner', endpoint: 'changeProposalOwner' });
  return calls;
}

const PLAIN = Object.keys(FIELDS.proposals).filter((name) => isPlain(FIELDS.proposals[name]?.shape ?? 'reference'));

type Build = (call: ProposalCall, change: Change, context: CallContext) => Step;

const BUILD: Readonly<Record<ProposalCallKind, Build>> = {
  create: buildCreate,
  update: buildUpdate,
  owner: buildOwner,
};

/**
 * Finds the proposal of a change by its id, or by its name if the answer to its creation may have been lost. Names are
 * not unique, so proposals linked to another record are ignored. Records with the same name are created one by one.
 */
async function findProposal(
  { target, key, after }: Change,
  { reader, linkedKey }: CallContext,
): Promise<Observed | null> {
  if (target !== null) {
    const found = await reader.proposals.get(target);
    return found === null ? null : observeProposal(found);
  }
  const found: Observed[] = [];
  for await (const page of reader.proposals.list({ query: textOf(after.name).trim(), includeArchived: true })) {
    const ours = page.find(({ id }) => linkedKey('proposals', id) === key);
    if (ours !== undefined) return observeProposal(ours);
    found.push(...page.filter((one) => isFree(one, textOf(after.name), linkedKey)).map(observeProposal));
  }
  if (found.length < 2) return found[0] ?? null;
  throw new SyncError('SYNC_MATCH_AMBIGUOUS', {
    message: `${found.length} proposals are called "${textOf(after.name)}", and one of them may have been created by a call whose answer was lost: ${found.map(({ id }) => id).join(', ')}.`,
    remedy: 'Rename or archive the wrong proposals; the next run uses the remaining one.',
  });
}

/** True if the proposal has this name and is not linked to any record. */
function isFree({ id, name }: WireProposal, wanted: string, linkedKey: CallContext['linkedKey']): boolean {
  return linkedKey('proposals', id) === null && foldKey(name ?? '') === foldKey(wanted);
}

function buildCreate(call: ProposalCall, change: Change, context: CallContext): Step {
  const { after } = change;
  const { name, status, owner } = after;
  return {
    name: 'create',
    endpoint: call.endpoint,
    repeat: 'probe',
    seenBy: 'listProposals',
    async send() {
      const body: ProposalCreate = {
        name: textOf(name),
        ...(status === undefined ? {} : { status: textOf(status) as ProposalStatus }),
        ...(owner === undefined ? {} : { owner_id: resolveReference('users', owner, context.directory) }),
      };
      // A new proposal is empty.
      const empty = describeContents({ collaborators: { api_users: [], users: [] }, cvs: [], references: [] });
      const answer = await context.writer.proposals.create(body);
      return answerAs(answer, (proposal) => withValues(observeProposal(proposal), empty));
    },
    probe: () => findProposal(change, context),
  };
}

function buildUpdate(call: ProposalCall, change: Change, context: CallContext): Step {
  const { after, action } = change;
  return {
    name: 'update',
    endpoint: call.endpoint,
    repeat: 'idempotent',
    seenBy: seenBy(change),
    async send(previous) {
      const before = needProposal(previous, change, context);
      const fields = action === 'create' ? ['archived'] : PLAIN;
      const body = Object.fromEntries(
        fields.flatMap((name) => (after[name] === undefined ? [] : [[name, after[name]]])),
      );
      const answer = await context.writer.proposals.update(before.id, body as ProposalUpdate);
      return answerAs(answer, (proposal) => withValues(before, observeProposal(proposal).values));
    },
    probe: () => findProposal(change, context),
    happened: ({ values }) => PLAIN.every((name) => after[name] === undefined || values[name] === after[name]),
  };
}

function buildOwner(call: ProposalCall, change: Change, context: CallContext): Step {
  const id = resolveReference('users', change.after.owner, context.directory);
  return {
    name: 'owner',
    endpoint: call.endpoint,
    repeat: 'idempotent',
    seenBy: seenBy(change),
    async send(previous) {
      const before = needProposal(previous, change, context);
      const { value, requestId, status } = await context.writer.proposals.changeOwner(before.id, { type: 'user', id });
      const shown =
        value === null ? { owner: change.after.owner ?? null, owner_id: id } : observeProposal(value).values;
      return { observed: withValues(before, shown), requestId, status, answered: value !== null };
    },
    probe: () => findProposal(change, context),
    happened: ({ values }) => values.owner_id === id,
  };
}
