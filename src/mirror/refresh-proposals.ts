import { settleUnseen } from './look-up.js';
import { describeContents, observeProposal, type ProposalContents, withProposalValues } from './observe-proposal.js';
import { currentRound, nextRound, type RefreshContext } from './refresh.js';

/** Every proposal of the account, 100 a page, archived ones too; what is in them is kept as it was last seen. */
export async function refreshProposals(context: RefreshContext): Promise<void> {
  const { reader, mirror, signal } = context;
  const round = nextRound(mirror, 'proposals');
  for await (const page of reader.proposals.list({ includeArchived: true, signal })) {
    mirror.save(page.map(observeProposal), round);
  }
  await settleUnseen(context, 'proposals', round);
}

export type ContentKind = keyof ProposalContents;

/** What is in one proposal, one call for each kind that is asked for. */
export async function refreshContents(
  { reader, mirror, signal }: RefreshContext,
  id: string,
  kinds: ReadonlySet<ContentKind>,
): Promise<void> {
  const { proposals } = reader;
  const known = mirror.get('proposals', id);
  if (known === null) return;
  const contents: ProposalContents = {
    ...(kinds.has('collaborators') ? { collaborators: await proposals.listCollaborators(id, signal) } : {}),
    ...(kinds.has('cvs') ? { cvs: await proposals.listCvs(id, signal) } : {}),
    ...(kinds.has('references') ? { references: await proposals.listReferences(id, signal) } : {}),
  };
  mirror.save([withProposalValues(known, describeContents(contents))], currentRound(mirror, 'proposals'));
}
