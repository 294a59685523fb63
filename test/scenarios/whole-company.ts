import { deliverBids, OPPORTUNITIES } from './bids.js';
import { ACCOUNT, CRM, merge, type Row, type Yaml } from './company.js';
import { CERTIFICATIONS, type CvAccount, createStream, openCvStory, STAFFING, STREAMS } from './cvs.js';
import type { Story } from './kit.js';

/** People with roles and tags, customers, projects with owners, certificates, staffing and proposals. */
const WHOLE = [
  STREAMS,
  CRM,
  CERTIFICATIONS,
  STAFFING,
  OPPORTUNITIES,
  {
    users: {
      fields: {
        roles: 'record.?role.orValue("") == "bid" ? ["consultant", "bidmanager"] : ["consultant"]',
        tags: { unit: 'record.?unit' },
        cv_tags: { skill: 'record.?rank' },
      },
    },
  },
].reduce<Yaml>((all, piece) => merge(all, piece), {}) as { readonly [key: string]: Yaml };

const SKILLS = ['pilot', 'diver'].map((tag) => ({ values: { en: tag }, external_unique_id: tag }));

export interface Company {
  readonly people: readonly Row[];
  readonly companies: readonly Yaml[];
  readonly deals: readonly Yaml[];
  readonly certificates: readonly Yaml[];
  readonly staffing: readonly Yaml[];
  readonly bids: readonly Yaml[];
}

const NOTHING: Company = { people: [], companies: [], deals: [], certificates: [], staffing: [], bids: [] };

export interface WholeStory extends Story {
  /** Replaces the named parts of the sources from now on; the others stay. */
  have(change: Partial<Company>): void;
}

/** A company with everything managed, before anything exists in the service. */
export async function openWhole(account: CvAccount = {}): Promise<WholeStory> {
  const story = await openCvStory({
    tag_categories: [
      ...(ACCOUNT.tag_categories ?? []),
      { values: { en: 'Skill' }, external_unique_id: 'skill', can_be_used_for_cvs: true, custom_tags: SKILLS },
    ],
    ...account,
  });
  story.configure(WHOLE);
  const certificates = createStream(story, 'certificates');
  const staffing = createStream(story, 'staffing');
  function have(change: Partial<Company>): void {
    if (change.people) story.deliver(change.people);
    if (change.companies) story.deliverCompanies(change.companies);
    if (change.deals) story.deliverDeals(change.deals);
    if (change.certificates) certificates(change.certificates);
    if (change.staffing) staffing(change.staffing);
    if (change.bids) deliverBids(story, change.bids);
  }
  have(NOTHING);
  return { ...story, have };
}
