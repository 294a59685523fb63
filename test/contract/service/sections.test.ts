import { describe, expect, test } from 'vitest';
import { oneIn, sweep } from '../../depth.js';
import { findUser, openService } from './open-service.js';

const ISO = '?use_legacy_codes=false';

/** The path, wrapper, multilingual fields and string fields, from the spec's table of CV sections. */
const TYPES: readonly [path: string, wrapper: string, texts: string[], strings: string[]][] = [
  ['key_qualifications', 'key_qualification', ['label', 'long_description', 'tag_line'], []],
  ['educations', 'education', ['degree', 'description', 'school'], ['month_from', 'month_to', 'year_from', 'year_to']],
  [
    'work_experiences',
    'work_experience',
    ['description', 'employer', 'long_description'],
    ['month_from', 'month_to', 'year_from', 'year_to'],
  ],
  [
    'project_experiences',
    'project_experience',
    [
      'customer',
      'customer_anonymized',
      'customer_description',
      'customer_value_proposition',
      'description',
      'industry',
      'long_description',
      'project_type',
    ],
    [
      'area_amt',
      'area_unit',
      'extent_hours',
      'month_from',
      'month_to',
      'year_from',
      'year_to',
      'percent_allocated',
      'project_extent_amt',
      'project_extent_hours',
      'total_extent_amt',
      'total_extent_hours',
    ],
  ],
  ['languages', 'language', ['level', 'name'], []],
  ['technologies', 'technology', ['category'], []],
  [
    'certifications',
    'certification',
    ['long_description', 'name', 'organiser'],
    ['month', 'month_expire', 'year', 'year_expire'],
  ],
  ['courses', 'course', ['long_description', 'name', 'program'], ['month', 'year']],
  ['presentations', 'presentation', ['description', 'long_description'], ['month', 'year']],
  ['recommendations', 'recommendation', ['long_description', 'recommender'], []],
  ['positions', 'position', ['description', 'name'], ['year_from', 'year_to']],
  ['blogs', 'blog', ['long_description', 'name'], ['month', 'url', 'year']],
  ['honors_awards', 'honors_award', ['for_work', 'issuer', 'long_description', 'name'], ['month', 'year']],
  ['mentorings', 'mentoring', ['context', 'long_description'], ['month_from', 'month_to', 'year_from', 'year_to']],
];

describe('CV sections: the 14 types', () => {
  test('number 14', () => expect(TYPES).toHaveLength(14));

  test.each(oneIn(1, TYPES))('%s: create, read, update with version, delete', async (path, wrapper, texts, strings) => {
    const service = await openService();
    const { cv } = await findUser(service, 'E2');
    const own = {
      ...Object.fromEntries(texts.map((field) => [field, { en: `${field} en`, no: `${field} no` }])),
      ...Object.fromEntries(strings.map((field, index) => [field, String(2000 + index)])),
    };
    const sent = { ...own, starred: true, disabled: true, external_unique_id: 'X1', order: 7 };
    const made = await service.send('POST', `${cv}/${path}${ISO}`, { [wrapper]: sent });
    expect(made.status).toBe(200);
    expect(made.body).toMatchObject({ ...sent, _id: expect.any(String), version: expect.any(Number) });
    expect(made.body).toMatchObject({ created_at: expect.any(String), updated_at: expect.any(String) });
    expect(made.body).toHaveProperty('owner_updated_at');
    expect(made.body.recently_added).toEqual(expect.any(Boolean));

    const one = `${cv}/${path}/${made.body._id}`;
    expect((await service.send('GET', one + ISO)).body).toEqual(made.body);
    expect((await service.send('GET', cv + ISO)).body[path]).toEqual([made.body]);

    const [field = ''] = texts;
    const change = { version: made.body.version, [field]: { en: 'other' }, starred: false };
    const changed = await service.send('PUT', one + ISO, { [wrapper]: change });
    expect(changed.status).toBe(200);
    // Only the sent fields, complete texts, and version +1.
    expect(changed.body).toMatchObject({
      ...own,
      [field]: { en: 'other' },
      starred: false,
      disabled: true,
      version: made.body.version + 1,
    });
    expect(changed.body[field]).toEqual({ en: 'other' });

    expect((await service.send('DELETE', one)).status).toBe(204);
    expect((await service.send('GET', one)).status).toBe(404);
    expect((await service.send('DELETE', one)).status).toBe(404);
    expect((await service.send('GET', cv)).body[path]).toEqual([]);
  });

  sweep('technologies: uses a boolean for uncategorized', async () => {
    const service = await openService();
    const { cv } = await findUser(service, 'E2');
    const plain = await service.send('POST', `${cv}/technologies`, { technology: { category: { int: 'A' } } });
    expect(plain.body.uncategorized).toBe(false);
    const loose = await service.send('POST', `${cv}/technologies`, { technology: { uncategorized: true } });
    expect(loose.body.uncategorized).toBe(true);
  });

  test('project_experiences: returns response-only fields, and ignores them in requests', async () => {
    const service = await openService();
    const { cv } = await findUser(service, 'E2');
    const sent = {
      description: { int: 'D' },
      roles: [{ name: { int: 'R' } }],
      images: [{}],
      project_experience_skills: [{}],
    };
    const { body } = await service.send('POST', `${cv}/project_experiences`, { project_experience: sent });
    expect(body).toMatchObject({ images: [], project_experience_skills: [], roles: [], link_type: null });
    expect(body).not.toHaveProperty('reference_project');
  });

  sweep('Conventions 6: uses lower case currency codes', async () => {
    const service = await openService();
    const { cv } = await findUser(service, 'E2');
    const post = async (code: string) =>
      (
        await service.send('POST', `${cv}/project_experiences`, {
          project_experience: { project_extent_currency: code },
        })
      ).status;
    expect([await post('nok'), await post('NOK')]).toEqual([200, 422]);
  });
});

describe('CV sections: rules', () => {
  async function openCourse() {
    const service = await openService();
    const { cv } = await findUser(service, 'E2');
    const { body } = await service.send('POST', `${cv}/courses${ISO}`, { course: { name: { en: 'A', no: 'B' } } });
    return { service, cv, course: body, one: `${cv}/courses/${body._id}` };
  }

  test('Errors 409, Versioning 4: rejects a missing or stale version on update, and changes nothing', async () => {
    const { service, one, course } = await openCourse();
    const put = (version?: unknown) =>
      service.send('PUT', one + ISO, { course: { name: { en: 'C' }, ...(version === undefined ? {} : { version }) } });
    expect((await put()).status).toBe(409);
    expect((await put(course.version - 1)).status).toBe(409);
    expect((await put(course.version + 1)).status).toBe(409);
    expect((await service.send('GET', one + ISO)).body).toEqual(course);
    expect((await put(course.version)).status).toBe(200);
    expect((await put(course.version)).status).toBe(409);
  });

  sweep('Conventions 2: ignores unknown attributes', async () => {
    const { service, one, course } = await openCourse();
    const reply = await service.send('PUT', one + ISO, { course: { version: course.version, nmae: { en: 'X' } } });
    expect([reply.status, reply.body.name]).toEqual([200, { en: 'A', no: 'B' }]);
  });

  sweep('Conventions 4: silently drops language keys of the other mode', async () => {
    const { service, one, course } = await openCourse();
    const name = { en: 'kept', int: 'dropped', se: 'dropped' };
    const reply = await service.send('PUT', one + ISO, { course: { version: course.version, name } });
    expect([reply.status, reply.body.name]).toEqual([200, { en: 'kept' }]);
    const legacy = { int: 'kept', en: 'dropped', se: 'svensk', sv: 'dropped' };
    const second = await service.send('PUT', one, { course: { version: course.version + 1, name: legacy } });
    expect(second.body.name).toEqual({ int: 'kept', se: 'svensk' });
  });

  sweep('Errors 400: the wrapper of another type, or none', async () => {
    const { service, cv, one, course } = await openCourse();
    expect((await service.send('POST', `${cv}/courses`, { education: {} })).status).toBe(400);
    expect((await service.send('POST', `${cv}/courses`, { name: {} })).status).toBe(400);
    expect((await service.send('PUT', one, { version: course.version })).status).toBe(400);
  });

  sweep('Errors 404: unknown type, unknown section, a section under another type', async () => {
    const { service, cv, course } = await openCourse();
    expect((await service.send('POST', `${cv}/hobbies`, { hobby: {} })).status).toBe(404);
    expect((await service.send('GET', `${cv}/courses/nope`)).status).toBe(404);
    expect((await service.send('GET', `${cv}/educations/${course._id}`)).status).toBe(404);
    expect((await service.send('PUT', `${cv}/courses/nope`, { course: { version: 1 } })).status).toBe(404);
  });

  test('Errors 422: external_unique_id is unique across the sections of the CV, and of that CV only', async () => {
    const { service, cv, one, course } = await openCourse();
    const blog = { blog: { external_unique_id: 'S1' } };
    expect((await service.send('POST', `${cv}/blogs`, blog)).status).toBe(200);
    expect((await service.send('POST', `${cv}/blogs`, blog)).status).toBe(422);
    const put = { course: { version: course.version, external_unique_id: 'S1' } };
    expect((await service.send('PUT', one, put)).status).toBe(422);
    const { cv: other } = await findUser(service, 'E1');
    expect((await service.send('POST', `${other}/blogs`, blog)).status).toBe(200);
  });

  sweep('order: allows any integer, ascending, with gaps and duplicates', async () => {
    const service = await openService();
    const { cv } = await findUser(service, 'E2');
    for (const order of [10, -3, 10, 4]) await service.send('POST', `${cv}/blogs`, { blog: { order } });
    const orders = (await service.send('GET', cv)).body.blogs.map((blog: { order: number }) => blog.order);
    expect(orders).toEqual([-3, 4, 10, 10]);
  });

  test('Authentication 4: requires write access to the CV to change sections', async () => {
    const { service, cv, one, course } = await openCourse();
    const key = 'plain';
    expect((await service.send('GET', one, undefined, { key })).status).toBe(200);
    expect((await service.send('POST', `${cv}/courses`, { course: {} }, { key })).status).toBe(403);
    expect((await service.send('PUT', one, { course: { version: course.version } }, { key })).status).toBe(403);
    expect((await service.send('DELETE', one, undefined, { key })).status).toBe(403);
  });
});

describe('Project experience roles', () => {
  async function openExperience() {
    const service = await openService();
    const { cv } = await findUser(service, 'E2');
    const sent = { project_experience: { description: { int: 'Job' } } };
    const { body } = await service.send('POST', `${cv}/project_experiences`, sent);
    return { service, cv, experience: `${cv}/project_experiences/${body._id}` };
  }

  test('POST creates, GET reads: the fields of the spec', async () => {
    const { service, experience, cv } = await openExperience();
    const role = {
      name: { en: 'Lead' },
      long_description: { en: 'Led' },
      summary: { en: 'S' },
      order: 3,
      origin_id: null,
      starred: true,
    };
    const made = await service.send('POST', `${experience}/roles${ISO}`, { role });
    expect(made.status).toBe(200);
    expect(made.body).toMatchObject({
      ...role,
      _id: expect.any(String),
      cv_role_id: expect.any(String),
      disabled: false,
      diverged_from_master: false,
      recently_added: expect.any(Boolean),
      created_at: expect.any(String),
      updated_at: expect.any(String),
      modifier_id: expect.any(String),
      version: expect.any(Number),
    });
    const read = await service.send('GET', `${experience}/roles/${made.body._id}${ISO}`);
    expect([read.status, read.body]).toEqual([200, made.body]);
    expect((await service.send('GET', experience + ISO)).body.roles).toEqual([made.body]);
    expect((await service.send('GET', cv)).body.cv_roles).toHaveLength(1);
  });

  test('requires the name and the wrapper; answers 404 for unknown ids', async () => {
    const { service, experience, cv } = await openExperience();
    expect((await service.send('POST', `${experience}/roles`, { role: { summary: { int: 'x' } } })).status).toBe(422);
    expect((await service.send('POST', `${experience}/roles`, { role: { name: {} } })).status).toBe(422);
    expect((await service.send('POST', `${experience}/roles`, { name: { int: 'x' } })).status).toBe(400);
    expect((await service.send('GET', `${experience}/roles/nope`)).status).toBe(404);
    const stray = `${cv}/project_experiences/nope/roles`;
    expect((await service.send('POST', stray, { role: { name: { int: 'x' } } })).status).toBe(404);
  });

  sweep('beyond the spec: changes and deletes roles, skills and contacts', async () => {
    const { service, experience } = await openExperience();
    const made = await service.send('POST', `${experience}/roles`, { role: { name: { int: 'A' } } });
    const one = `${experience}/roles/${made.body._id}`;
    const changed = await service.send('PUT', one, { role: { summary: { int: 'S' } } });
    expect(changed.body).toMatchObject({ name: { int: 'A' }, summary: { int: 'S' }, version: made.body.version + 1 });
    expect((await service.send('DELETE', one)).status).toBe(204);
    expect((await service.send('GET', one)).status).toBe(404);
    const skill = { tags: { int: 'Go' }, base_duration_in_years: 2, offset_duration_in_years: 1, proficiency: 4 };
    const skills = `${experience}/project_experience_skills`;
    const added = await service.send('POST', skills, { project_experience_skill: skill });
    expect(added.body).toMatchObject({ ...skill, total_duration_in_years: 3, order: 0, version: expect.any(Number) });
    expect(
      (await service.send('POST', skills, { project_experience_skill: { ...skill, proficiency: 6 } })).status,
    ).toBe(422);
  });
});
