import type { Now } from '../connectors/crm/imitations/vendor-server.js';
import { proposals as listProposals, type Proposal } from './bids.js';
import { ACCOUNT, merge, person, type Yaml } from './company.js';
import type { Crm, DealCells } from './crm-vendors.js';
import { createStream, STAFFING, STREAMS } from './cvs.js';
import { openStory, type Story } from './kit.js';

/** Deals are projects, and proposals from a certain stage on; both write their results back to the CRM. */
export function describeBoth({ source, words }: Pick<Crm, 'source' | 'words'>): { readonly [key: string]: Yaml } {
  const { bid, won, partlyWon, lost } = words;
  return {
    sources: { crm: source },
    customers: {
      from: ['crm.companies'],
      fields: { external_unique_id: 'record.id', customer_name: { en: 'record.name' } },
    },
    projects: {
      from: ['crm.deals'],
      match: ['external_unique_id'],
      fields: {
        external_unique_id: 'record.id',
        customer: 'record.?customer_id',
        project_name: { en: 'record.name' },
      },
      write_back: {
        'crm.deals': {
          talent_id: 'project.id',
          talent_stage: 'project.workflow_stage',
          sector: 'project.tags.?sector.orValue([]).join(";")',
        },
      },
    },
    proposals: {
      from: ['crm.deals'],
      scope: `record.?stage.orValue("") in ${JSON.stringify([bid, won, partlyWon, lost])}`,
      modified: 'record.?modified',
      fields: {
        name: 'record.name',
        owner: 'record.?owner_email',
        status: {
          value: `record.?stage.orValue("") in ${JSON.stringify([won, partlyWon])} ? "won" : record.?stage.orValue("") == "${lost}" ? "lost" : "editing"`,
          authority: 'newest',
          write_back: {
            column: 'stage',
            value: `proposal.status == "won" ? "${won}" : proposal.status == "lost" ? "${lost}" : ""`,
          },
        },
      },
      write_back: { 'crm.deals': { talent_link: 'proposal.link' } },
    },
  };
}

export interface BothStory<C extends Crm = Crm> {
  readonly story: Story;
  readonly crm: C;
  /** Sets who works on what, by the deal's id; from then on the CRM gets this too. */
  readonly staff: (rows: readonly { readonly person: string; readonly project: string }[]) => void;
}

/** Three people, and a CRM whose deals are projects and proposals. */
export async function openBoth<C extends Crm>(open: (now: Now) => Promise<C>): Promise<BothStory<C>> {
  const story = await openStory({
    account: { ...ACCOUNT.account, features: { hard_linking: true } },
    tag_categories: [
      {
        values: { en: 'Sector' },
        external_unique_id: 'sector',
        can_be_used_for_references: true,
        custom_tags: ['energy', 'water'].map((name) => ({ values: { en: name }, external_unique_id: name })),
      },
    ],
  });
  const crm = await open(() => story.clock.now());
  story.env.IDP_TOKEN = crm.secret;
  story.configure(merge(STREAMS, describeBoth(crm)) as { readonly [key: string]: Yaml });
  story.deliver([person('E1'), person('E2'), person('E3')]);
  const deliver = createStream(story, 'staffing');
  const staff: BothStory['staff'] = (rows) => {
    story.configure({ ...STAFFING, projects: { write_back: { 'crm.deals': { people: 'project.people.join(";")' } } } });
    deliver(rows.map(({ person: who, project }, index) => ({ id: `s${index}`, person: who, project })));
  };
  return { story, crm, staff };
}

export async function proposalOf(story: Story, name: string): Promise<Proposal | null> {
  return (await listProposals(story)).find((one) => one.name === name) ?? null;
}

/** A colleague sets the status of a proposal. */
export async function decide(story: Story, name: string, status: string): Promise<void> {
  const found = await proposalOf(story, name);
  await story.others('PUT', `/api/v1/offers/${found?.id}`, { offer: { status } });
}

/** A colleague moves a project to a stage, and gives it tags of the category. */
export async function editProject(story: Story, id: string, stage: string, tags: readonly string[]): Promise<void> {
  const { id: own, company_customer_id: customer } = await projectOf(story, id);
  const path = `/api/v2/company/cv/customers/${customer}/projects/${own}`;
  await story.others('PUT', path, { company_project: { workflow_stage: stage } });
  const categories = await story.others('GET', '/api/v1/masterdata/custom_tags/custom_tag_category');
  for (const { id: category, custom_tags } of categories as readonly Category[]) {
    for (const tag of custom_tags) {
      if (!tags.includes(tag.external_unique_id)) continue;
      await story.others('POST', `${path}/custom_tags`, { custom_tag_category_id: category, custom_tag_id: tag.id });
    }
  }
}

interface Category {
  readonly id: string;
  readonly custom_tags: readonly { readonly id: string; readonly external_unique_id: string }[];
}

export async function projectOf(
  story: Story,
  id: string,
): Promise<{ readonly id: string; readonly company_customer_id: string }> {
  const found = await story.others('GET', `/api/v2/company/cv/projects/find?external_unique_id=${id}`);
  return found as { id: string; company_customer_id: string };
}

/** The values of the columns that the service fills. */
export function ownCells(cells: DealCells): DealCells {
  const names = ['talent_id', 'talent_stage', 'people', 'sector', 'talent_link'];
  return Object.fromEntries(names.map((name) => [name, cells[name] ?? null]));
}
