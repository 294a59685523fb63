import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createDraft } from '../base/new-file.js';
import { COMPANY_KEY, type Company, createCompany } from '../sandbox/company/company.js';
import type { CompanyOptions } from '../sandbox/company/company-plan.js';
import { advanceWeek } from '../sandbox/company/people.js';
import { writeCompanies, writeDeals, writeHrFile } from '../sandbox/company/source-files.js';
import { writeFixture } from '../sandbox/company/write-fixture.js';
import { type Console, printing } from './context.js';
import { quoteWord } from './demo/narrator.js';
import { claimFolder, writeCommand } from './demo/workplace.js';
import { printPiece } from './print.js';

export interface SeedFlags extends Omit<CompanyOptions, 'proposals'> {
  /** Number of proposals; by default one for every ten projects. */
  readonly proposals?: number;
  /** `-` for stdout. */
  readonly out: string;
  readonly dir?: string;
}

const CONFIG = fileURLToPath(new URL('../../config/company/talent-sync.yaml', import.meta.url));
/** Deals that are not projects in the service yet. */
const NEW_DEALS = 2;
const PUBLIC = 0o644;

/** `sandbox seed`: generates a company as a fixture, or as a folder with its sources and a configuration. */
export async function runSandboxSeed(console: Console, flags: SeedFlags): Promise<void> {
  await printing(console, false, async () => {
    const company = createCompany({ ...flags, proposals: flags.proposals ?? Math.ceil(flags.projects / 10) });
    if (flags.dir !== undefined) return { json: null, text: await writeFolder(company, flags.dir) };
    if (flags.out !== '-') {
      saveFile(flags.out, writeFixture(company));
      return { json: null, text: `${companyText(company)}: ${flags.out}\n` };
    }
    for (const piece of gather(writeFixture(company))) await printPiece(console.stdout, piece);
    return null;
  });
}

/** Writes the current account, its sources one week later, and a configuration that connects them. */
async function writeFolder(company: Company, wanted: string): Promise<string> {
  const { plan, engagements } = company;
  const folder = await claimFolder(wanted, 'Give a new folder with --dir.');
  const at = (...names: string[]): string => join(folder, ...names);
  for (const name of ['drop/hr', 'drop/crm', 'secrets']) await mkdir(at(name), { recursive: true });
  saveFile(at('account.json'), writeFixture(company));
  const { seed, countries, findPhrases } = plan;
  saveFile(at('drop/hr/employees-1.csv'), writeHrFile(advanceWeek(plan.people, { seed, countries, findPhrases })));
  saveFile(at('drop/crm/companies-1.json'), writeCompanies(company));
  const deals = plan.projects === 0 ? 0 : plan.projects + NEW_DEALS;
  saveFile(at('drop/crm/deals-1.ndjson'), writeDeals(company, deals, engagements.listOwners));
  saveFile(at('secrets/service-key'), [`${COMPANY_KEY}\n`]);
  saveFile(at('talent-sync.yaml'), [await writeConfig(company)]);
  await writeCommand(at('talent-sync'), fileURLToPath(new URL('../main.js', import.meta.url)));
  return renderNext(company, folder);
}

/** Adds titles in the languages of the countries to the English ones. */
async function writeConfig({ plan }: Company): Promise<string> {
  const titles = plan.languages.slice(1).map((language) => {
    const countries = [...plan.countries].filter(([, facts]) => facts.language === language);
    const codes = countries.map(([code]) => `"${code.toUpperCase()}"`).join(', ');
    return `      ${language}: 'hr.country in [${codes}] ? hr.?title_local : optional.none()'\n`;
  });
  const text = await readFile(CONFIG, 'utf8');
  return text.replace('      en: hr.title\n', (line) => `${line}${titles.join('')}`);
}

function renderNext(company: Company, folder: string): string {
  return `${companyText(company)}, and the files of HR and the CRM a week later: ${folder}

Start the talent service in one terminal:
  cd ${quoteWord(folder)}
  ./talent-sync sandbox --fixture account.json --state account.db --port 8080

and plan in another one, in the same folder:
  cd ${quoteWord(folder)}
  ./talent-sync plan
  ./talent-sync apply
`;
}

function companyText({ plan }: Company): string {
  const { people, customers, projects, proposals } = plan;
  const counts = { people: people.length, customers, projects, proposals };
  return Object.entries(counts)
    .map(([name, count]) => `${count} ${name}`)
    .join(', ');
}

function saveFile(file: string, pieces: Iterable<string>): void {
  const draft = createDraft(file, PUBLIC);
  try {
    for (const piece of gather(pieces)) draft.write(piece);
    draft.finish();
  } finally {
    draft.discard();
  }
}

const PIECE = 65_536;

/** Joins small pieces into large ones. */
function* gather(pieces: Iterable<string>): IterableIterator<string> {
  let text = '';
  for (const piece of pieces) {
    text += piece;
    if (text.length < PIECE) continue;
    yield text;
    text = '';
  }
  if (text !== '') yield text;
}
