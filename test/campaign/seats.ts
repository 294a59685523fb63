import { merge, type Yaml } from '../scenarios/company.js';
import { type SectionState, STAFFING, STREAMS } from '../scenarios/cvs.js';
import type { Edit, Rows, Tables } from './history.js';
import { type Facts, type Holding, listOf, type Moment, type Part, type State, text } from './part.js';
import type { Random } from './random.js';
import { hasCv } from './sections.js';
import { deliverStream } from './streams.js';

function edit(random: Random, { staffing, people, deals }: Tables, fresh: () => number): Edit | null {
  const key = `S${fresh()}`;
  if (deals.size === 0) return null;
  if (staffing.size > 3 && random.chance(0.2)) {
    return { do: 'remove', table: 'staffing', key: random.pick([...staffing.keys()]) };
  }
  const cells = {
    project: random.pick([...deals.keys()]),
    person: random.pick([...people.keys()]),
    role: random.pick(['', 'Lead', 'Diver', 'Cook']),
  };
  return { do: 'add', table: 'staffing', key, cells };
}

/** A seat is a copy or a hard link for good: no call makes one of the other. */
function isLinked(person: string): boolean {
  return Number(person.slice(1)) % 3 !== 0;
}

/** Who is linked already is known of people and projects that were there before. */
function select(rows: Rows, moment: Omit<Moment, 'rows'>): Rows {
  return new Map(
    [...rows].filter(
      ([, cells]) =>
        hasCv(text(cells, 'person'), moment) &&
        moment.before.has(`user ${text(cells, 'person')}`) &&
        moment.before.has(`project ${text(cells, 'project')}`),
    ),
  );
}

/** A stream without any rows says nothing: one that is out of scope is always there. */
const NOWHERE = { staffing: { scope: 'record.?project.orValue("") != "-"' } };

interface FullUser {
  readonly external_unique_id: string | null;
  readonly cv?: { readonly sections: { readonly project_experiences?: readonly SectionState[] } };
}

function describe(state: State): readonly (readonly [string, Facts])[] {
  return (state.users as readonly FullUser[]).flatMap((user) =>
    (user.cv?.sections.project_experiences ?? []).flatMap(
      ({ project, parts }): readonly (readonly [string, Facts])[] => {
        if (project === null) return [];
        const roles = (parts.roles ?? []).map(({ texts }) => texts.name.en ?? null).sort();
        return [[`seat ${project.external_unique_id} ${user.external_unique_id}`, { linked: project.linked, roles }]];
      },
    ),
  );
}

/** Who comes to a project with the same options comes by one call. */
function countLinks(before: Holding, after: Holding): number {
  const links = new Set<string>();
  for (const [name, facts] of after) {
    if (name.startsWith('seat ') && !before.has(name)) links.add(`${name.split(' ')[1]} ${facts.linked}`);
  }
  return links.size;
}

export const SEATS: Part = {
  of: 'seat',
  table: 'staffing',
  source: 'lms',
  config: () => merge(merge(STREAMS, STAFFING), NOWHERE) as { readonly [key: string]: Yaml },
  edit,
  select,
  deliver(story, rows) {
    const seats = [...rows].map(([id, cells]) => ({ id, ...cells, copy: !isLinked(text(cells, 'person')) }));
    deliverStream(story, 'lms', 'staffing', [{ id: 'S0', project: '-' }, ...seats]);
  },
  createReference: () => ({
    expect(moment) {
      const next = new Map(moment.after);
      for (const cells of moment.rows.values()) {
        const person = text(cells, 'person');
        if (!hasCv(person, moment)) continue;
        const name = `seat ${text(cells, 'project')} ${person}`;
        const roles = new Set([
          ...listOf(next.get(name)?.roles),
          ...(text(cells, 'role') === '' ? [] : [text(cells, 'role')]),
        ]);
        next.set(name, { linked: isLinked(person), roles: [...roles].sort() });
      }
      return next;
    },
  }),
  describe,
  countWrites: (before, after) => listOf(after?.roles).length - listOf(before?.roles).length,
  countCommon: countLinks,
};
