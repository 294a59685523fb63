import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { openConsultancy } from '../sandbox/documents/open-consultancy.js';
import { findGallery, GALLERY, openGallery } from '../sandbox/documents/open-gallery.js';
import { squeeze } from '../sandbox/documents/read-files.js';
import { findTool } from '../tools.js';

const run = promisify(execFile);

/** The text that poppler copies out of a PDF, without spaces and the direction marks that it adds. */
async function readText(file: string): Promise<string> {
  const { stdout } = await run(findTool('pdftotext'), ['-layout', file, '-']);
  return squeeze(stdout.replace(/\p{Cf}/gu, ''));
}

function makeFolder(): string {
  return mkdtempSync(join(tmpdir(), 'talent-sync-documents-'));
}

test.each([
  ['en', ['Anna Åsen', 'Fjord dam control', 'Cut the time to answer an alarm from 90 to 12 seconds', 'A ministry']],
  ['ar', ['آنا أوسن', 'كبيرة المهندسين', 'من أول ورشة عمل مع المشغلين حتى آخر اختبار قبول', 'المشاريع']],
  ['he', ['אנה אוסן', 'בקרת סכר הפיורד', 'פרויקטים']],
  ['hi', ['मुख्य अभियंता', 'चौबीस द्वारों वाले जलविद्युत संयंत्र की नियंत्रण प्रणाली के आधुनिकीकरण का नेतृत्व किया।']],
  ['zh', ['首席工程师', '九人团队在电站持续运行的情况下更换了十四座闸门的遥测设备。']],
] as const)('lets poppler copy a CV in %s as written, from a tagged PDF', async (language, said) => {
  const file = join(makeFolder(), 'cv.pdf');
  findTool('pdftotext');
  const { downloadCv } = await openConsultancy();
  writeFileSync(file, (await downloadCv('anna', language, 'pdf')).bytes);
  const text = await readText(file);
  for (const words of said) expect(text).toContain(squeeze(words));
  const { stdout } = await run(join(dirname(findTool('pdftotext')), 'pdfinfo'), [file]);
  expect(stdout).toMatch(/^Tagged:\s+yes$/m);
});

test.each([
  ['docx', 'writer', 'en', ['Anna Åsen', 'Fjord dam control', 'MSc, cybernetics', 'Acme Oslo · Anna Åsen']],
  ['docx', 'writer', 'ar', ['آنا أوسن', 'المشاريع', 'التحكم في سد الفيورد']],
  ['pptx', 'impress', 'en', ['Anna Åsen', 'Fjord dam control', 'MSc, cybernetics']],
  ['pptx', 'impress', 'ar', ['آنا أوسن', 'المهارات', 'سد الفيورد']],
] as const)('opens a CV in LibreOffice as %s by %s in %s', async (type, tool, language, said) => {
  findTool('pdftotext');
  const { downloadCv } = await openConsultancy();
  const text = await readText(await convert(tool, type, (await downloadCv('anna', language, type)).bytes));
  for (const words of said) expect(text).toContain(squeeze(words));
});

test.each([
  ['docx', 'writer'],
  ['pptx', 'impress'],
] as const)(
  'LibreOffice shows pictures upright, in proportion and in their colours in a %s by %s',
  async (type, tool) => {
    findTool('pdftotext');
    const { downloadCv } = await openGallery();
    const pdf = await convert(tool, type, (await downloadCv('painter', 'en', type)).bytes);
    expect(await findGallery(readFileSync(pdf))).toEqual(GALLERY);
  },
);

/** Path of the PDF that LibreOffice makes of a document. */
async function convert(tool: 'writer' | 'impress', type: string, bytes: Buffer): Promise<string> {
  const soffice = join(dirname(findTool(tool)), 'soffice');
  const folder = makeFolder();
  const file = join(folder, `cv.${type}`);
  writeFileSync(file, bytes);
  const profile = `-env:UserInstallation=file://${folder}/profile`;
  await run(soffice, [profile, '--headless', '--convert-to', 'pdf', '--outdir', folder, file]);
  return join(folder, 'cv.pdf');
}
