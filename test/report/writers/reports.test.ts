import { parse } from 'csv-parse/sync';
import { describe, expect, it } from 'vitest';
import { CSV_COLUMNS, renderCsv } from '../../../src/report/writers/csv.js';
import { renderHtml } from '../../../src/report/writers/html.js';
import { renderMarkdown } from '../../../src/report/writers/markdown.js';
import { codeMarkdown, escapeMarkdown } from '../../../src/report/writers/markdown-text.js';
import {
  ADOPTION,
  BOTH,
  BULK_LOAD,
  EVIL,
  hold,
  leaver,
  mover,
  plannedOf,
  planReport,
  TRIP,
  textOfReport,
} from '../sample-report.js';

const SMALL = [
  mover('E2', `Jane | *Doe* <jane@example.com>`),
  leaver('E4', EVIL),
  leaver('E5', '@team <t@example.com>'),
  plannedOf('E6', { label: 'New', fields: ['name'], before: { name: null }, after: { name: '=1+1' } }),
];
const HOLDS = [hold('7', 'SYNC_ROW_FIELDS', 'the row has 13 fields, the header has <12>.')];

describe('the Markdown report', () => {
  it('shows a small plan', async () => {
    const report = await planReport(SMALL, { holds: HOLDS, guards: [TRIP] });
    expect(await textOfReport(renderMarkdown(report))).toMatchInlineSnapshot(`
      "## Plan \`p20261120T080000000Z-abcdef\`: 4 changes, 2 waiting, 1 held

      > **Source hr employees.csv is incomplete: cut &#124; short, so nobody missing from it counts as a leaver.**

      <sub>Created: \`2026-11-20 08:00 UTC\` · Good until: \`2026-11-21 08:00 UTC\` · Configuration: \`/etc/acme.yaml\` · Mirror: \`brought up to date by feed\`</sub>

      | | \`-\` deactivate | \`+\` create | \`~\` update | all |
      |---|--:|--:|--:|--:|
      | users | 2 | 1 | 1 | 4 |

      > **Guard \`users.deactivate\` holds 2 changes: 2 found, 1 allowed**
      >
      > Cause: **source shrank** — the source shrank from 9 rows to 4
      >
      > To approve them, then apply the plan: \`talent-sync approve p20261120T080000000Z-abcdef --guard users.deactivate --reason "…"\`

      <details><summary>Held: 1 user SYNC_ROW_FIELDS</summary>

      Correct the row.

      | Record | Why | Where |
      |---|---|---|
      | \`user 7\` | The row has 13 fields, the header has &#60;12&#62;. | \`hr employees.csv:7\` |

      </details>

      <details><summary>users to deactivate (2), waits for users.deactivate</summary>

      | Who or what | What changes | Why | Where | State |
      |---|---|---|---|---|
      | \`</script><img src=x onerror="document.title=1">\` | deactivated: \`false\` → \`true\` | missing from 3 complete reads of hr |  | waiting for users.deactivate |
      | \`@team <t@example.com>\` | deactivated: \`false\` → \`true\` | missing from 3 complete reads of hr |  | waiting for users.deactivate |

      </details>

      <details><summary>users to create (1)</summary>

      | Who or what | What changes | Why | Where | State |
      |---|---|---|---|---|
      | \`New\` | name: \`=1+1\` | in hr, not in the service | \`hr employees.csv:2\` |  |

      </details>

      <details><summary>users to update (1)</summary>

      | Who or what | What changes | Why | Where | State |
      |---|---|---|---|---|
      | \`Jane \\| *Doe* <jane@example.com>\` | title.en: \`Consultant\` → \`\` Senior \\| \`Consultant\` \`\`<br>office: \`se/Malmö\` → \`no/Oslo\` | title, office changed in hr | \`hr employees.csv:2\` |  |

      </details>

      <details><summary>Evidence: what was read</summary>

      | Source | File or address | Read at | Rows | Unreadable rows | Complete |
      |---|---|---|--:|--:|---|
      | \`hr\`<br>decides users | \`/drop/employees.csv\`<br>SHA-256 \`ab12\` | 2026-11-20 07:59 UTC | 4 | 1 | **incomplete**<br>cut &#124; short |

      The mirror contained: users all 9, active 8.

      </details>

      <details><summary>Calls and time</summary>

      Forecast for the changes: 3 writes and 1 read, about 2 s. Reading both sides takes further calls.

      | Endpoint | Forecast |
      |---|--:|
      | \`GET /x\` | 1 |
      | \`PUT /api/v1/users/{user_id}\` | 3 |

      </details>

      "
    `);
  });

  it('shows values for each source, waiting changes, due deliveries, and values that count as equal', async () => {
    const text = await textOfReport(renderMarkdown(await planReport(SMALL, BOTH)));
    expect(text.split('\n')[0]).toContain('4 changes, 2 records to hr, 1 record to crm.deals, 3 waiting');
    expect(text.slice(text.indexOf('| Source | Records'), text.indexOf('<details>'))).toMatchInlineSnapshot(`
      "| Source | Records | Values | Columns | Forecast | State |
      |---|--:|--:|---|---|---|
      | \`hr\` | 2 | 4 | \`phone\` 2, \`talent_id\` 2 | 1 file | 1 waiting for sources.hr.overwrite |
      | \`crm.deals\` | 1 | 2 | \`phone\` 1, \`talent_id\` 1 |  |  |

      \`hr\` shows \`phone\` in another format, which counts as equal and is not sent again: 2 records, such as E7, &#60;/script&#62;&#60;img src=x onerror="document.title=1"&#62;.

      | Delivery | Type | Time | State | Details |
      |---|---|---|---|---|
      | \`people\` | cv user\\_report | 2026-11-20 06:00 UTC | due | delivered by the next run: 5 calls; 1 earlier one missed |

      "
    `);
    expect(
      text.slice(text.indexOf('<details><summary>to hr'), text.indexOf('<details><summary>Evidence')),
    ).toMatchInlineSnapshot(`
      "<details><summary>to hr (2), waits for sources.hr.overwrite</summary>

      | Who or what | What changes | Why | Where | State |
      |---|---|---|---|---|
      | \`E2\` \`Jane \\| *Doe* <jane@example.com>\` | phone: \`+47 1\` → \`+47 2\`<br>talent\\_id: *(empty)* → \`known after apply\` | telephone changed in the service | \`hr employees.csv:2\` |  |
      | \`E4\` \`</script><img src=x onerror="document.title=1">\` | phone: \`+47 1\` → \`+47 2\`<br>talent\\_id: *(empty)* → \`known after apply\` | telephone changed in the service | \`hr employees.csv:4\` | waiting for sources.hr.overwrite |

      </details>

      <details><summary>to crm.deals (1)</summary>

      | Who or what | What changes | Why | Where | State |
      |---|---|---|---|---|
      | \`D9\` \`A deal\` | phone: \`+47 1\` → \`+47 2\`<br>talent\\_id: *(empty)* → \`known after apply\` | telephone changed in the service | \`crm.deals deals.ndjson:9\` |  |

      </details>

      "
    `);
  });

  it('for a first load, shows adopted users and people of the file before the changes', async () => {
    const report = await planReport(SMALL, { adoption: [ADOPTION], bulkLoad: BULK_LOAD, guards: [TRIP] });
    const text = await textOfReport(renderMarkdown(report));
    expect(text.slice(text.indexOf('### First'), text.indexOf('<details><summary>users to'))).toMatchInlineSnapshot(`
      "### First contact: 181 users of the service match and are managed from now on

      Matched: 120 by \`external_unique_id\`, 61 by \`email\`. 102 of them are equal, and 79 differ.

      **3 doubtful matches are held: see what is held.**

      <details><summary>Differences: 2 fields</summary>

      | Field | Pairs | For example |
      |---|--:|---|
      | title | 70 | \`Jane <j@example.com>\`<br>title.en: \`Consultant\` → \`Senior <b>\`<br>title.no: *(empty)* → \`A\\|B\` |
      | telephone | 9 |  |

      </details>

      <details><summary>Only in the source: 7, to be created</summary>

      - \`Kari <k@example.com>\`
      - \`</script><img src=x onerror="document.title=1">\`
      - … and 5 more

      </details>

      ### 18 people are created by one CSV import, setting "hr"

      | People | Why | For example |
      |---|---|---|
      | 4 by separate calls | title: no is not &#124; in it | \`A <a@x>, B <b@x>, …\` |

      "
    `);
    expect(text.indexOf('**Guard')).toBeLessThan(text.indexOf('### First'));
  });

  it('fits a comment, and counts what it leaves out', async () => {
    const many = Array.from({ length: 3_000 }, (_, i) => mover(`E${i}`, `Person ${i} ${'x'.repeat(300)}`));
    const text = await textOfReport(renderMarkdown(await planReport([...many, leaver('E4', 'Leaver')])));
    expect(text.length).toBeLessThan(65_536);
    expect(text).toMatch(/… and 2\d{3} more: the HTML and CSV reports list them\./);
    expect(text.indexOf('to deactivate')).toBeLessThan(text.indexOf('to update'));
  });

  it('escapes all markup in the data', () => {
    expect(escapeMarkdown('a|b `c` <i> *d* [e](f) #1 & @team jane@x')).toBe(
      'a&#124;b &#96;c&#96; &#60;i&#62; \\*d\\* \\[e\\](f) \\#1 &#38; @<!-- -->team jane@x',
    );
    expect(codeMarkdown('a`b')).toBe('``a`b``');
    expect(codeMarkdown('`')).toBe('`` ` ``');
    expect(codeMarkdown('a|b\nc')).toBe('`a\\|b\\nc`');
  });
});

describe('the CSV report', () => {
  it('has one row per changed field, and keeps formulas as text', async () => {
    const text = await textOfReport(renderCsv(await planReport(SMALL), { bom: false }));
    const rows = parse(text, { columns: true }) as Readonly<Record<string, string>>[];
    expect(Object.keys(rows[0] ?? {})).toEqual([...CSV_COLUMNS]);
    expect(
      rows.map(({ key, field, before, after, state, about }) => [key, field, before, after, state, about]),
    ).toEqual([
      ['E2', 'title.en', 'Consultant', 'Senior | `Consultant`', 'planned', ''],
      ['E2', 'office', 'se/Malmö', 'no/Oslo', 'planned', ''],
      ['E4', 'deactivated', 'false', 'true', 'waits', 'for users.deactivate'],
      ['E5', 'deactivated', 'false', 'true', 'waits', 'for users.deactivate'],
      ['E6', 'name', '', "'=1+1", 'planned', ''],
    ]);
    expect(rows[2]?.label).toBe(EVIL);
    expect(rows[3]?.label).toBe("'@team <t@example.com>");
  });

  it('lists values for the sources after the changes, with their own columns at the end', async () => {
    const text = await textOfReport(renderCsv(await planReport(SMALL, BOTH), { bom: false }));
    const rows = parse(text, { columns: true }) as Readonly<Record<string, string>>[];
    expect(CSV_COLUMNS.slice(-3)).toEqual(['calls', 'to_source', 'record']);
    expect(rows.slice(0, 5).map(({ to_source, record }) => `${to_source}${record}`)).toEqual(['', '', '', '', '']);
    expect(
      rows
        .slice(5)
        .map((row) => [row.entity, row.action, row.key, row.field, row.after, row.state, row.to_source, row.record]),
    ).toEqual([
      ['users', 'tell', 'E2', 'phone', "'+47 2", 'planned', 'hr', 'E2'],
      ['users', 'tell', 'E2', 'talent_id', 'known after apply', 'planned', 'hr', 'E2'],
      ['users', 'tell', 'E4', 'phone', "'+47 2", 'waits', 'hr', 'E4'],
      ['users', 'tell', 'E4', 'talent_id', 'known after apply', 'waits', 'hr', 'E4'],
      ['projects', 'tell', 'D9', 'phone', "'+47 2", 'planned', 'crm.deals', 'D9'],
      ['projects', 'tell', 'D9', 'talent_id', 'known after apply', 'planned', 'crm.deals', 'D9'],
      ['reports', 'deliver', 'people', '', '', 'planned', '', ''],
      ['', 'near miss', '', 'phone', '', '', 'hr', ''],
    ]);
    expect(rows.at(-2)?.about).toBe('delivered by the next run: 5 calls; 1 earlier one missed');
    expect(rows.at(-1)?.about).toBe(`2 records, such as E7, ${EVIL}`);
  });

  it('has a row for a change without fields, and starts with a byte order mark if wanted', async () => {
    const report = await planReport([plannedOf('E1', { action: 'update' })]);
    const text = await textOfReport(renderCsv(report, { bom: true }));
    expect(text.startsWith('\uFEFFchange,')).toBe(true);
    expect(parse(text, { bom: true })).toHaveLength(2);
  });

  it('puts an apostrophe before every cell that looks like a formula', async () => {
    for (const sign of ['=', '+', '-', '@', '\t', '\r']) {
      const report = await planReport([plannedOf('E1', { label: `${sign}SUM(A1)` })]);
      expect(await textOfReport(renderCsv(report, { bom: false }))).toContain(`'${sign}SUM(A1)`);
    }
  });
});

describe('the HTML report', () => {
  it('is a single page without requests, with a policy of hashes and no markup from the data', async () => {
    const text = await textOfReport(renderHtml(await planReport(SMALL, { holds: HOLDS, guards: [TRIP] })));
    expect(text).toContain("default-src 'none'; script-src 'sha256-");
    expect(text).not.toMatch(/(src|href)="(?!#)[^"]*"/);
    expect(text).not.toMatch(/ style="| on\w+="/);
    expect(text).not.toContain('<img');
    expect(text.match(/<\/script>/g)).toHaveLength((text.match(/<script[ >]/g) ?? []).length);
    expect(text).toContain('The row has 13 fields, the header has &lt;12&gt;.');
    expect(text).toContain('4 changes, 2 waiting, 1 held');
  });

  it('says if it is truncated, and keeps removals', async () => {
    const report = await planReport([...SMALL.slice(0, 1), ...SMALL.slice(3), ...SMALL.slice(1, 3)]);
    const text = await textOfReport(renderHtml(report, { changes: 2, characters: 1e6, holds: 5 }));
    expect(text).toContain('This page shows the first 2 of 4 changes');
    expect(text).toContain('@team');
    expect(text).not.toContain('Senior | ');
    const short = await textOfReport(renderHtml(report, { changes: 9, characters: 400, holds: 5 }));
    expect(short).toContain('This page shows the first 1 of 4 changes');
  });

  it('shows first contact and first load before the changes, with links to the table', async () => {
    const report = await planReport(SMALL, { adoption: [ADOPTION], bulkLoad: BULK_LOAD });
    const text = await textOfReport(renderHtml(report));
    const [contact, load, changes] = ['id="adoption"', 'id="bulk-load"', 'id="changes"'].map((id) => text.indexOf(id));
    expect([contact, load, changes].toSorted((a = 0, b = 0) => a - b)).toEqual([contact, load, changes]);
    for (const id of ['adoption', 'bulk-load']) expect(text).toContain(`<a href="#${id}">`);
    const words = text.replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' ');
    expect(words).toContain('Matched: 120 by external_unique_id , 61 by email .');
    expect(words).toContain('matched and different 79 matched and equal 102 doubtful 3 only in the source 7');
    expect(words).toContain('title.en Consultant → Senior &lt;b&gt;');
    expect(words).toContain('18 people are created by one CSV import, setting &quot;hr&quot;');
    // A field links to its changes only if the plan has changes of it.
    expect(text).toContain('<a href="#field=users.title">title</a>');
    expect(text).not.toContain('#field=users.telephone');
  });

  it('says why a first load does not go by file', async () => {
    const bulkLoad = { ...BULK_LOAD, people: 0, singly: [], refused: 'it removes <everybody>' };
    const text = await textOfReport(renderHtml(await planReport(SMALL, { bulkLoad })));
    expect(text).toContain('No CSV import: each person is created by a separate call');
    expect(text).toContain('it removes &lt;everybody&gt;');
  });

  it('shows values for each source and due deliveries, with links to the records', async () => {
    const guards = [{ ...TRIP, guard: 'sources.hr.overwrite' }];
    const text = await textOfReport(renderHtml(await planReport(SMALL, { ...BOTH, guards })));
    expect(text).toContain('<a href="#q=sources.hr.overwrite&amp;state=waits">');
    expect(text).toContain('4 changes, 2 records to hr, 1 record to crm.deals, 3 waiting');
    for (const hash of ['entity=to%20hr', 'field=to%20crm.deals.phone', 'entity=to%20hr&amp;state=waits'])
      expect(text).toContain(`<a href="#${hash}"`);
    const words = text.replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' ');
    expect(words).toContain('hr 2 4 phone 2, talent_id 2 1 file 1 waiting for sources.hr.overwrite');
    expect(words).toContain('people cv user_report 2026-11-20 06:00 UTC due delivered by the next run: 5 calls');
    expect(words).toContain('hr shows phone in another format, which counts as equal');
    expect(words).toContain('2 records, such as E7, &lt;/script&gt;');
  });

  it('has a table for a plan with values for the sources only', async () => {
    const text = await textOfReport(renderHtml(await planReport([], BOTH)));
    expect(text).toContain('Nothing to change in the service, 2 records to hr');
    expect(text).toContain('type="module"');
  });

  it('has no table and no script for an empty plan', async () => {
    const text = await textOfReport(renderHtml(await planReport([])));
    expect(text).toContain('Nothing to change');
    expect(text).not.toContain('type="module"');
  });

  it('shows unknown properties of a guard by their names', async () => {
    const trip = { ...TRIP, forecast: { old: { deactivate: 0 }, note: 'as <before>' } };
    const text = await textOfReport(renderHtml(await planReport(SMALL, { guards: [trip] })));
    expect(text).toContain('forecast.old.deactivate');
    expect(text).toContain('as &lt;before&gt;');
  });
});

describe('the owner, the print and the plain form of a report', () => {
  const many = Array.from({ length: 2_001 }, (_, i) => mover(`E${i}`, `Person ${i} <p${i}@example.com>`));

  it('names the tenant in the title and the head', async () => {
    const report = { ...(await planReport(SMALL)), tenant: 'acme (acme.example.com)' };
    const page = await textOfReport(renderHtml(report));
    expect(page).toMatch(/<title>acme \(acme\.example\.com\): Plan p\w+-abcdef: /);
    expect(page).toContain('<p class="kicker">talent-sync, acme (acme.example.com), plan of');
    expect(await textOfReport(renderMarkdown(report))).toMatch(/^## acme \(acme\S*example\S*com\): Plan /);
  });

  it('numbers printed pages, and offers only the summary above 2,000 changes', async () => {
    const page = await textOfReport(renderHtml(await planReport(many)));
    expect(page).toContain('content: "page " counter(page) " of " counter(pages)');
    expect(page).toContain('id="summary-only"');
    expect(await textOfReport(renderHtml(await planReport(SMALL)))).not.toContain('id="summary-only"');
  });

  it('writes unchanged cells for programs', async () => {
    const report = await planReport(SMALL);
    const plain = await textOfReport(renderCsv(report, { bom: false, isPlain: true }));
    expect(plain).toContain(',=1+1,');
    expect(await textOfReport(renderCsv(report, { bom: false }))).toContain(",'=1+1,");
  });
});
