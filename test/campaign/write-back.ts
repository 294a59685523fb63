import type { SourceWritten } from '../../src/store/audit/events.js';
import { merge, type Yaml } from '../scenarios/company.js';
import type { Story } from '../scenarios/kit.js';
import type { Settings, TableName, Tables } from './history.js';
import type { Holding } from './part.js';
import { folderOf, knownOf, shownOf, type Told, type ToldCells, takeTold } from './told.js';
import { Violation } from './violation.js';

interface Recipient {
  readonly source: string;
  readonly table: TableName;
  /** First word of its objects' names. */
  readonly of: string;
  /** The path that finds an object by its external id in the service. */
  readonly path: string;
  /** The values to write back, if the service has them. */
  cells(found: Found): Readonly<Record<string, string | null | undefined>>;
}

interface Found {
  readonly id: string;
  readonly title?: Readonly<Record<string, string>>;
  readonly customer_description?: Readonly<Record<string, string>>;
  readonly workflow_stage?: string;
}

const RECIPIENTS: readonly Recipient[] = [
  {
    source: 'staff',
    table: 'people',
    of: 'user',
    path: '/api/v1/users',
    cells: ({ id, title }) => ({ talent_id: id, swedish: title?.sv }),
  },
  {
    source: 'crm.companies',
    table: 'companies',
    of: 'customer',
    path: '/api/v2/company/cv/customers',
    cells: ({ id, customer_description: note }) => ({ talent_id: id, note: note?.en }),
  },
  {
    source: 'crm.deals',
    table: 'deals',
    of: 'project',
    path: '/api/v2/company/cv/projects',
    cells: ({ id, workflow_stage: stage }) => ({ talent_id: id, talent_stage: stage }),
  },
];

const OPTIONAL = { type: 'string', optional: true };
const EXPRESSIONS: { readonly [key: string]: Yaml } = {
  users: { write_back: { staff: { talent_id: 'user.id', swedish: 'user.title.?sv' } } },
  customers: {
    write_back: { 'crm.companies': { talent_id: 'customer.id', note: 'customer.customer_description.?en' } },
  },
  projects: { write_back: { 'crm.deals': { talent_id: 'project.id', talent_stage: 'project.workflow_stage' } } },
};

/** Configures write-back: by files for sources with files, otherwise by one call per record. */
export function describeWriteBack({ writesBack, crm }: Settings): { readonly [key: string]: Yaml } {
  if (!writesBack) return {};
  // No source is late: files show what they were sent in the next delivery.
  const byFile = (source: string): Yaml => ({ drop: `./${folderOf(source)}`, lapse: '1000d' });
  const ofStream = (stream: string): Yaml => (crm === 'files' ? byFile(`crm.${stream}`) : true);
  return merge(EXPRESSIONS, {
    sources: {
      staff: { write_back: byFile('staff') },
      crm: {
        streams: {
          companies: { write_back: ofStream('companies'), columns: { talent_id: OPTIONAL, note: OPTIONAL } },
          // Files may be sent a column that they do not show.
          deals: {
            write_back: ofStream('deals'),
            columns: { talent_stage: OPTIONAL, ...(crm === 'files' ? {} : { talent_id: OPTIONAL }) },
          },
        },
      },
    },
  }) as { readonly [key: string]: Yaml };
}

export interface WriteBackCheck {
  /** Checks once a round is quiet, and at its end, when an erasure may have removed entries. */
  check(now: Now, how: { readonly isCalm: boolean; readonly isEnd: boolean }): Promise<number>;
}

interface Now {
  readonly shown: Partial<Tables>;
  readonly after: Holding;
  /** The keys of held records. */
  readonly held: readonly string[];
}

export function createWriteBackCheck(story: Story): WriteBackCheck {
  const all: Told[] = [];
  return {
    async check(now, { isCalm, isEnd }) {
      const told = takeTold(story);
      all.push(...told);
      const needless = told.find(({ isNews }) => isCalm && !isNews);
      if (needless !== undefined)
        throw new Violation('fewest writes', `${needless.source} has it already: ${JSON.stringify(needless)}`);
      if (!isEnd) expectAudited(await listTold(story), { all, told });
      for (const recipient of RECIPIENTS) await expectKept(story, recipient, now);
      return told.length;
    },
  };
}

async function listTold(story: Story): Promise<readonly SourceWritten[]> {
  const { stdout } = await story.type('audit', 'list', '--json');
  const { entries } = JSON.parse(stdout) as { readonly entries: readonly SourceWritten[] };
  return entries.filter(({ kind }) => kind === 'source told');
}

/** Everything recorded as written has arrived, and everything that arrived is recorded. */
function expectAudited(
  entries: readonly SourceWritten[],
  { all, told }: { readonly all: readonly Told[]; readonly told: readonly Told[] },
): void {
  for (const entry of entries)
    if (entry.result === 'done' && !all.some((one) => isOf(entry, one)))
      throw new Violation('audit', `written back, and never arrived: ${JSON.stringify(entry)}`);
  for (const one of told)
    if (!entries.some((entry) => isOf(entry, one)))
      throw new Violation('audit', `arrived, and in no entry: ${JSON.stringify(one)}`);
}

/** A row of a file has the other columns too, as the source shows them. */
function isOf({ source, record, after }: SourceWritten, told: Told): boolean {
  return (
    source === told.source &&
    record === told.record &&
    Object.entries(after as ToldCells).every(([column, cell]) => told.cells[column] === cell)
  );
}

/** Each record that the service is responsible for has the service's values. */
async function expectKept(
  story: Story,
  { source, table, of, path, cells }: Recipient,
  { shown, after, held }: Now,
): Promise<void> {
  for (const key of shown[table]?.keys() ?? []) {
    const facts = after.get(`${of} ${key}`);
    if (facts === undefined || facts.deactivated === true || held.includes(key)) continue;
    const wanted = cells((await story.others('GET', `${path}/find?external_unique_id=${key}`)) as Found);
    const has = knownOf(story, source, key);
    // A value that went to a file and back is sent once the source shows it (docs/guides/write-back.md, When something is
    // sent).
    const shows = shownOf(story, source, key);
    for (const [column, cell] of Object.entries(wanted))
      if (cell && has[column] !== cell && shows[column] !== cell)
        throw new Violation('end state', `${source} ${key}: ${column} is ${has[column]} and should be ${cell}`);
  }
}
