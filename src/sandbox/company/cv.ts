import type { SectionName } from '../fields/section-kinds.js';
import type { Body } from '../fields/values.js';
import type { FixtureInput } from '../fixture/fixture.js';
import type { Say } from './company-data.js';
import type { CompanyPlan } from './company-plan.js';
import { describeIndustry, nameEngagement, renderPeriod } from './customers.js';
import { type Stint, THIS_MONTH } from './engagements.js';
import type { Employee } from './people.js';
import { at, type Random } from './random.js';
import { CERTIFICATES, SKILLS } from './skills.js';

type CvInput = NonNullable<NonNullable<FixtureInput['users']>[number]['cv']>;
type Sections = Partial<Record<SectionName, Body[]>>;

interface Life {
  readonly person: Employee;
  readonly parts: readonly Stint[];
  readonly say: Say;
  readonly plan: CompanyPlan;
  readonly random: Random;
}

/** Profession → index of its degree. */
const DEGREES = [0, 0, 3, 1, 2, 1];
const THIS_YEAR = Math.floor(THIS_MONTH / 12);

/** Renders a CV of about a kilobyte, with only the latest project experiences. */
export function renderShortCv(life: Life): CvInput {
  return { sections: { key_qualifications: describePerson(life), project_experiences: describeProjects(life, false) } };
}

export function renderFullCv(life: Life): CvInput {
  const sections: Sections = {
    key_qualifications: describePerson(life),
    ...describeCareer(life),
    project_experiences: describeProjects(life, true),
    languages: listLanguages(life),
    technologies: listTechnologies(life),
    ...describeRest(life),
  };
  return { sections };
}

function describePerson({ person: { profession }, say }: Life): Body[] {
  const [label, long_description] = [0, 1].map((part) =>
    say(({ professions }) => at(professions, profession)[part] ?? ''),
  );
  return [{ label, long_description, starred: true }];
}

/** Describes school, a previous employer, and the current one since the first project. */
function describeCareer({ person, parts, say, plan, random }: Life): Sections {
  const facts = plan.countries.get(person.country);
  const graduated = Math.min(person.birthYear + 23 + random.below(4), THIS_YEAR - 1);
  const first = parts.at(-1)?.from ?? THIS_MONTH - random.below(60);
  const hired = Math.max(first - random.below(6), graduated * 12 + 6);
  const title = say(({ professions }) => at(professions, person.profession)[0]);
  const before = hired - 2 - graduated * 12;
  const employer = `${at(['Nordlys', 'Fjellvik', 'Blaustein', 'Kystlinje', 'Weitblick'], random.below(5))} Consulting`;
  return {
    educations: [
      {
        school: { en: random.pick(facts?.schools ?? ['']) },
        degree: say(({ degrees }) => at(degrees, at(DEGREES, person.profession))),
        year_from: String(graduated - 5),
        year_to: String(graduated),
      },
    ],
    work_experiences: [
      { employer: { en: plan.name }, description: title, ...renderPeriod(hired, null) },
      ...(before < 12
        ? []
        : [{ employer: { en: employer }, description: title, ...renderPeriod(graduated * 12 + 7, hired - 1) }]),
    ],
  };
}

function describeProjects({ person, parts, say, random }: Life, isFull: boolean): Body[] {
  return parts.map(({ engagement, from, to }) => {
    const { customer, work } = engagement;
    const industry = describeIndustry(customer.industry, say);
    const [name, part] = [0, 2].map((of) => say(({ professions }) => at(professions, person.profession)[of] ?? ''));
    const body: Body = {
      customer: { en: customer.name },
      description: nameEngagement(engagement, say),
      industry: industry.name,
      ...renderPeriod(from, to),
      roles: [isFull ? { name, long_description: part } : { name }],
    };
    if (!isFull) return body;
    return {
      ...body,
      long_description: say(({ works }) => `${at(works, work)[1]} ${at(works, work)[2]}`),
      customer_description: industry.text,
      // One in six project experiences replaces the customer's name by its industry.
      ...(random.below(6) === 0 ? { customer_anonymized: industry.name } : {}),
      percent_allocated: String(50 + 10 * random.below(6)),
      project_experience_skills: pickSome(SKILLS.flat(), 3, random).map((skill) => ({
        tags: { en: skill },
        base_duration_in_years: 1 + random.below(3),
      })),
    };
  });
}

function listLanguages({ say, plan, person, random }: Life): Body[] {
  const native = plan.countries.get(person.country)?.language ?? 'en';
  const level = (index: number) => say(({ levels }) => at(levels, index));
  const own = {
    name: say((phrases) => (native === 'en' ? phrases.english : plan.findPhrases(native).own)),
    level: level(0),
  };
  const english = { name: say((phrases) => phrases.english), level: level(1 + random.below(2)) };
  return native === 'en' ? [own] : [own, english];
}

function listTechnologies({ say, random }: Life): Body[] {
  return SKILLS.map((skills, group) => ({
    category: say(({ groups }) => at(groups, group)),
    technology_skills: pickSome(skills, 2 + random.below(4), random).map((skill) => ({
      tags: { en: skill },
      proficiency: 1 + random.below(5),
      base_duration_in_years: 1 + random.below(12),
    })),
  }));
}

/** Describes sections that only some people have. */
function describeRest({ say, random, person }: Life): Sections {
  const year = (): string => String(THIS_YEAR - random.below(8));
  const month = (): string => String(1 + random.below(12));
  const work = random.below(8);
  const about = say(({ works }) => at(works, work)[0]);
  const more = (name: 'course' | 'position' | 'recommendation' | 'award' | 'mentoring') =>
    say((phrases) => phrases.more[name]);
  const rows: readonly (readonly [percent: number, type: SectionName, build: () => Body])[] = [
    [45, 'courses', () => ({ name: more('course'), program: { en: 'Academy' }, year: year(), month: month() })],
    [25, 'presentations', () => ({ description: about, year: year(), month: month() })],
    [15, 'recommendations', () => ({ long_description: more('recommendation'), recommender: { en: 'K. Lind' } })],
    [20, 'positions', () => ({ name: more('position'), year_from: String(THIS_YEAR - 2) })],
    [8, 'blogs', () => ({ name: about, url: `https://blog.example.com/${person.id.toLowerCase()}`, year: year() })],
    [6, 'honors_awards', () => ({ name: more('award'), for_work: about, year: year() })],
    [10, 'mentorings', () => ({ context: more('mentoring'), year_from: String(THIS_YEAR - 1) })],
  ];
  const certificates = pickSome(CERTIFICATES, random.below(3), random).map(([name, organiser]) => ({
    ...{ name: { en: name }, organiser: { en: organiser } },
    ...{ year: year(), month: month() },
  }));
  const chosen = rows.flatMap(([percent, type, build]) => (random.chance(percent) ? [[type, [build()]] as const] : []));
  return { certifications: certificates, ...Object.fromEntries(chosen) };
}

/** Picks different items and keeps their order. */
function pickSome<T>(items: readonly T[], count: number, random: Random): readonly T[] {
  const chosen = new Set<number>();
  while (chosen.size < Math.min(count, items.length)) chosen.add(random.below(items.length));
  return items.filter((_, index) => chosen.has(index));
}
