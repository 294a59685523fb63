import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { buildProgram } from '../../../src/cli/program.js';
import { COMPANY_KEY, createCompany } from '../../../src/sandbox/company/company.js';
import { readCountries, readLanguages } from '../../../src/sandbox/company/company-data.js';
import type { CompanyOptions } from '../../../src/sandbox/company/company-plan.js';
import { THIS_MONTH } from '../../../src/sandbox/company/engagements.js';
import { buildPeople, createPersonMaker } from '../../../src/sandbox/company/people.js';
import { writeFixture } from '../../../src/sandbox/company/write-fixture.js';
import { type FixtureInput, parseFixture } from '../../../src/sandbox/fixture/fixture.js';
import { createSandbox } from '../../../src/sandbox/sandbox.js';
import { createTalentService } from '../../../src/service/talent-service.js';
import { closeAfterTest } from '../../closing.js';
import { expectDescribed } from '../../contract/service/described.js';
import { sweep } from '../../depth.js';
import { makeFolder } from '../../samples.js';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const LANGUAGES = join(ROOT, 'config/company/languages');
const COUNTRIES = 'no,se,dk,de,at,ch,fr,be,es,mx,gb,ie,us,gr,ua,ae,eg,il,in,cn,jp,kr'.split(',');
const OPTIONS: CompanyOptions = {
  users: 220,
  customers: 44,
  projects: 90,
  proposals: 6,
  countries: COUNTRIES,
  seed: 3,
  cvs: 'full',
  images: true,
};

function writeCompany(options: Partial<CompanyOptions> = {}): string {
  return [...writeFixture(createCompany({ ...OPTIONS, ...options }))].join('');
}

function readCompany(options: Partial<CompanyOptions> = {}) {
  return parseFixture(JSON.parse(writeCompany(options)), 'the company');
}

/** Runs a command of the program in this process. */
async function perform(...words: readonly string[]) {
  const [out, err] = [new PassThrough(), new PassThrough()];
  const texts = [out, err].map((stream) => stream.setEncoding('utf8').toArray());
  let exitCode = 0;
  await buildProgram({
    stdout: out,
    stderr: err,
    env: {},
    setExitCode: (code) => {
      exitCode = code;
    },
    exit: () => undefined,
  }).parseAsync([...words], { from: 'user' });
  out.end();
  err.end();
  const [stdout = '', stderr = ''] = (await Promise.all(texts)).map((pieces) => pieces.join(''));
  return { exitCode, stdout, stderr };
}

describe('a made-up company', () => {
  sweep('is the same in another process, language and time zone, and differs for another seed', () => {
    const words = ['--users', '220', '--customers', '44', '--projects', '90', '--proposals', '6', '--seed', '3'];
    const args = ['dist/main.js', 'sandbox', 'seed', ...words, '--countries', COUNTRIES.join(','), '--images'];
    const env = { ...process.env, LC_ALL: 'tr_TR.UTF-8', TZ: 'Pacific/Chatham' };
    const elsewhere = execFileSync(process.execPath, args, { cwd: ROOT, env, encoding: 'utf8', maxBuffer: 1e8 });
    expect(elsewhere === writeCompany()).toBe(true);
    expect(elsewhere === writeCompany({ seed: 4 })).toBe(false);
  });

  sweep('has names in nine scripts, most of them in their home countries', () => {
    const { users } = readCompany({ users: 440 });
    const countIn = (country: string, script: string): number =>
      users.filter(({ country: at, name }) => at === country && new RegExp(`\\p{Script=${script}}`, 'u').test(name))
        .length;
    const homes = {
      gr: 'Greek',
      ua: 'Cyrillic',
      eg: 'Arabic',
      il: 'Hebrew',
      in: 'Devanagari',
      cn: 'Han',
      kr: 'Hangul',
    };
    for (const [country, script] of Object.entries(homes)) {
      const people = users.filter((user) => user.country === country).length;
      expect([script, countIn(country, script) * 2 > people]).toEqual([script, true]);
    }
    expect(users.some(({ name }) => /\p{Script=Hiragana}/u.test(name))).toBe(true);
    expect(users.some(({ name }) => /[æøåÆØÅ]/.test(name))).toBe(true);
    expect(new Set(users.map(({ email }) => email)).size).toBe(users.length);
    expect(users.filter(({ email }) => !/^[a-z.]+\d*@example\.com$/.test(email))).toEqual([]);
  });

  it('creates the same people one by one as all together', () => {
    const countries = readCountries(COUNTRIES);
    const options = { seed: 3, countries, findPhrases: readLanguages(countries).find };
    const people = buildPeople(220, options);
    const inventPerson = createPersonMaker(options);
    for (const index of [219, 0, 7]) {
      const { email, ...person } = people[index] ?? { email: 'nobody' };
      expect([inventPerson(index), email.replace(/\d*@.*/, '')]).toEqual([person, inventPerson(index).ascii]);
    }
  });

  it('has no two customers with the same name, however many there are', () => {
    const names = [...createCompany({ ...OPTIONS, users: 0, customers: 9_000, projects: 0 }).customers()].map(
      ({ customer_name }) => customer_name.en,
    );
    expect(new Set(names).size).toBe(9_000);
  });

  it('gives each owner of a project an experience in it, for that customer and within its time', () => {
    const { users, customers } = readCompany();
    const byEmail = new Map(users.map((user) => [user.email, user]));
    const month = (body: Readonly<Record<string, unknown>>, end: 'from' | 'to'): number =>
      body[`year_${end}`] === undefined
        ? THIS_MONTH
        : Number(body[`year_${end}`]) * 12 + Number(body[`month_${end}`]) - 1;
    const parts = customers.flatMap((customer) =>
      customer.projects.flatMap((project) =>
        project.owners.map((email) => {
          const experiences = byEmail.get(email)?.cv?.sections.project_experiences ?? [];
          return experiences.filter(
            (experience) =>
              (experience.customer as { readonly en: string }).en === customer.customer_name.en &&
              (experience.description as { readonly en: string }).en ===
                (project.project_name as { readonly en: string }).en &&
              month(experience, 'from') >= month(project, 'from') &&
              month(experience, 'to') <= month(project, 'to'),
          ).length;
        }),
      ),
    );
    expect(parts.length).toBeGreaterThan(90);
    expect(parts.filter((count) => count === 0)).toEqual([]);
  });

  sweep('loads, and every answer about it matches the client and the OpenAPI document', async () => {
    const sandbox = await createSandbox({ fixture: JSON.parse(writeCompany({ users: 66 })) as FixtureInput });
    closeAfterTest(sandbox);
    const answers: Promise<void>[] = [];
    const { reader } = createTalentService({
      baseUrl: sandbox.url,
      apiKey: COMPANY_KEY,
      fetch: async (url, init) => {
        const response = await fetch(url, init);
        const copy = response.clone();
        answers.push(
          copy.json().then((body) => {
            const { method, route, status } = sandbox.calls().at(-1) ?? { method: '', route: '', status: 0 };
            expectDescribed({ method, route, status, body });
          }),
        );
        return response;
      },
    });
    const users = [];
    for await (const page of reader.users.search()) users.push(...page.users);
    expect(users).toHaveLength(66);
    expect(users.filter(({ deactivated }) => deactivated).length).toBeGreaterThan(0);
    for (const user of users)
      expect(await reader.cvs.get({ userId: user.id, cvId: user.default_cv_id ?? '' })).not.toBeNull();
    const customers = [];
    for await (const page of reader.customers.list()) customers.push(...page);
    expect(customers).toHaveLength(44);
    let projects = 0;
    for (const { id } of customers) projects += (await reader.projects.list(id))?.length ?? 0;
    expect(projects).toBe(90);
    const proposals = [];
    for await (const page of reader.proposals.list()) proposals.push(...page);
    expect(proposals).toHaveLength(6);
    for (const { id } of proposals) expect((await reader.proposals.listCvs(id)).length).toBeGreaterThan(0);
    await Promise.all(answers);
    expect(answers.length).toBeGreaterThan(100);
  });

  it('has the same phrases in every language', () => {
    const shapeOf = (value: unknown): unknown => {
      if (typeof value === 'string') return value.trim() === '' ? 'blank' : 'text';
      if (Array.isArray(value)) return value.map(shapeOf);
      return Object.fromEntries(Object.entries(value as object).map(([key, one]) => [key, shapeOf(one)]));
    };
    const read = (file: string): unknown => shapeOf(JSON.parse(readFileSync(join(LANGUAGES, file), 'utf8')));
    const files = readdirSync(LANGUAGES);
    expect(files).toHaveLength(15);
    for (const file of files) expect([file, read(file)]).toEqual([file, read('en.json')]);
    expect(JSON.stringify(read('en.json'))).not.toContain('blank');
  });
});

describe('sandbox seed', () => {
  sweep(
    '--dir makes a folder for a first plan, with a week of changes, and nothing to do after applying them',
    async () => {
      const folder = join(makeFolder(), 'company');
      const made = await perform(
        'sandbox',
        'seed',
        '--countries',
        'no,at,de,jp',
        '--users',
        '90',
        '--cvs',
        'none',
        '--dir',
        folder,
      );
      expect([made.exitCode, made.stderr]).toEqual([0, '']);
      expect(made.stdout).toContain('90 people, 40 customers, 120 projects, 12 proposals');
      const fixture = JSON.parse(readFileSync(join(folder, 'account.json'), 'utf8')) as FixtureInput;
      const sandbox = await createSandbox({ fixture, port: 0 });
      closeAfterTest(sandbox);
      const config = join(folder, 'talent-sync.yaml');
      const service = 'service.yaml';
      const text = readFileSync(config, 'utf8').replace('http://127.0.0.1:8080', sandbox.url);
      expect(text).toContain(`de: 'hr.country in ["AT", "DE"] ?`);
      writeFileSync(join(folder, service), text);
      const plan = await perform('plan', '--config', join(folder, service));
      expect([plan.exitCode, plan.stderr]).toEqual([0, '']);
      expect(plan.stdout).toContain('+ create      2 users, 2 projects');
      const apply = await perform('apply', '--config', join(folder, service));
      expect([apply.exitCode, apply.stderr]).toEqual([0, '']);
      const again = await perform('plan', '--config', join(folder, service));
      expect(again.stdout).toContain('nothing to change: both sides are equal');
    },
  );

  it('rejects a folder that is not empty, and an unknown country', async () => {
    const folder = makeFolder();
    mkdirSync(join(folder, 'something'));
    const full = await perform('sandbox', 'seed', '--dir', folder);
    expect([full.exitCode, full.stderr]).toEqual([1, expect.stringContaining('The folder is not empty: something.')]);
    const unknown = await perform('sandbox', 'seed', '--countries', 'no,xx');
    expect([unknown.exitCode, unknown.stdout]).toEqual([1, '']);
    expect(unknown.stderr).toContain('Use one or more of no, se, dk,');
  });

  it('--out writes the fixture to a file', async () => {
    const file = join(makeFolder(), 'company.json');
    const made = await perform('sandbox', 'seed', '--users', '30', '--customers', '0', '--cvs', 'short', '--out', file);
    expect(made.stdout).toBe(`30 people, 0 customers, 0 projects, 12 proposals: ${file}\n`);
    expect(parseFixture(JSON.parse(readFileSync(file, 'utf8')), file).users).toHaveLength(30);
  });
});
