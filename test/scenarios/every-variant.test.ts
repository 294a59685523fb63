import { describe, expect, test } from 'vitest';
import { IS_THOROUGH, oneIn } from '../depth.js';
import { ADD_COLLABORATOR, ADD_CV, ADD_REFERENCE, BID_OWNER, CREATE_BID, contents, UPDATE_BID } from './bids.js';
import { person } from './company.js';
import {
  ADD_TAG,
  CREATE_ROLE,
  CREATE_SECTION,
  cvOf,
  forgetMirror,
  LINK,
  REMOVE_TAG,
  sectionsOf,
  UPDATE_SECTION,
} from './cvs.js';
import { CREATE_USER, UPDATE_USER } from './kit.js';
import {
  CREATE_CUSTOMER,
  CREATE_PROJECT,
  OWNERS,
  pathOf,
  UPDATE_CUSTOMER,
  UPDATE_PROJECT,
} from './reference-projects.js';
import { VARIANTS, type Variant } from './variants.js';
import { openWhole, type WholeStory } from './whole-company.js';

interface Told extends WholeStory {
  /** Performs a run that must succeed and send exactly these writes, in any order. */
  run(writes: readonly string[], flags?: { readonly full?: boolean }): Promise<void>;
}

async function tell({ losesMirror, name: _, ...account }: Variant): Promise<Told> {
  const story = await openWhole(account);
  let runs = 0;
  return {
    ...story,
    async run(writes, flags) {
      runs += 1;
      // In between, the feed continues from the end of the full read of a new mirror.
      if (losesMirror && runs % 2 === 0) forgetMirror(story);
      const { json } = await story.sync(flags);
      expect([...json.failed, ...json.held, ...(json.errors ?? [])]).toEqual([]);
      expect(story.takeWrites().sort()).toEqual([...writes].sort());
    },
  };
}

const FJORD = { id: 'C1', name: 'Fjord Power' };
const DAM = { id: 'P1', customer: 'C1', name: 'Dam', owners: ['e1@example.com'] };
const STAFF = [person('E1'), person('E2')];
const CREATE_ALL = [CREATE_USER, CREATE_USER, CREATE_CUSTOMER, CREATE_PROJECT, OWNERS];

const STORIES: Readonly<Record<string, (variant: Variant) => Promise<void>>> = {
  'joiner, mover, rename, leaver, rehire, and a lost state': async (variant) => {
    const story = await tell(variant);
    const [anna, berit, carl] = [person('E1', { unit: 'north', rank: 'pilot' }), person('E2'), person('E3')];
    story.have({ people: [anna, berit, carl] });
    await story.run([CREATE_USER, CREATE_USER, CREATE_USER, ADD_TAG]);

    const moved = {
      ...anna,
      country: 'se',
      office: 'Stockholm',
      title: 'Lead',
      role: 'bid',
      unit: 'south',
      rank: 'diver',
    };
    const renamed = person('E2', { last: 'Berg', email: 'berit.berg@example.com' });
    const dora = person('E4', { role: 'bid', office: 'Bergen', unit: 'north' });
    story.have({ people: [moved, renamed, { ...carl, status: 'left' }, dora] });
    await story.run([UPDATE_USER, UPDATE_USER, UPDATE_USER, CREATE_USER, ADD_TAG, REMOVE_TAG]);
    expect(story.user('E1')).toMatchObject({
      office: 'se/Stockholm',
      title: { en: 'Lead' },
      roles: ['consultant', 'bidmanager'],
    });
    // One set if the account shows people's tags on their CVs, two if it does not.
    expect([...story.user('E1').tags, ...cvOf(story, 'E1').tags].sort()).toEqual(['skill/diver', 'unit/south']);
    expect(story.user('E2')).toMatchObject({ name: 'Person Berg', email: 'berit.berg@example.com' });
    expect(story.user('E3')).toMatchObject({ deactivated: true });
    expect(story.user('E4')).toMatchObject({ office: 'no/Bergen', tags: ['unit/north'] });

    story.have({ people: [moved, renamed, { ...carl, title: 'Back' }, dora] });
    await story.run([UPDATE_USER], { full: true });
    expect(story.user('E3')).toMatchObject({ deactivated: false, title: { en: 'Back' } });
    await story.run([]);

    // Where CVs do not show people's tags, people whose tags were only remembered get them once more.
    story.configure({ state: './other' });
    await story.run(variant.tagsOnCvs ? [] : [UPDATE_USER, UPDATE_USER]);
    await story.run([]);
  },

  'customers, projects and owners, and what others change': async (variant) => {
    const story = await tell(variant);
    story.have({ people: STAFF, companies: [FJORD], deals: [DAM] });
    await story.run(CREATE_ALL);

    const known = { ...FJORD, url: 'https://fjord.example.com' };
    const owned = { ...DAM, name: 'Big dam', owners: ['e1@example.com', 'e2@example.com'] };
    const bridge = { id: 'P2', customer: 'C2', name: 'Bridge' };
    story.have({ companies: [known, { id: 'C2', name: 'Roads' }], deals: [owned, bridge] });
    await story.run([UPDATE_CUSTOMER, UPDATE_PROJECT, OWNERS, CREATE_CUSTOMER, CREATE_PROJECT]);

    await story.others('PUT', `${await pathOf(story)}?use_legacy_codes=false`, {
      company_project: { project_name: { en: 'Their dam' } },
    });
    story.have({ deals: [{ ...owned, owners: ['e2@example.com'] }, bridge] });
    await story.run([UPDATE_PROJECT, OWNERS], { full: true });
    await story.run([]);
    expect(story.customers()).toMatchObject([
      { customer_url: known.url, projects: [{ project_name: { en: 'Big dam' }, owners: ['e2@example.com'] }] },
      { projects: [{ project_name: { en: 'Bridge' }, owners: [] }] },
    ]);
  },

  'sections and staffing': async (variant) => {
    const story = await tell(variant);
    const pilot = { id: 'K1', person: 'E1', name: 'Pilot' };
    story.have({ people: STAFF, companies: [FJORD], deals: [DAM], certificates: [pilot] });
    await story.run([...CREATE_ALL, CREATE_SECTION]);

    const staffing = [
      { id: 'S1', project: 'P1', person: 'E1', role: 'Lead' },
      { id: 'S2', project: 'P1', person: 'E2' },
    ];
    story.have({
      staffing,
      certificates: [
        { ...pilot, name: 'Chief pilot' },
        { id: 'K2', person: 'E2', name: 'Diver' },
      ],
    });
    await story.run([LINK, CREATE_ROLE, UPDATE_SECTION, CREATE_SECTION]);

    // A feed that shrinks unlinks nobody.
    story.have({ staffing: staffing.slice(1) });
    await story.run([], { full: true });
    for (const who of ['E1', 'E2'])
      expect(sectionsOf(story, who, 'project_experiences')).toMatchObject([
        { project: { external_unique_id: 'P1', linked: true } },
      ]);
    expect(sectionsOf(story, 'E1', 'certifications')).toMatchObject([{ texts: { name: { en: 'Chief pilot' } } }]);
    expect(sectionsOf(story, 'E2', 'certifications')).toHaveLength(1);
  },

  proposals: async (variant) => {
    const story = await tell(variant);
    const bid = { id: 'B1', name: 'Dam bid', owner: 'e1@example.com', team: ['E2'], people: ['E1'], projects: ['P1'] };
    story.have({ people: STAFF, companies: [FJORD], deals: [DAM], bids: [bid] });
    await story.run([...CREATE_ALL, CREATE_BID, ADD_COLLABORATOR, ADD_CV, ADD_REFERENCE]);

    story.have({ bids: [{ ...bid, stage: 'won', owner: 'e2@example.com', people: ['E1', 'E2'] }] });
    await story.run([UPDATE_BID, BID_OWNER, ADD_CV]);
    await story.run([], { full: true });
    expect(await contents(story, 'Dam bid')).toMatchObject({
      status: 'won',
      cvs: ['e1@example.com', 'e2@example.com'],
      references: ['P1'],
    });
  },
};

/** A quick run plays one story, in an account that few other stories have. */
const TRIED = IS_THOROUGH ? VARIANTS : VARIANTS.slice(4, 5);

/**
 * Each story ends with the same state and the same writes, however the account reads the interface, with the mirror
 * kept or lost.
 */
describe.each(TRIED.map((variant) => [variant.name, variant] as const))('variant %s', (_, variant) => {
  test.each(oneIn(2, Object.entries(STORIES), TRIED.indexOf(variant)))('ends the same: %s', (_story, tellStory) =>
    tellStory(variant),
  );
});
