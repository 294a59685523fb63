import { OPPORTUNITIES } from '../scenarios/bids.js';
import type { Cells, Edit, Rows, Tables } from './history.js';
import {
  countDifferent,
  differs,
  type Facts,
  keepText,
  listOf,
  type Moment,
  type Part,
  type State,
  text,
  toList,
} from './part.js';
import type { Random } from './random.js';
import { hasCv } from './sections.js';
import { deliverStream } from './streams.js';
import { word } from './words.js';

const STATUSES = ['initial', 'editing', 'finalised', 'submitted', 'won', 'lost'];
/** The owner of the runs' key, and therefore of everything they create. */
const API_USER = 'Admin';
const LISTS = ['team', 'people', 'projects'] as const;

function edit(random: Random, { bids, people, deals }: Tables, fresh: () => number): Edit | null {
  const number = fresh();
  const keys = [...bids.keys()];
  const some = (rows: Rows): string => [...rows.keys()].filter(() => random.chance(0.3)).join('+');
  const lists = { team: () => some(people), people: () => some(people), projects: () => some(deals) };
  if (keys.length < 2 || random.chance(0.2)) {
    const cells = {
      name: `Bid ${word(number)}`,
      stage: random.pick(['', ...STATUSES]),
      closed: random.pick(['', 'yes']),
      owner: random.pick([...people.keys()]),
      ...Object.fromEntries(LISTS.map((list) => [list, lists[list]()])),
    };
    return { do: 'add', table: 'bids', key: `B${number}`, cells };
  }
  const list = random.pick(LISTS);
  const cells = random.pick<Cells>([
    { stage: random.pick(STATUSES) },
    { closed: random.pick(['', 'yes']) },
    { owner: random.pick([...people.keys()]) },
    { [list]: lists[list]() },
  ]);
  return { do: 'set', table: 'bids', key: random.pick(keys), cells };
}

function select(rows: Rows, moment: Omit<Moment, 'rows'>): Rows {
  return new Map(
    [...rows].map(([key, cells]) => {
      const present = (column: string): string =>
        toList(cells, column)
          .filter((person) => hasCv(person, moment))
          .join('+');
      const projects = toList(cells, 'projects').filter((project) => moment.after.has(`project ${project}`));
      return [
        key,
        {
          ...cells,
          owner: present('owner'),
          team: present('team'),
          people: present('people'),
          projects: projects.join('+'),
        },
      ];
    }),
  );
}

interface FullProposal {
  readonly name: string;
  readonly status: string;
  readonly archived: boolean;
  readonly owner: string;
  readonly collaborators: readonly string[];
  readonly cvs: readonly { readonly user: string }[];
  readonly references: readonly { readonly external_unique_id: string }[];
}

function describe(state: State): readonly (readonly [string, Facts])[] {
  const ids = new Map(
    (state.users as readonly { readonly email: string; readonly external_unique_id: string | null }[]).map(
      ({ email, external_unique_id }) => [email, external_unique_id ?? email],
    ),
  );
  // The contents of a proposal of a deleted person are the service's own affair (spec, Proposals).
  const toId = (email: string): readonly string[] => (email.includes('@') ? [ids.get(email) ?? email] : []);
  return (state.proposals as readonly FullProposal[]).map((proposal) => [
    `proposal ${proposal.name}`,
    {
      stage: proposal.status,
      closed: proposal.archived,
      owner: proposal.owner === API_USER ? API_USER : (toId(proposal.owner)[0] ?? null),
      team: proposal.collaborators.flatMap(toId).sort(),
      people: proposal.cvs.flatMap(({ user }) => toId(user)).sort(),
      projects: proposal.references.map((one) => one.external_unique_id).sort(),
    },
  ]);
}

function expectProposal(cells: Cells, now: Facts | undefined): Facts {
  const grown = (list: string): readonly unknown[] =>
    [...new Set([...listOf(now?.[list]), ...toList(cells, list)])].sort();
  return {
    stage: keepText(cells, 'stage', now?.stage ?? 'initial'),
    closed: text(cells, 'closed') === 'yes',
    owner: keepText(cells, 'owner', now === undefined ? API_USER : now.owner),
    ...Object.fromEntries(LISTS.map((list) => [list, grown(list)])),
  } as Facts;
}

function countWrites(before: Facts | undefined, after: Facts | undefined): number {
  const added = LISTS.reduce((sum, list) => sum + listOf(after?.[list]).length - listOf(before?.[list]).length, 0);
  // The call that creates cannot archive.
  if (before === undefined) return 1 + (after?.closed === true ? 1 : 0) + added;
  const plain = countDifferent(before, after, ['stage', 'closed']) > 0 ? 1 : 0;
  return plain + (differs(before, after, 'owner') ? 1 : 0) + added;
}

export const BIDS: Part = {
  of: 'proposal',
  table: 'bids',
  source: 'bids',
  config: () => OPPORTUNITIES,
  edit,
  select,
  deliver(story, rows) {
    deliverStream(
      story,
      'bids',
      'opportunities',
      [...rows].map(([id, cells]) => ({
        id,
        name: text(cells, 'name'),
        stage: text(cells, 'stage'),
        closed: text(cells, 'closed') === 'yes',
        owner: text(cells, 'owner'),
        ...Object.fromEntries(LISTS.map((list) => [list, toList(cells, list)])),
      })),
    );
  },
  createReference: () => ({
    expect({ after, rows }) {
      const next = new Map(after);
      for (const cells of rows.values()) {
        const name = `proposal ${text(cells, 'name')}`;
        next.set(name, expectProposal(cells, after.get(name)));
      }
      return next;
    },
  }),
  describe,
  countWrites,
};
