import { merge, type Yaml } from '../scenarios/company.js';
import { cvPath, type SectionState, STAFFING, STREAMS } from '../scenarios/cvs.js';
import type { Story } from '../scenarios/kit.js';
import type { Edit, Hand, Rows, Tables } from './history.js';
import { type Facts, type Holding, listOf, type Moment, type Part, type State, text } from './part.js';
import type { Random } from './random.js';
import { hasCv, mayBeNamed } from './sections.js';
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
    dated: random.pick(['', 'yes']),
  };
  return { do: 'add', table: 'staffing', key, cells };
}

/** A person on a project is a copy or a hard link permanently: no call converts one into the other. */
function isLinked(person: string): boolean {
  return Number(person.slice(1)) % 3 !== 0;
}

const DATES = ['month_from', 'year_from', 'month_to', 'year_to'];

/** `9/2020//`; null without dates. */
function listDates(values: Readonly<Record<string, unknown>> | undefined): string | null {
  const dates = DATES.map((name) => values?.[name] ?? '');
  return dates.some((date) => date !== '') ? dates.join('/') : null;
}

/**
 * Earlier people and projects show who is linked already. Dates are those of the project when the link was made: an
 * interrupted
 * run may make it before the project has its new ones.
 */
function select(rows: Rows, moment: Omit<Moment, 'rows'>): Rows {
  return new Map(
    [...rows].filter(([, cells]) => {
      const project = `project ${text(cells, 'project')}`;
      const [was, is] = [moment.before, moment.after].map((holding) => listDates(holding.get(project)));
      return (
        mayBeNamed(text(cells, 'person'), moment) &&
        moment.known.has(text(cells, 'person')) &&
        moment.before.has(project) &&
        (text(cells, 'dated') === '' || (is !== null && was === is))
      );
    }),
  );
}

/** A colleague sets the dates of an experience, which then belong to the person. */
function hand(random: Random, { staffing }: Tables): Hand | null {
  if (staffing.size === 0) return null;
  const cells = random.pick([...staffing.values()]);
  const dates = random.pick(['3/2020/4/2021', '1/1999/2/2000']);
  return { of: 'seat', key: `${text(cells, 'project')} ${text(cells, 'person')}`, fields: { dates } };
}

async function doByHand(story: Story, { key, fields }: Hand): Promise<void> {
  const [project = '', person = ''] = key.split(' ');
  const found = await story.others('GET', `/api/v2/company/cv/projects/find?external_unique_id=${project}`);
  const path = await cvPath(story, person);
  const cv = (await story.others('GET', path)) as { readonly project_experiences: readonly Experience[] };
  const { id } = found as { readonly id: string };
  const experience = cv.project_experiences.find((one) => one.reference_project_id === id);
  const dates = String(fields.dates).split('/');
  await story.others('PUT', `${path}/project_experiences/${experience?._id}`, {
    project_experience: {
      version: experience?.version,
      ...Object.fromEntries(DATES.map((name, index) => [name, dates[index]])),
    },
  });
}

interface Experience {
  readonly _id: string;
  readonly version: number;
  readonly reference_project_id?: string | null;
}

/** A stream without any rows says nothing, so one row out of scope always exists. */
const MORE = {
  sources: { lms: { streams: { staffing: { columns: { dated: { type: 'bool', optional: true } } } } } },
  staffing: {
    scope: 'record.?project.orValue("") != "-"',
    fields: { include_dates: 'record.?dated.orValue(false)' },
  },
};

interface FullUser {
  readonly external_unique_id: string | null;
  readonly cv?: { readonly sections: { readonly project_experiences?: readonly SectionState[] } };
}

function describe(state: State): readonly (readonly [string, Facts])[] {
  return (state.users as readonly FullUser[]).flatMap((user) =>
    (user.cv?.sections.project_experiences ?? []).flatMap(
      ({ project, parts, strings }): readonly (readonly [string, Facts])[] => {
        if (project === null) return [];
        const roles = (parts.roles ?? []).map(({ texts }) => texts.name.en ?? null).sort();
        const facts = { linked: project.linked, dates: listDates(strings), roles };
        return [[`seat ${project.external_unique_id} ${user.external_unique_id}`, facts]];
      },
    ),
  );
}

/** People who join a project with the same options share one call. */
function countLinks(before: Holding, after: Holding): number {
  const links = new Set<string>();
  for (const [name, facts] of after) {
    if (name.startsWith('seat ') && !before.has(name))
      links.add(`${name.split(' ')[1]} ${facts.linked} ${facts.dates !== null}`);
  }
  return links.size;
}

export const SEATS: Part = {
  of: 'seat',
  table: 'staffing',
  source: 'lms',
  config: () => merge(merge(STREAMS, STAFFING), MORE) as { readonly [key: string]: Yaml },
  edit,
  hand,
  doByHand,
  select,
  deliver(story, rows) {
    const seats = [...rows].map(([id, cells]) => ({
      ...{ id, ...cells },
      copy: !isLinked(text(cells, 'person')),
      dated: text(cells, 'dated') === 'yes',
    }));
    deliverStream(story, 'lms', 'staffing', [{ id: 'S0', project: '-' }, ...seats]);
  },
  createReference: () => ({
    expect(moment) {
      const next = new Map(moment.after);
      for (const cells of moment.rows.values()) {
        const person = text(cells, 'person');
        if (!hasCv(person, moment)) continue;
        const name = `seat ${text(cells, 'project')} ${person}`;
        const now = next.get(name);
        const roles = new Set([...listOf(now?.roles), ...(text(cells, 'role') === '' ? [] : [text(cells, 'role')])]);
        const given = text(cells, 'dated') === '' ? null : listDates(next.get(`project ${text(cells, 'project')}`));
        const dates = now === undefined ? given : (now.dates ?? null);
        next.set(name, { linked: isLinked(person), dates, roles: [...roles].sort() });
      }
      return next;
    },
  }),
  describe,
  countWrites: (before, after) => listOf(after?.roles).length - listOf(before?.roles).length,
  countCommon: countLinks,
};
