import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { sweep } from '../../depth.js';
import { openConsultancy } from './open-consultancy.js';
import { compareSheets, readSheet, type Shades, writeSheet } from './page-sheet.js';
import { readPdf } from './read-files.js';
import { findRenderers, renderSheets } from './render-sheets.js';
import { CONSULTANTS, SIX_CONSULTANTS } from './six-consultants.js';

const HEADINGS = /^(Projects|Prosjekter|Arbeidserfaring|Utdanning|Språk|Kompetanse|Sammendrag)$/;
const CUSTOMER_LINE = /^\S.* · (Energi|Energy|Transport|Offentlig sektor|Helse|Handel|Bygg og anlegg)$/;

sweep.each(['nora', 'long'] as const)(
  'the pages of the CV of %s end neither in a heading nor in what introduces something',
  async (who) => {
    const { downloadCv } = await openConsultancy(SIX_CONSULTANTS);
    const { pages } = await readPdf((await downloadCv(who, who === 'nora' ? 'no' : 'en', 'pdf')).bytes);
    expect(pages.length).toBeGreaterThan(3);
    for (const [index, { lines, firstRole }] of pages.entries()) {
      const body = lines.filter(({ bottom }) => bottom > 45);
      const last = body.at(-1);
      expect(last?.text).not.toMatch(/[:：]$/u);
      expect(last?.text).not.toMatch(HEADINGS);
      expect(last?.text).not.toMatch(CUSTOMER_LINE);
      // The titles of projects are larger than what is under them.
      expect([index, Math.round(last?.size ?? 0)]).not.toEqual([index, 11]);
      // Text ends well above the foot, which is in small letters.
      expect(last?.bottom).toBeGreaterThan(58);
      expect(lines.at(-1)?.text).toMatch(new RegExp(`${index + 1}/${pages.length}$`));
      // A picture is under the last lines of its project; the first page begins with the logo.
      if (index > 0) expect(firstRole).not.toMatch(/Figure|Caption/);
    }
  },
);

/**
 * Kept pictures of all pages. After a change to the look of documents, write them again with `WRITE_SHEETS=1` and review them. Other
 * releases of the programs draw letters a little differently, so a few cells may be off.
 */
const KEPT = join(import.meta.dirname, 'pages');
const MAY_DIFFER = 0.01;

test('two pictures differ by the lines that moved', () => {
  const draw = (lines: readonly number[]): Shades => {
    const bytes = Buffer.alloc(80 * 80, 255);
    for (const top of lines) bytes.fill(100, 80 * top, 80 * (top + 6));
    return { width: 80, height: 80, bytes };
  };
  const kept = readSheet(writeSheet(draw([8, 24])));
  expect(compareSheets(kept, draw([8, 24]))).toBe(0);
  // A row of ten cells lost its line, and another got it.
  expect(compareSheets(kept, draw([8, 40]))).toBe(0.2);
  expect(compareSheets(kept, { ...draw([]), height: 72 })).toBe(1);
});

sweep.each(['pdf', 'docx', 'pptx'])('all pages of six CVs as %s look as the kept pictures do', async (filetype) => {
  findRenderers(filetype);
  const { downloadCv } = await openConsultancy(SIX_CONSULTANTS);
  const files: Record<string, Buffer> = {};
  for (const [who, language] of CONSULTANTS) files[who] = (await downloadCv(who, language, filetype)).bytes;
  const off: string[] = [];
  for (const [who, sheet] of await renderSheets(filetype, files)) {
    const name = `${who}-${filetype}.png`;
    const file = join(KEPT, name);
    if (process.env.WRITE_SHEETS === '1') writeFileSync(file, writeSheet(sheet));
    const difference = existsSync(file) ? compareSheets(sheet, readSheet(readFileSync(file))) : 1;
    if (difference <= MAY_DIFFER) continue;
    const now = join(tmpdir(), 'talent-sync-pages-now');
    mkdirSync(now, { recursive: true });
    writeFileSync(join(now, name), writeSheet(sheet));
    off.push(`${file}: ${(100 * difference).toFixed(1)} % of it differ from ${join(now, name)}`);
  }
  expect(off).toEqual([]);
});
