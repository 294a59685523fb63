import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { parse } from 'csv-parse/sync';
import readSheets, { readSheet } from 'read-excel-file/node';
import { describe, expect, test, vi } from 'vitest';
import { CV_REPORT_TYPES } from '../../../src/model/report-kinds.js';
import { oneIn, sweep } from '../../depth.js';
import { findTool } from '../../tools.js';
import { ACCOUNT, openService, type Service } from './open-service.js';

const CV_REPORT = '/api/v2/cv-report';
const REFERENCE_REPORT = '/api/v4/references/reports';
const XLSX_TYPE = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';

/** A CV with an entry in every section that has a report. */
const ANNA = {
  email: 'anna@example.com',
  name: 'Anna Åsen',
  external_unique_id: '00042',
  telephone: '+47 22 00 00 01',
  born_year: 1980,
  title: { en: 'Engineer', no: 'Ingeniør' },
  country: 'no',
  office: 'Oslo',
  cv: {
    sections: {
      project_experiences: [
        {
          description: { en: 'Dam & <tunnel>\nsecond line', no: '=SUM(A1:A2)' },
          customer: { en: 'טכניון', no: '能源 🌊 _x0041_' },
          month_from: '09',
          year_from: '2019',
          percent_allocated: '80',
          extent_hours: 'about 100',
          project_extent_amt: '12.5',
          roles: [{ name: { en: 'Lead' } }],
        },
      ],
      certifications: [{ name: { en: 'PMP' }, month: '1', year: '2020', year_expire: '2030' }],
      courses: [{ name: { en: 'Go' }, year: '2021' }],
      languages: [{ name: { en: 'Norwegian' }, level: { en: 'Native' } }],
      technologies: [{ technology_skills: [{ tags: { en: 'Go' }, proficiency: 4, base_duration_in_years: 7 }] }],
      key_qualifications: [{ label: { en: 'Summary' } }],
      educations: [{ school: { en: 'NTNU' }, year_from: '2001', year_to: '2006' }],
      work_experiences: [{ employer: { en: 'Acme' }, year_from: '2006' }],
      positions: [{ name: { en: 'Chair' }, year_from: '2015' }],
      blogs: [{ name: { en: 'On dams' }, year: '2022', url: 'https://example.com' }],
    },
  },
};
const ONE_CV = { ...ACCOUNT, users: [ANNA], customers: ACCOUNT.customers?.slice(0, 1).map(onlyFirstProject) ?? [] };

function onlyFirstProject(customer: NonNullable<typeof ACCOUNT.customers>[number]) {
  return { ...customer, projects: customer.projects?.slice(0, 1) ?? [] };
}

async function download(service: Service, path: string, body: object): Promise<Response> {
  const started = await service.send('POST', path, body);
  expect(started.status).toBe(200);
  return finish(service, `${path.split('?')[0]}/${started.body._id}`);
}

async function finish({ send }: Service, poll: string): Promise<Response> {
  const report = await vi.waitFor(
    async () => {
      const reply = await send('GET', poll);
      expect(reply.body.state).toBe('finished');
      return reply.body;
    },
    { timeout: 10_000, interval: 10 },
  );
  return fetch((report.cv_report ?? report.file).url);
}

async function downloadBoth(service: Service, type: string) {
  const as = (format: string): Promise<Response> =>
    type === 'references'
      ? download(service, REFERENCE_REPORT, { output_format: format })
      : download(service, `${CV_REPORT}?output_format=${format}&report_type=${type}&lang[]=int&lang[]=no`, {});
  return { csv: await as('csv'), xlsx: await as('xlsx') };
}

/** Reads a CSV cell with its type in a spreadsheet; ids stay texts whatever they look like. */
function readTyped(title: string, text: string): string | number | Date | null {
  if (text === '') return null;
  if (/^\d{4}-\d\d-\d\dT/.test(text)) return new Date(text);
  return /^\d+(\.\d+)?$/.test(text) && !title.endsWith(' ID') ? Number(text) : text;
}

/** Formats the value as LibreOffice shows it: times to the second, numbers without leading zeros. */
function showCell(text: string, title: string): string {
  const typed = readTyped(title, text);
  return typed instanceof Date ? text.replace('T', ' ').replace(/\.\d+Z$/, '') : String(typed ?? '');
}

describe('Reports as xlsx', () => {
  test.each(oneIn(1, [...CV_REPORT_TYPES, 'references']))(
    '%s: has the table of the CSV, with typed times and numbers',
    async (type) => {
      const service = await openService({ fixture: ONE_CV });
      const { csv, xlsx } = await downloadBoth(service, type);
      expect([xlsx.headers.get('content-type'), xlsx.headers.get('content-disposition')]).toEqual([
        XLSX_TYPE,
        `attachment; filename="${type}.xlsx"`,
      ]);
      const bytes = Buffer.from(await xlsx.arrayBuffer());
      expect(xlsx.headers.get('content-length')).toBe(String(bytes.length));
      const [titles = [], ...rows] = await readSheet(bytes);
      const [csvTitles = [], ...lines] = parse(await csv.text());
      expect([titles, lines.length, rows.length]).toEqual([csvTitles, 1, 1]);
      for (const [index, title] of csvTitles.entries()) {
        const [found, wanted] = [rows[0]?.[index], readTyped(title, lines[0]?.[index] ?? '')];
        // Spreadsheets store times as numbers of days, which are not exact to the millisecond.
        if (wanted instanceof Date) expect(Math.abs(Number(found) - Number(wanted))).toBeLessThan(2);
        expect([title, found]).toEqual([title, wanted instanceof Date ? expect.any(Date) : wanted]);
      }
    },
  );

  sweep("contains the CV's values in any script, and formulas as texts", async () => {
    const service = await openService({ fixture: ONE_CV, clock: '2026-01-31T08:30:00Z' });
    const { xlsx } = await downloadBoth(service, 'project_experiences');
    const [titles = [], row = []] = await readSheet(Buffer.from(await xlsx.arrayBuffer()));
    const read = (title: string) => row[titles.indexOf(title)];
    expect(read('External User ID')).toBe('00042');
    expect(JSON.stringify(read('Updated'))).toMatch(/^"2026-01-31T08:30:0/);
    expect([read('Month from'), read('Year from'), read('Month to')]).toEqual([9, 2019, null]);
    expect([read('Percent allocated'), read('Project extent')]).toEqual([80, 12.5]);
    // Entered as a text, so it stays one.
    expect(read('Project extent (individual hours)')).toBe('about 100');
    expect([read('Description (int)'), read('Description (no)')]).toEqual([
      'Dam & <tunnel>\nsecond line',
      '=SUM(A1:A2)',
    ]);
    expect([read('Customer (int)'), read('Customer (no)')]).toEqual(['טכניון', '能源 🌊 _x0041_']);
  });

  test('names the sheet after the report', async () => {
    const service = await openService({ fixture: ONE_CV });
    const { xlsx } = await downloadBoth(service, 'user_report');
    const sheets = await readSheets(Buffer.from(await xlsx.arrayBuffer()));
    expect(sheets.map(({ sheet }) => sheet)).toEqual(['user_report']);
  });

  sweep('opens in LibreOffice with the content of the CSV', async () => {
    // A module of LibreOffice that may be installed without it; the program is in the same folder.
    const soffice = join(dirname(findTool('calc')), 'soffice');
    const service = await openService({ fixture: ONE_CV });
    const folder = mkdtempSync(join(tmpdir(), 'reports-'));
    const types = [...CV_REPORT_TYPES, 'references'];
    const wanted = new Map<string, string[][]>();
    for (const type of types) {
      const { csv, xlsx } = await downloadBoth(service, type);
      writeFileSync(join(folder, `${type}.xlsx`), Buffer.from(await xlsx.arrayBuffer()));
      wanted.set(type, parse(await csv.text()));
    }
    const profile = `-env:UserInstallation=file://${folder}/profile`;
    // Commas, quotes, UTF-8, cells as shown.
    const filter = 'csv:Text - txt - csv (StarCalc):44,34,76,1,,0,false,true';
    const files = types.map((type) => join(folder, `${type}.xlsx`));
    await promisify(execFile)(soffice, [profile, '--headless', '--convert-to', filter, '--outdir', folder, ...files]);
    for (const [type, table] of wanted) {
      const shown: string[][] = parse(readFileSync(join(folder, `${type}.csv`)));
      const cells = table.map((line, row) =>
        line.map((text, index) => showCell(text, row === 0 ? '' : (table[0]?.[index] ?? ''))),
      );
      expect([type, shown]).toEqual([type, cells]);
    }
  });

  sweep('leaves no partial file when stopped, and makes the complete file after the next start', async () => {
    const users = Array.from({ length: 1_500 }, (_, index) => ({
      email: `u${index}@example.com`,
      country: 'no',
      office: 'Oslo',
    }));
    const stateFile = join(mkdtempSync(join(tmpdir(), 'reports-')), 'account.db');
    const fixture = { ...ONE_CV, users, customers: [], account: { ...ACCOUNT.account, reports: { delay_ms: 0 } } };
    const before = await openService({ fixture, stateFile });
    const { body } = await before.send('POST', `${CV_REPORT}?output_format=xlsx&report_type=user_report`, {});
    await vi.waitFor(
      async () => {
        const { body: report } = await before.send('GET', `${CV_REPORT}/${body._id}`);
        expect(report.number_of_completed_cvs).toBeGreaterThan(0);
      },
      { timeout: 10_000, interval: 1 },
    );
    await before.close();
    const after = await openService({ stateFile });
    const file = await finish(after, `${CV_REPORT}/${body._id}`);
    expect(await readSheet(Buffer.from(await file.arrayBuffer()))).toHaveLength(1_501);
  });
});
