import { describe, expect, test, vi } from 'vitest';
import { oneIn, sweep } from '../../depth.js';
import { ACCOUNT, findPlaces, findUser, openService, type Service } from './open-service.js';

const CV_REPORT = '/api/v2/cv-report';
const REFERENCE_REPORT = '/api/v4/references/reports';
const query = (type: string, more = '') => `${CV_REPORT}?encoding=UTF-8&output_format=csv&report_type=${type}${more}`;

async function waitFor({ send }: Service, path: string, key = 'admin') {
  return vi.waitFor(
    async () => {
      const { body } = await send('GET', path, undefined, { key });
      expect(body.state).toBe('finished');
      return body;
    },
    { timeout: 10_000, interval: 10 },
  );
}

/** The lines of a small CSV without quoted cells. */
function readLines(text: string): string[][] {
  return text
    .trim()
    .split('\r\n')
    .map((line) => line.split(','));
}

async function runCvReport(service: Service, path: string, body: object = {}, key = 'admin') {
  const started = await service.send('POST', path, body, { key });
  expect([started.status, started.text]).toEqual([200, expect.stringContaining('_id')]);
  const report = await waitFor(service, `${CV_REPORT}/${started.body._id}`, key);
  const text = await (await fetch(report.cv_report.url)).text();
  const [titles = [], ...lines] = readLines(text);
  return { titles, lines };
}

const COMMON = [
  'Name',
  'Email',
  'Department',
  'Country',
  'Nationality',
  'UPN',
  'External User ID',
  'Platform User ID',
  'Platform CV ID',
  'Platform section ID',
  'External unique ID',
  'Updated',
  'Updated by owner',
];
const FROM_TO = ['Month from', 'Year from', 'Month to', 'Year to'];

describe('Reports, CV report', () => {
  test('Report state: started with url null, then finished with a URL; the fields of the spec', async () => {
    const service = await openService();
    const started = await service.send('POST', query('user_report'), {});
    expect(started.status).toBe(200);
    expect(started.body).toEqual({
      _id: expect.any(String),
      created_at: expect.any(String),
      updated_at: expect.any(String),
      updated_ago: expect.any(String),
      downloader_id: expect.any(String),
      percent_complete: 0,
      number_of_cvs: 4,
      number_of_completed_cvs: 0,
      state: 'started',
      cv_report: { url: null },
    });
    const report = await waitFor(service, `${CV_REPORT}/${started.body._id}`);
    expect(report).toMatchObject({ percent_complete: 100, number_of_completed_cvs: 4 });
    expect(report.cv_report.url).toMatch(/^http/);
  });

  sweep('Authentication 6: the URL needs no header, and expires', async () => {
    const service = await openService();
    const { body } = await service.send('POST', query('user_report'), {});
    const { cv_report } = await waitFor(service, `${CV_REPORT}/${body._id}`);
    const file = await fetch(cv_report.url);
    expect([file.status, file.headers.get('content-type')]).toEqual([200, 'text/csv; charset=utf-8']);
    expect(await file.text()).toContain('anna@example.com');
    const forged = await fetch(cv_report.url.replace(/signature=./, 'signature=x'));
    expect([forged.status, (await forged.text()).includes('anna')]).toEqual([403, false]);
    await service.control('POST', 'clock', { advance_ms: 20 * 60 * 1000 });
    expect((await fetch(cv_report.url)).status).toBe(403);
    const again = await service.send('GET', `${CV_REPORT}/${body._id}`);
    expect((await fetch(again.body.cv_report.url)).status).toBe(200);
  });

  const TABLES: readonly [type: string, titles: string[]][] = [
    [
      'user_report',
      [
        'Name',
        'Name (multilang)',
        'Title (int)',
        'Title (no)',
        'Email',
        'UPN',
        'External User ID',
        'Platform User ID',
        'Platform CV ID',
        'Phone Number',
        'Landline',
        'Birth Year',
        'Department',
        'Country',
        'User language',
        'User created at',
        'CV Last updated by owner',
        'CV Last updated',
        'Years of education',
        'Years since first work experience',
        'Access roles',
        'Has profile image',
        'Owns a reference project',
        'Read and understood privacy notice',
      ],
    ],
    [
      'project_experiences',
      [
        ...COMMON,
        ...FROM_TO,
        ...['Customer', 'Customer Anonymized', 'Description', 'Long description', 'Industry', 'Project type'].flatMap(
          (title) => [`${title} (int)`, `${title} (no)`, `${title} (int)`],
        ),
        'Percent allocated',
        'Project extent (individual hours)',
        'Project extent (hours)',
        'Project extent total (hours)',
        'Project extent',
        'Project extent (currency)',
        'Project extent total',
        'Project extent total (currency)',
        'Project area',
        'Project area (unit)',
        'Highlighted',
      ],
    ],
    ['certifications', [...COMMON, 'Month', 'Year', 'Month expire', 'Year expire']],
    [
      'courses',
      [
        ...COMMON,
        'Month',
        'Year',
        'Name',
        'Organiser',
        'Long description',
        'Highlighted',
        'Is official masterdata (in int)',
        'Is official masterdata (in no)',
        'Attachments',
      ],
    ],
    [
      'languages',
      [
        ...COMMON,
        'Highlighted',
        'Is official masterdata (in int)',
        'Is official masterdata (in no)',
        'Language',
        'Level',
      ],
    ],
    [
      'technologies',
      [
        ...COMMON.slice(0, 9),
        'Platform skill ID',
        'Platform skill category ID',
        'Skill name',
        'Year experience',
        'Proficiency (0-5)',
        'Is official masterdata (in int)',
        'Is official masterdata (in no)',
      ],
    ],
    ['key_qualifications', [...COMMON, 'Label', 'Summary of Qualifications', 'Short description']],
    ['educations', [...COMMON, ...FROM_TO, 'Highlighted', 'Attachments', 'Place of study', 'Degree', 'Description']],
    ['work_experiences', [...COMMON, ...FROM_TO, 'Highlighted', 'Employer', 'Description', 'Long Description']],
    ['positions', [...COMMON, 'Year from', 'Year to', 'Highlighted', 'Name', 'Description']],
  ];
  test.each(oneIn(1 / 2, TABLES))('Report records: the columns of %s', async (type, titles) => {
    const service = await openService();
    const report = await runCvReport(service, query(type, '&lang[]=int&lang[]=no'));
    expect(report.titles).toEqual(titles);
  });

  sweep('Report records: the columns of usage_report', async () => {
    const service = await openService();
    const { titles, lines } = await runCvReport(service, query('usage_report', '&lang%5B%5D=int'));
    expect(titles.slice(0, 17)).toEqual([
      'Name',
      'Name (multilang)',
      'Title (int)',
      'Birth Year',
      'Email',
      'UPN',
      'External User ID',
      'Platform User ID',
      'Platform CV ID',
      'Phone Number',
      'Landline',
      'Nationality (int)',
      'Department',
      'Country',
      'Owner last removed or added a section',
      'Owner last updated CV',
      'Last updated CV',
    ]);
    const sections = [
      'Summary Of Qualifications',
      'Project Experiences',
      'Highlighted roles',
      'Skill categories',
      'Educations',
      'Work experiences',
      'Certifications',
      'Courses',
      'Presentations',
      'Recommendations',
      'Positions',
      'Mentoring',
      'Publications',
      'Honors and awards',
      'Languages',
    ];
    for (const section of sections)
      expect(titles).toEqual(expect.arrayContaining([section, `Owner last updated ${section}`]));
    for (const title of ['Owner last updated Qualifications', 'Unique roles', 'Years of education']) {
      expect(titles).toContain(title);
    }
    expect(titles).toContain('Years since first work experience');
    const anna = lines.find(([name]) => name === 'Anna Åsen') ?? [];
    expect(anna[titles.indexOf('Educations')]).toBe('1');
    expect(anna[titles.indexOf('Years of education')]).toBe('5');
  });

  sweep.each(['blogs', 'cv_roles'])(
    'Report records: returns %s, whose columns the spec does not show',
    async (type) => {
      const service = await openService();
      expect((await runCvReport(service, query(type))).titles.length).toBeGreaterThan(5);
    },
  );

  sweep('gives a section report a line per section, with its values', async () => {
    const service = await openService();
    const { titles, lines } = await runCvReport(service, query('educations'));
    expect(lines).toHaveLength(1);
    const cell = (title: string) => lines[0]?.[titles.indexOf(title)];
    expect([cell('Name'), cell('Place of study'), cell('Degree'), cell('Year from'), cell('Country')]).toEqual([
      'Anna Åsen',
      'NTNU',
      'MSc',
      '2001',
      'no',
    ]);
  });

  sweep('lang[]: absent or empty means all languages; ISO codes in that mode; 400 for unknown ones', async () => {
    const service = await openService();
    const titlesOf = async (more: string) =>
      (await runCvReport(service, query('user_report', more))).titles.filter((title) => title.startsWith('Title'));
    expect(await titlesOf('')).toEqual(['Title (int)', 'Title (no)', 'Title (se)']);
    expect(await titlesOf('&lang[]=')).toHaveLength(3);
    expect(await titlesOf('&use_legacy_codes=false&lang[]=sv&lang[]=en')).toEqual(['Title (sv)', 'Title (en)']);
    expect(await titlesOf('&lang[]=en&lang[]=sv')).toEqual(['Title (en)', 'Title (sv)']);
    expect((await service.send('POST', query('user_report', '&lang[]=fr'), {})).status).toBe(400);
  });

  sweep('body: office_ids and must select the CVs', async () => {
    const service = await openService();
    const { oslo } = await findPlaces(service);
    const names = async (body: object) =>
      (await runCvReport(service, query('user_report'), body)).lines.map(([name]) => name);
    expect(await names({ office_ids: [oslo.office_id] })).toEqual(['Anna Åsen']);
    expect(await names({ must: [{ query: { value: 'sven' } }] })).toEqual(['Sven Svensson']);
    expect(await names({})).toHaveLength(4);
    expect(await names({ office_ids: [], must: [] })).toHaveLength(4);
  });

  sweep.each([
    ['missing report_type', `${CV_REPORT}?encoding=UTF-8&output_format=csv`, 400],
    ['an unknown report_type', query('hobbies'), 400],
    ['an unknown output_format', `${CV_REPORT}?encoding=UTF-8&report_type=user_report&output_format=doc`, 400],
    ['another encoding', `${CV_REPORT}?encoding=latin1&report_type=user_report&output_format=csv`, 400],
  ])('errors: %s', async (_name, path, status) => {
    const { send } = await openService();
    const reply = await send('POST', path, {});
    expect([reply.status, reply.body.error]).toEqual([status, expect.stringMatching(/\w+/)]);
  });

  sweep('errors: an unknown report is 404', async () => {
    const { send } = await openService();
    expect((await send('GET', `${CV_REPORT}/nope`)).status).toBe(404);
    expect((await send('GET', `${REFERENCE_REPORT}/nope`)).status).toBe(404);
  });

  test.each([
    ['admin', 200],
    ['norway', 200],
    ['references', 403],
    ['oslo', 403],
    ['plain', 403],
    ['anna', 403],
    ['external', 403],
  ])('Authentication 4: requires Country Manager or Administrator for CV reports: %s %i', async (key, status) => {
    const { send } = await openService();
    expect((await send('POST', query('user_report'), {}, { key })).status).toBe(status);
    expect((await send('GET', `${CV_REPORT}/nope`, undefined, { key })).status).toBe(status === 200 ? 404 : 403);
  });

  sweep('Limits: allows 10,000 CVs per report; the office filter splits it', async () => {
    const many = Array.from({ length: 10_001 }, (_, index) => ({
      email: `u${index}@example.com`,
      country: 'no',
      office: index === 0 ? 'Bergen' : 'Oslo',
    }));
    const service = await openService({ fixture: { ...ACCOUNT, users: many, customers: [] } });
    const { oslo } = await findPlaces(service);
    expect((await service.send('POST', query('user_report'), {}, {})).status).toBe(400);
    const reply = await service.send('POST', query('user_report'), { office_ids: [oslo.office_id] });
    expect([reply.status, reply.body.number_of_cvs]).toEqual([200, 10_000]);
  });

  sweep("Limits: counts starts and polls against the account's rate", async () => {
    const service = await openService({ rate: { requests: 2, per_seconds: 60 } });
    const { body } = await service.send('POST', query('user_report'), {});
    expect((await service.send('GET', `${CV_REPORT}/${body._id}`)).status).toBe(200);
    expect((await service.send('GET', `${CV_REPORT}/${body._id}`)).status).toBe(429);
  });
});

describe('Reports, reference project report', () => {
  const start = ({ send }: Service, body: object, key = 'admin') =>
    send('POST', REFERENCE_REPORT, { output_format: 'csv', ...body }, { key });

  test('returns the fields of the spec, started then finished, and the file', async () => {
    const service = await openService();
    const { status, body } = await start(service, { offset: 0, size: 100, workflow_stage_filter: 'all' });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      id: expect.any(String),
      percentProcessed: 0,
      processed: 0,
      total: 2,
      state: 'started',
      file: { url: null },
    });
    expect(body._id).toBe(body.id);
    const report = await waitFor(service, `${REFERENCE_REPORT}/${body.id}`);
    expect(report).toMatchObject({ percentProcessed: 100, processed: 2, total: 2 });
    const text = await (await fetch(report.file.url)).text();
    expect(text).toContain('Dam');
    expect(text).toContain('Tunnel');
  });

  sweep('selects projects by must, workflow_stage_filter, filter_owned, offset and size', async () => {
    const service = await openService();
    const total = async (body: object, key = 'admin') => (await start(service, body, key)).body.total;
    expect(await total({ workflow_stage_filter: 'live' })).toBe(1);
    expect(await total({ workflow_stage_filter: 'ready_for_review' })).toBe(0);
    expect(await total({ must: [{ query: { value: 'tunnel' } }] })).toBe(1);
    expect(await total({ size: 1 })).toBe(1);
    // The limit of 500 is for pages.
    expect(await total({ size: 10_000 })).toBe(2);
    expect(await total({ offset: 1 })).toBe(1);
    expect(await total({ filter_owned: true }, 'anna')).toBe(1);
    // A consultant sees only live projects.
    expect(await total({}, 'plain')).toBe(1);
  });

  sweep('errors: stage 400, format 400', async () => {
    const service = await openService();
    expect((await start(service, { workflow_stage_filter: 'dead' })).status).toBe(400);
    expect((await start(service, { output_format: 'pdf' })).status).toBe(400);
  });

  sweep('shows an owner as such in the user report', async () => {
    const service = await openService();
    const { titles, lines } = await runCvReport(service, query('user_report'));
    const owns = Object.fromEntries(lines.map((line) => [line[0], line[titles.indexOf('Owns a reference project')]]));
    expect([owns['Anna Åsen'], owns['Bjørn Berg']]).toEqual(['Yes', 'No']);
    expect((await findUser(service, 'E1')).name).toBe('Anna Åsen');
  });
});
