import { isJsonObject, type Json, type Values } from '../model/json.js';
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

/**
 * What is in one proposal, one call for each kind that is asked for. A list that lacks what was in it before is read once
 * more, and what either look shows is in it: put in again, it would be in it twice.
 */
export async function refreshContents(
  context: RefreshContext,
  id: string,
  kinds: ReadonlySet<ContentKind>,
): Promise<void> {
  const { mirror } = context;
  const known = mirror.get('proposals', id);
  if (known === null) return;
  const seen = describeContents(await readContents(context, id, kinds));
  const shorter = new Set([...kinds].filter((kind) => lacks(seen[kind], known.values[kind])));
  const again = shorter.size === 0 ? {} : describeContents(await readContents(context, id, shorter));
  mirror.save([withProposalValues(known, unite(seen, again))], currentRound(mirror, 'proposals'));
}

async function readContents(
  { reader, signal }: RefreshContext,
  id: string,
  kinds: ReadonlySet<ContentKind>,
): Promise<ProposalContents> {
  const { proposals } = reader;
  return {
    ...(kinds.has('collaborators') ? { collaborators: await proposals.listCollaborators(id, signal) } : {}),
    ...(kinds.has('cvs') ? { cvs: await proposals.listCvs(id, signal) } : {}),
    ...(kinds.has('references') ? { references: await proposals.listReferences(id, signal) } : {}),
  };
}

function lacks(seen: Json | undefined, before: Json | undefined): boolean {
  return Array.isArray(before) && before.some((one) => !Array.isArray(seen) || !seen.includes(one));
}

/** What either of two looks shows. */
function unite(seen: Values, again: Values): Values {
  const united = { ...seen };
  for (const [name, value] of Object.entries(again)) {
    const first = seen[name];
    if (Array.isArray(value) && Array.isArray(first)) united[name] = [...new Set([...first, ...value])].sort();
    else if (isJsonObject(value) && isJsonObject(first)) united[name] = { ...first, ...value };
    else united[name] = Math.max(Number(first ?? 0), Number(value ?? 0));
  }
  return united;
}
