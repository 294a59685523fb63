import { describe, expect, expectTypeOf, it } from 'vitest';
import type { Multilingual } from '../../src/model/json.js';
import { SECTION_TYPES, SECTIONS } from '../../src/model/sections.js';
import type { SectionFields, SectionUpdate } from '../../src/service/cv-sections.js';
import { sectionSchema, WireCv, WireCvPreview, type WireSection, WireTailoredCv } from '../../src/service/wire-cv.js';
import { WireCollaborators } from '../../src/service/wire-proposal.js';

/** The type, wrapper and fields of each section, from the table of the interface; `*` marks multilingual fields. */
const TABLE = `
key_qualifications key_qualification label* long_description* tag_line*
educations education degree* description* school* month_from month_to year_from year_to
work_experiences work_experience description* employer* long_description* month_from month_to year_from year_to
languages language level* name*
technologies technology uncategorized category*
certifications certification long_description* month month_expire name* organiser* year year_expire
courses course long_description* month name* program* year
presentations presentation description* long_description* month year
recommendations recommendation long_description* recommender*
positions position description* name* year_from year_to
blogs blog long_description* month name* url year
honors_awards honors_award for_work* issuer* long_description* month name* year
mentorings mentoring context* long_description* month_from month_to year_from year_to
`;

describe('the kinds of section', () => {
  const kinds: Readonly<
    Record<string, { readonly wrapper: string; readonly fields: Readonly<Record<string, string>> }>
  > = SECTIONS;

  it('number fourteen', () => expect(SECTION_TYPES).toHaveLength(14));

  for (const line of TABLE.trim().split('\n')) {
    const [type = '', wrapper, ...fields] = line.split(' ');
    it(`${type} have their wrapper and fields`, () => {
      expect(kinds[type]?.wrapper).toBe(wrapper);
      expect(Object.entries(kinds[type]?.fields ?? {}).toSorted()).toEqual(
        fields
          .map((field) => {
            const name = field.replace('*', '');
            return [name, field.endsWith('*') ? 'multilingual' : name === 'uncategorized' ? 'flag' : 'text'];
          })
          .toSorted(),
      );
    });
  }

  it('have the types of the table', () => {
    expectTypeOf<SectionFields<'courses'>['program']>().toEqualTypeOf<Multilingual | undefined>();
    expectTypeOf<SectionFields<'technologies'>['uncategorized']>().toEqualTypeOf<boolean | undefined>();
    expectTypeOf<SectionFields<'blogs'>['url']>().toEqualTypeOf<string | null | undefined>();
    expectTypeOf<SectionFields<'languages'>>().not.toHaveProperty('program');
    expectTypeOf<SectionUpdate<'languages'>['version']>().toEqualTypeOf<number>();
    expectTypeOf<WireSection<'project_experiences'>>().toHaveProperty('link_type');
    expectTypeOf<WireSection<'courses'>>().not.toHaveProperty('link_type');
  });

  it('are read with their common fields, and omit values that are not shown', () => {
    const course = {
      _id: 's1',
      starred: true,
      version: 3,
      external_unique_id: '',
      name: { en: 'Rust', no: null },
      x: 1,
    };
    expect(sectionSchema('courses').parse({ course })).toEqual({
      id: 's1',
      starred: true,
      disabled: false,
      recently_added: false,
      version: 3,
      external_unique_id: null,
      name: { en: 'Rust' },
    });
  });

  it('include project experiences with link, roles, skills and pictures', () => {
    const experience = sectionSchema('project_experiences').parse({
      _id: 'x1',
      percent_allocated: 50,
      link_type: 'linked',
      reference_project: { external_unique_id: 'P1' },
      roles: [{ _id: 'r1', cv_role_id: 'cr', name: { en: 'Lead' } }],
      project_experience_skills: [{ _id: 'k1', tags: { en: 'Rust' }, proficiency: 4, total_duration_in_years: 1.5 }],
      images: [{ id: 'i1', image: { url: 'U', thumb: { url: 'T' } } }],
    });
    expect(experience).toMatchObject({
      percent_allocated: '50',
      link_type: 'linked',
      reference_project: { external_unique_id: 'P1' },
      roles: [{ id: 'r1', cv_role_id: 'cr' }],
      project_experience_skills: [{ id: 'k1', proficiency: 4, total_duration_in_years: 1.5 }],
      images: [{ id: 'i1', image: { url: 'U', thumb: { url: 'T' } } }],
    });
  });
});

describe('a CV', () => {
  it('distinguishes kinds that were not shown from empty kinds', () => {
    const cv = WireCv.parse({ _id: 'v1', courses: [], languages: null });
    expect([cv.courses, cv.languages, cv.educations]).toEqual([[], [], undefined]);
  });

  it('accepts a place of residence in one or several languages, and a status of a tailored copy', () => {
    expect(WireCv.parse({ _id: 'v1', place_of_residence: 'Oslo' }).place_of_residence).toBe('Oslo');
    expect(WireCv.parse({ _id: 'v1', place_of_residence: { no: 'Oslo' } }).place_of_residence).toEqual({ no: 'Oslo' });
    expect(WireTailoredCv.parse({ id: 'v2', status: null }).status).toBeNull();
  });

  it('is rejected without an id', () => {
    expect(WireCv.safeParse({ user_id: 'u1' }).success).toBe(false);
    expect(WireCvPreview.safeParse({ name: 'A' }).success).toBe(false);
  });
});

describe('collaborators', () => {
  it('omit access tokens', () => {
    const collaborators = WireCollaborators.parse({
      api_users: [{ id: 'a1', name: 'Key', access_token: 'tell nobody', enabled: true, roles: [] }],
      users: null,
    });
    expect(JSON.stringify(collaborators)).not.toContain('tell nobody');
    expect(collaborators).toEqual({ api_users: [{ id: 'a1', name: 'Key', enabled: true, roles: [] }], users: [] });
    const wrong = WireCollaborators.safeParse({ api_users: [{ access_token: 'tell nobody' }] });
    expect(JSON.stringify(wrong.error)).not.toContain('tell nobody');
  });
});
