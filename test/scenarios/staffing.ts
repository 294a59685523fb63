import { CRM, merge, person } from './company.js';
import { type CvAccount, createStream, openCvStory, STAFFING, STREAMS } from './cvs.js';

const place = { country: 'no', office: 'Oslo' };
export const USERS = ['E1', 'E2', 'E3'].map((id) => ({
  ...place,
  email: `${id.toLowerCase()}@example.com`,
  external_unique_id: id,
  name: `Person ${id}`,
}));
export const CUSTOMERS = [
  {
    external_unique_id: 'C1',
    customer_name: { en: 'Fjord Power' },
    projects: [{ external_unique_id: 'P1', project_name: { en: 'Dam' } }],
  },
];

/** Three people, and the project of one customer. */
export async function openStaffing(account: CvAccount = {}) {
  const story = await openCvStory({ users: USERS, customers: CUSTOMERS, ...account });
  story.configure(merge(merge(STREAMS, CRM), STAFFING) as typeof STREAMS);
  story.deliver([person('E1'), person('E2'), person('E3')]);
  story.deliverCompanies([{ id: 'C1', name: 'Fjord Power' }]);
  story.deliverDeals([{ id: 'P1', customer: 'C1', name: 'Dam' }]);
  const staffing = createStream(story, 'staffing');
  return { story, staffing };
}

/** A row of the feed: a person on that project. */
export function onProject(id: string, who: string, more: object = {}) {
  return { id, project: 'P1', person: who, ...more };
}
