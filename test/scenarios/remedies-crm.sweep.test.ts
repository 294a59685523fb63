import { CRM, merge, person, type Yaml } from './company.js';
import { CERTIFICATIONS, createStream, cvPath, forgetMirror, openCvStory, STAFFING, STREAMS } from './cvs.js';
import { openShortener } from './gate.js';
import { openStory, type Story } from './kit.js';
import { deliverOrg, OFFICES, ORG, TAGS } from './org.js';
import { followRemedies, type Step } from './remedies.js';
import { CUSTOMERS, onProject, USERS } from './staffing.js';

type Patch = { readonly [key: string]: Yaml };

const acme = { id: 'C1', name: 'Acme' };
const beta = { id: 'C2', name: 'Beta' };
const move = { id: 'D1', customer: 'C1', name: 'Move' };
const E1 = [person('E1')];
const AGENCY = { settings: merge(CRM, { customers: { match: ['external_unique_id'] } }) as Patch } as const;
const agency =
  (companies: readonly Yaml[], deals: readonly Yaml[]): Step =>
  (story) => {
    story.deliver(E1);
    story.deliverCompanies(companies);
    story.deliverDeals(deals);
  };
const first = agency([acme, beta], [move]);

const OSLO = { id: 'O1', country: 'no', name: 'Oslo' };
const BERGEN = { id: 'O2', country: 'no', name: 'Bergen' };
const NORTH = { id: 'north', category: 'unit', name: 'North' };
const SOUTH = { id: 'south', category: 'unit', name: 'South' };
/** People with a unit; offices and tags come from their own feeds. */
const ORGANISED = {
  settings: { ...ORG, offices: OFFICES, tags: TAGS, users: { fields: { tags: { unit: 'record.?unit' } } } } as Patch,
} as const;
const organise =
  (offices: readonly Yaml[], tags: readonly Yaml[]): Step =>
  (story) => {
    deliverOrg(story, 'offices', offices);
    deliverOrg(story, 'tags', tags);
  };
const organised: Step = (story) => {
  story.deliver([person('E1', { unit: 'north' }), person('E2')]);
  return organise([OSLO, BERGEN], [NORTH, SOUTH])(story);
};

const experiences = (story: Story, ...rows: readonly Yaml[]): string => createStreamOnce(story, 'experiences')(rows);
const courses = (story: Story, ...rows: readonly Yaml[]): string => createStreamOnce(story, 'certificates')(rows);
const staffing = (story: Story, ...rows: readonly Yaml[]): string => createStreamOnce(story, 'staffing')(rows);
const streams = new WeakMap<Story, Map<string, (rows: readonly Yaml[]) => string>>();
function createStreamOnce(story: Story, name: string): (rows: readonly Yaml[]) => string {
  const own = streams.get(story) ?? new Map();
  streams.set(story, own);
  const stream = own.get(name) ?? createStream(story, name);
  own.set(name, stream);
  return stream;
}
const first_aid = { id: 'K1', person: 'e1@example.com', name: 'First aid', issuer: 'Red Cross', year: '2020' };
const LEARNING = { open: () => openCvStory(), settings: merge(STREAMS, CERTIFICATIONS) as Patch } as const;
const COURSES: Patch = {
  cv_sections: {
    courses: {
      from: ['lms.experiences'],
      fields: { user: 'record.person', external_unique_id: 'record.id', name: { en: 'record.?what' } },
    },
  },
};
const STAFFED = {
  open: () => openCvStory({ users: USERS, customers: CUSTOMERS }),
  settings: merge(merge(STREAMS, CRM), STAFFING) as Patch,
} as const;
const staffed: Step = (story) => {
  story.deliver([person('E1'), person('E2'), person('E3')]);
  story.deliverCompanies([{ id: 'C1', name: 'Fjord Power' }]);
  story.deliverDeals([{ id: 'P1', customer: 'C1', name: 'Dam' }]);
  staffing(story, onProject('s1', 'E1'));
};

/** A section that returns under another key. */
const RENUMBERED = {
  ...LEARNING,
  first: (story: Story) => {
    story.deliver(E1);
    return courses(story, first_aid);
  },
  begin: (story: Story) => courses(story, { ...first_aid, id: 'K 9' }),
  waits: 'SYNC_LOOK_ALIKE',
};

followRemedies({
  'a customer under a new key': {
    ...AGENCY,
    first,
    begin: agency([{ ...acme, id: 'C9' }, beta], [{ ...move, customer: 'C9' }]),
    waits: 'SYNC_LOOK_ALIKE',
    remedy: /If they are the same, `talent-sync holds resolve customer:C9 --same --reason "…"`/,
    follow: 'holds resolve customer:C9 --same',
  },
  'another project under a new key with a blank': {
    ...AGENCY,
    first,
    begin: agency([acme, beta], [{ ...move, id: 'D 9' }]),
    waits: 'SYNC_LOOK_ALIKE',
    remedy: /if they are two, `talent-sync holds resolve 'project:D 9' --new --reason "…"`/,
    follow: "holds resolve 'project:D 9' --new",
  },
  'a project under a new key, answered by its guard': {
    ...AGENCY,
    first,
    begin: agency([acme, beta], [{ ...move, id: 'D9' }]),
    waits: 'projects.look_alike',
    remedy: /`talent-sync holds resolve --guard projects\.look_alike --same --reason "…"`/,
    follow: 'holds resolve --guard projects.look_alike --same',
  },
  'a customer that no source has': {
    ...AGENCY,
    first,
    begin: agency([acme, beta], [move, { id: 'D2', customer: 'C 7', name: 'Dig' }]),
    waits: 'SYNC_REFERENCE_UNKNOWN',
    remedy: /Deliver the customer in its source/,
    follow: agency([acme, beta, { id: 'C 7', name: 'Gamma' }], [move, { id: 'D2', customer: 'C 7', name: 'Dig' }]),
  },
  'a project that goes to another customer': {
    ...AGENCY,
    first,
    begin: agency([acme, beta], [{ ...move, customer: 'C2' }]),
    waits: 'SYNC_CHANGE_BLOCKED',
    remedy: /Deliver it as a new project under a new id, or leave it with its customer/,
    follow: agency([acme, beta], [{ ...move, id: 'D2', customer: 'C2' }]),
  },
  'two records that claim one customer': {
    open: () => openStory({ customers: [{ customer_name: { en: 'Gamma' } }] }),
    settings: CRM,
    first,
    begin: agency([acme, beta, { id: 'C3', name: 'Gamma' }, { id: 'C4', name: 'Gamma' }], [move]),
    waits: 'SYNC_MATCH_CLAIMED',
    remedy: /Decide which record is right and correct the other one in the source/,
    follow: agency([acme, beta, { id: 'C3', name: 'Gamma' }, { id: 'C4', name: 'Delta' }], [move]),
  },
  'an office that people are in': {
    ...ORGANISED,
    first: organised,
    begin: organise([{ ...OSLO, gone: 'yes' }, BERGEN], [NORTH, SOUTH]),
    waits: 'SYNC_CHANGE_BLOCKED',
    remedy: /Move them to another office/,
    follow: (story) =>
      story.deliver([person('E1', { unit: 'north', office: 'Bergen' }), person('E2', { office: 'Bergen' })]),
  },
  'an office in another country': {
    ...ORGANISED,
    first: organised,
    begin: organise([OSLO, { ...BERGEN, country: 'se' }], [NORTH, SOUTH]),
    waits: 'SYNC_CHANGE_BLOCKED',
    remedy: /Deliver it as a new office under a new id/,
    follow: organise([OSLO, { ...BERGEN, id: 'O3', country: 'se' }], [NORTH, SOUTH]),
  },
  'a tag that a record names': {
    ...ORGANISED,
    first: organised,
    begin: organise([OSLO, BERGEN], [{ ...NORTH, gone: 'yes' }, SOUTH]),
    waits: 'SYNC_CHANGE_BLOCKED',
    remedy: /Remove it from these records first/,
    follow: (story) => story.deliver([person('E1', { unit: 'south' }), person('E2')]),
  },
  'two tags of one name, one of them gone': {
    ...ORGANISED,
    first: organised,
    begin: organise([OSLO, BERGEN], [NORTH, { ...SOUTH, gone: 'yes' }, { ...SOUTH, id: 'south 2' }]),
    waits: 'SYNC_PROBABLE_SAME_PERSON',
    remedy: /if they are two, `talent-sync holds resolve tag:south --new --reason "…"`/,
    follow: 'holds resolve tag:south --new',
  },
  'a tag that returns under a new key': {
    ...ORGANISED,
    first: organised,
    begin: organise([OSLO, BERGEN], [NORTH, { ...SOUTH, gone: 'yes' }, { ...SOUTH, id: 'south 2' }]),
    waits: 'SYNC_MATCH_CLAIMED',
    remedy: /If they are the same: `talent-sync link tags 'south 2' \w+`/,
    follow: 'link tags',
  },
  'a tag that the service does not list': {
    ...ORGANISED,
    first: organised,
    begin: async (story) => {
      forgetMirror(story);
      const hidden = await openShortener(story.sandbox.url, () => true, /custom_tag/);
      story.configure({ service: { base_url: hidden.url } });
    },
    waits: 'SYNC_OBJECT_UNSEEN',
    remedy: /No action needed: the next run looks again/,
    follow: (story) => story.configure({ service: { base_url: story.sandbox.url } }),
  },
  'a section under a new key': {
    ...RENUMBERED,
    remedy: /If they are the same, `talent-sync holds resolve 'certification:K 9' --same --reason "…"`/,
    follow: "holds resolve 'certification:K 9' --same",
  },
  'another section under a new key': {
    ...RENUMBERED,
    remedy: /if they are two, `talent-sync holds resolve 'certification:K 9' --new --reason "…"`/,
    follow: "holds resolve 'certification:K 9' --new",
  },
  'two sections with one id on a CV': {
    ...LEARNING,
    settings: merge(LEARNING.settings, COURSES) as Patch,
    first: (story) => {
      story.deliver(E1);
      courses(story, first_aid);
      return experiences(story, { id: 'K2', person: 'e1@example.com', what: 'Rescue' });
    },
    begin: (story) => experiences(story, { id: 'K1', person: 'e1@example.com', what: 'Rescue at sea' }),
    waits: 'SYNC_VALUE_TAKEN',
    remedy: /Give one of the two an id of its own in the source/,
    follow: (story) => experiences(story, { id: 'K3', person: 'e1@example.com', what: 'Rescue at sea' }),
  },
  'one person named in two ways on a project': {
    ...STAFFED,
    first: staffed,
    begin: (story) => staffing(story, onProject('s1', 'E1'), onProject('s2', 'e1@example.com')),
    waits: 'SYNC_MATCH_CLAIMED',
    remedy: /Name people and projects in the same way/,
    follow: (story) => staffing(story, onProject('s1', 'E1'), onProject('s2', 'E1')),
  },
  'a copy instead of a hard link': {
    ...STAFFED,
    first: staffed,
    begin: (story) => staffing(story, onProject('s1', 'E1', { copy: true })),
    waits: 'SYNC_CHANGE_BLOCKED',
    remedy: /delete the experience in the service: the next run links it again/,
    follow: async (story) => {
      const path = await cvPath(story, 'E1');
      const cv = (await story.others('GET', path)) as { readonly project_experiences: readonly { _id: string }[] };
      for (const { _id } of cv.project_experiences) await story.others('DELETE', `${path}/project_experiences/${_id}`);
    },
  },
});
