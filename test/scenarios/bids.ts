import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CRM, person, type Yaml } from './company.js';
import { openStory, type Story } from './kit.js';

export const CREATE_BID = 'POST /api/v2/offers';
export const UPDATE_BID = 'PUT /api/v1/offers/:proposal_id';
export const BID_OWNER = 'PUT /api/v2/offers/:proposal_id/owner';
export const ADD_COLLABORATOR = 'POST /api/v2/offers/:proposal_id/collaborators';
export const ADD_CV = 'POST /api/v1/offers/:proposal_id/cvs';
export const ADD_REFERENCE = 'POST /api/v1/offers/:proposal_id/references';

const LIST = { type: 'list', optional: true };
/** Opportunities of a CRM, each of which is a proposal. */
export const OPPORTUNITIES: { readonly [key: string]: Yaml } = {
  sources: {
    bids: {
      type: 'crm',
      drop: './drop/bids',
      streams: {
        opportunities: {
          pattern: 'opportunities-*.json',
          key: 'id',
          settle: '0s',
          columns: {
            id: 'string',
            name: 'string',
            stage: { type: 'string', optional: true },
            closed: { type: 'bool', optional: true },
            owner: { type: 'string', optional: true },
            team: LIST,
            people: LIST,
            projects: LIST,
          },
        },
      },
    },
  },
  proposals: {
    from: ['bids.opportunities'],
    fields: {
      name: 'record.name',
      status: 'record.?stage',
      archived: 'record.?closed',
      owner: 'record.?owner',
      collaborators: 'record.?team',
      cvs: 'record.?people',
      references: 'record.?projects',
    },
  },
};

let deliveries = 0;

/** Delivers the current opportunities. */
export function deliverBids(story: Story, rows: readonly Yaml[]): void {
  deliveries += 1;
  mkdirSync(join(story.folder, 'drop', 'bids'), { recursive: true });
  const name = `opportunities-${String(deliveries).padStart(4, '0')}.json`;
  writeFileSync(join(story.folder, 'drop', 'bids', name), JSON.stringify(rows));
}

export interface Proposal {
  readonly id: string;
  readonly name: string;
  readonly status: string;
  readonly archived: boolean;
  readonly owner_name: string | null;
}

export async function proposals(story: Story): Promise<readonly Proposal[]> {
  return (await story.others('GET', '/api/v1/all_offers?include_archived=true')) as readonly Proposal[];
}

/** Returns a proposal with its contents: people by e-mail, projects by external id. */
export async function contents(story: Story, name: string) {
  const found = (await proposals(story)).filter((one) => one.name === name);
  const [only] = found;
  if (only === undefined || found.length > 1) throw new Error(`${found.length} proposals are called ${name}`);
  const list = async (kind: string, version = 1): Promise<unknown> =>
    story.others('GET', `/api/v${version}/offers/${only.id}/${kind}`);
  const { users } = (await list('collaborators', 2)) as { users: readonly { email: string }[] };
  const cvs = (await list('cvs')) as readonly { email: string }[];
  const references = (await list('references')) as readonly { external_unique_id: string }[];
  return {
    ...only,
    collaborators: users.map(({ email }) => email).sort(),
    cvs: cvs.map(({ email }) => email).sort(),
    references: references.map((one) => one.external_unique_id).sort(),
  };
}

export const BID = {
  id: 'B1',
  name: 'Dam bid',
  stage: 'editing',
  owner: 'e1@example.com',
  team: ['E2'],
  people: ['E1', 'e2@example.com'],
  projects: ['P1'],
};

export async function openBidding(): Promise<Story> {
  const story = await openStory();
  story.configure({ ...CRM });
  story.configure(OPPORTUNITIES);
  story.deliver([person('E1'), person('E2'), person('E3')]);
  story.deliverCompanies([{ id: 'C1', name: 'Fjord Power' }]);
  story.deliverDeals([
    { id: 'P1', customer: 'C1', name: 'Dam' },
    { id: 'P2', customer: 'C1', name: 'Tunnel' },
  ]);
  deliverBids(story, [BID]);
  return story;
}
