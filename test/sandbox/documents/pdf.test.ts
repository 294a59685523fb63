import { describe, expect, test } from 'vitest';
import { sweep } from '../../depth.js';
import { openConsultancy } from './open-consultancy.js';
import { readPdf, squeeze } from './read-files.js';

describe('a CV as PDF', () => {
  test('is tagged, has title and language, and reads in order from the name to the last section', async () => {
    const { downloadCv } = await openConsultancy();
    const { status, headers, bytes } = await downloadCv('anna', 'en', 'pdf');
    expect([status, headers.get('content-type')]).toEqual([200, 'application/pdf']);
    expect(headers.get('content-disposition')).toBe('attachment; filename="Anna_Asen.pdf"');
    const pdf = await readPdf(bytes);
    expect(pdf).toMatchObject({ title: 'Anna Åsen – Lead engineer', language: 'en', isTagged: true });
    expect(pdf.roles).toEqual(
      expect.arrayContaining(['Document', 'H1', 'H2', 'H3', 'P', 'L', 'LI', 'Lbl', 'LBody', 'Figure']),
    );
    expect(pdf.alternatives).toEqual(expect.arrayContaining(['Anna Åsen', 'The dam, seen from the east', 'A gate']));
    const order = [
      ...['Anna Åsen', 'Lead engineer', 'Summary', 'Engineer with eighteen years', 'Skills', 'TypeScript (7 yrs)'],
      ...['Projects', 'Fjord dam control', 'Mar 2021 – present', 'Fjord Power · Energy'],
      ...['Cut the time to answer an alarm from 90 to 12 seconds', '12,500,000 NOK', 'SCADA · IEC 61850'],
      ...['Role', 'Lead engineer', 'Work experience', 'Acme', 'Education'],
      ...['MSc, cybernetics', '2001 – 2006', 'Certifications', 'valid until May 2025', 'Languages', 'mother tongue'],
    ];
    let at = -1;
    for (const words of order) {
      const found = pdf.text.indexOf(squeeze(words), at + 1);
      expect([words, found > at]).toEqual([words, true]);
      at = found;
    }
  });

  sweep('omits disabled content and customers with anonymized names', async () => {
    const { downloadCv } = await openConsultancy();
    const { text } = await readPdf((await downloadCv('anna', 'en', 'pdf')).bytes);
    expect(text).toContain(squeeze('A ministry'));
    for (const hidden of ['Ministry of Secrets', 'keeps the secrets', 'Hidden project']) {
      expect(text).not.toContain(squeeze(hidden));
    }
  });

  sweep('has prose only in the requested language, and names in any', async () => {
    const { downloadCv } = await openConsultancy();
    const { text, language } = await readPdf((await downloadCv('anna', 'no', 'pdf')).bytes);
    expect(language).toBe('no');
    for (const said of [
      'Sjefingeniør',
      'Ledet moderniseringen',
      'Et departement',
      'Prosjekter',
      'mars 2021 – nå',
      'Fjord Power',
    ]) {
      expect(text).toContain(squeeze(said));
    }
    expect(text).not.toContain(squeeze('Led the modernisation'));
    expect(text).not.toContain(squeeze('Calm when the river'));
  });

  sweep('reads from the right in Arabic and Hebrew, and copies as its original text', async () => {
    const { downloadCv } = await openConsultancy();
    const arabic = await readPdf((await downloadCv('anna', 'ar', 'pdf')).bytes);
    expect(arabic).toMatchObject({ title: 'آنا أوسن – كبيرة المهندسين', language: 'ar' });
    for (const said of [
      'كبيرة المهندسين',
      'التحكم في سد الفيورد',
      'من أول ورشة عمل مع المشغلين حتى آخر اختبار قبول',
      'لأربع عشرة بوابة',
      'المشاريع',
      'سنة الميلاد',
    ]) {
      expect(arabic.text).toContain(squeeze(said));
    }
    expect(arabic.edgeOf('المشاريع')).toBeGreaterThan(arabic.pageWidth / 2);
    // The end of a line is at the left.
    expect(arabic.edgeOf('2021')).toBeLessThan(arabic.pageWidth / 2);
    const hebrew = await readPdf((await downloadCv('anna', 'he', 'pdf')).bytes);
    for (const said of ['אנה אוסן', 'מהנדסת ראשית', 'בקרת סכר הפיורד', 'פרויקטים'])
      expect(hebrew.text).toContain(squeeze(said));
    expect(hebrew.edgeOf('פרויקטים')).toBeGreaterThan(hebrew.pageWidth / 2);
  });

  sweep.each([
    ['hi', 'मुख्य अभियंता', 'चौबीस द्वारों वाले जलविद्युत संयंत्र की नियंत्रण प्रणाली के आधुनिकीकरण का नेतृत्व किया।'],
    ['zh', '首席工程师', '九人团队在电站持续运行的情况下更换了十四座闸门的遥测设备。'],
    ['uk', 'Головна інженерка', 'Керувала модернізацією системи керування гідроелектростанції'],
    ['el', 'Επικεφαλής μηχανικός', 'Ηγήθηκε του εκσυγχρονισμού του συστήματος ελέγχου'],
  ])('shows and returns %s', async (language, title, prose) => {
    const { downloadCv } = await openConsultancy();
    const { headers, bytes } = await downloadCv('anna', language, 'pdf');
    const { text } = await readPdf(bytes);
    expect(headers.get('x-missing-scripts')).toBe(null);
    expect(text).toContain(squeeze(title));
    expect(text).toContain(squeeze(prose));
  });

  test('names a script without a font instead of showing boxes', async () => {
    const { downloadCv } = await openConsultancy();
    const { status, headers, bytes } = await downloadCv('somchai', 'en', 'pdf');
    expect([status, headers.get('x-missing-scripts')]).toEqual([200, 'Thai']);
    const disposition = /^attachment; filename="cv-\w+\.pdf"; filename\*=UTF-8''%E0%B8%AA/;
    expect(headers.get('content-disposition')).toMatch(disposition);
    const { text } = await readPdf(bytes);
    expect(text).toContain(squeeze('[Thai]Surveyor'));
    expect(text).toContain(squeeze('Not shown, because no font has it: Thai'));
  });

  sweep('is identical for an unchanged record', async () => {
    const { downloadCv } = await openConsultancy();
    const first = await downloadCv('bo', 'en', 'pdf');
    expect((await downloadCv('bo', 'en', 'pdf')).bytes.equals(first.bytes)).toBe(true);
  });

  sweep('continues over many pages', async () => {
    const projects = Array.from({ length: 20 }, (_, index) => ({
      description: { en: `Project number ${index}` },
      long_description: { en: 'It was done in time and within its means. '.repeat(12) },
    }));
    const { downloadCv } = await openConsultancy({
      countries: [{ code: 'no', native_language_code: 'no', offices: [{ name: 'Oslo' }] }],
      keys: [{ key: 'admin', name: 'Admin', role: 'internationalmanager' }],
      users: [
        {
          email: 'long@example.com',
          name: 'Long',
          country: 'no',
          office: 'Oslo',
          cv: { sections: { project_experiences: projects } },
        },
      ],
    });
    const { text } = await readPdf((await downloadCv('long', 'en', 'pdf')).bytes);
    const found = projects.map(({ description }) => text.indexOf(squeeze(description.en)));
    expect(found).toEqual([...found].sort((a, b) => a - b));
    expect(text).toMatch(/Long·1\/[34]/);
  });
});

describe('a template', () => {
  test.each([
    ['the office', 'anna', 'Acme Oslo', 595],
    ['the country', 'sven', 'Acme Sweden', 612],
    ['the account', 'bo', 'Acme Consulting · Oslo', 595],
  ])('comes from %s', async (_, who, footer, width) => {
    const { downloadCv } = await openConsultancy();
    const { text, pageWidth } = await readPdf((await downloadCv(who, 'en', 'pdf')).bytes);
    expect(text).toContain(squeeze(footer));
    expect(Math.round(pageWidth)).toBe(width);
  });

  test('is chosen by id, with 404 for an unknown one', async () => {
    const { downloadCv } = await openConsultancy();
    const { bytes } = await downloadCv('anna', 'en', 'pdf', 'country-look');
    expect((await readPdf(bytes)).text).toContain(squeeze('Acme Sweden'));
    expect((await downloadCv('anna', 'en', 'pdf', 'no-look')).status).toBe(404);
  });
});

describe('a reference project as PDF', () => {
  sweep('shows facts according to their sensitivity, and omits notes and disabled content', async () => {
    const { downloadProject } = await openConsultancy();
    const { text, title } = await readPdf((await downloadProject('en', 'pdf')).bytes);
    expect(title).toBe('A dam that answers – Fjord Power');
    for (const said of [
      '1,200 m3',
      'Contract Several million',
      'Norway',
      'The plant could not stop.',
      'SCADA · Hydrology',
      'https://fjord.example/press',
    ]) {
      expect(text).toContain(squeeze(said));
    }
    for (const hidden of ['Margin', '7,654,321', '7654321', 'A challenge kept out', 'pays late', 'Draft']) {
      expect(text).not.toContain(squeeze(hidden));
    }
  });

  test("comes from a proposal's own copy if requested there", async () => {
    const { read, fetchFile } = await openConsultancy();
    const [offer] = await read<{ readonly _id: string }[]>('/api/v1/all_offers');
    const [reference] = await read<{ readonly id: string }[]>(`/api/v1/offers/${offer?._id}/references`);
    const path = `/api/v1/proposal_reference_projects/download/ar/proposals/${offer?._id}/reference_projects/${reference?.id}`;
    const { text, language } = await readPdf((await fetchFile(`${path}/pdf/account-look`)).bytes);
    expect(language).toBe('ar');
    expect(text).toContain(squeeze('سد يستجيب'));
    expect(text).toContain(squeeze('عدة ملايين'));
  });
});
