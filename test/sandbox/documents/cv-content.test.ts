import { describe, expect, test } from 'vitest';
import type { FixtureInput } from '../../../src/sandbox/fixture/fixture.js';
import { oneIn } from '../../depth.js';
import { CONSULTANCY } from './consultancy.js';
import { openConsultancy } from './open-consultancy.js';
import { readPdf, readSlides, squeeze, unzip } from './read-files.js';
import { SIX_CONSULTANTS } from './six-consultants.js';

/** All text of a document, without spaces. */
async function readText(filetype: string, bytes: Buffer): Promise<string> {
  if (filetype === 'pdf') return (await readPdf(bytes)).text;
  if (filetype === 'pptx')
    return squeeze(
      readSlides(bytes)
        .map(({ title, text }) => title + text)
        .join(''),
    );
  const body = unzip(bytes).get('word/document.xml') ?? '';
  return squeeze([...body.matchAll(/<w:t(?: [^>]*)?>([^<]*)</g)].map(([, text]) => text).join(''));
}

describe.each(oneIn(1, ['pdf', 'docx', 'pptx']))('a CV as %s', (filetype) => {
  test('has a project with its customer, its text, its skills and then each role with its own', async () => {
    const { downloadCv } = await openConsultancy(SIX_CONSULTANTS);
    const text = await readText(filetype, (await downloadCv('hanako', 'ja', filetype)).bytes);
    const order = [
      'の刷新',
      'フィヨルド電力 · エネルギー',
      '近代化を統括した',
      '成果：',
      '12秒に短縮した',
      'SCADA · IEC 61850 · C#',
    ];
    const roles = ['主任エンジニア', '全体設計と安全を担当し', '講師', '現地および遠隔で40名'];
    const next = ['上水道更新の入札支援', '官公庁', '技術要件を作成し', 'リスク分析', 'コンサルタント'];
    let at = text.indexOf(squeeze('制御システムの刷新'));
    for (const words of [...order, ...roles, ...next]) {
      const found = text.indexOf(squeeze(words), at);
      expect([words, found]).not.toEqual([words, -1]);
      at = found;
    }
  });

  test('says once who a customer without a name is', async () => {
    const { downloadCv } = await openConsultancy({
      ...CONSULTANCY,
      users: [
        {
          ...{ email: 'kim@example.com', name: 'Kim', country: 'no', office: 'Bergen' },
          cv: {
            sections: {
              project_experiences: [
                {
                  description: { en: 'A new bank' },
                  customer: { en: 'Sparebank' },
                  customer_anonymized: { en: 'Énergy & water', no: 'Energi' },
                  industry: { en: 'energy, WATER', no: 'Kraft' },
                  project_type: { en: 'Energy', no: 'energi' },
                },
              ],
            },
          },
        },
      ],
      proposals: [],
    });
    const text = await readText(filetype, (await downloadCv('kim', 'en', filetype)).bytes);
    expect(text).toContain(squeeze('Énergy'));
    expect(text).not.toMatch(/energy,WATER|Sparebank|Typeofproject/);
  });
});

describe('a template', () => {
  const fixture: FixtureInput = {
    ...CONSULTANCY,
    account: {
      ...CONSULTANCY.account,
      templates: [{ id: 'hiding', hide: ['born_year', 'email', 'telephone'] }, { id: 'plain' }],
    },
  };

  test('leaves out the year of birth, the e-mail address and the telephone number', async () => {
    const { downloadCv, downloadProject } = await openConsultancy(fixture);
    const read = async (template: string) => readText('docx', (await downloadCv('anna', 'en', 'docx', template)).bytes);
    expect(await read('plain')).toContain(squeeze('anna@example.com · +47 22 00 00 00 · Born 1982'));
    expect(await read('hiding')).not.toMatch(/anna@example|\+47|Born|1982/);
    const project = await readText('docx', (await downloadProject('en', 'docx', 'hiding')).bytes);
    expect(project).toContain(squeeze('Plant manager'));
    expect(project).not.toContain('kari@');
  });
});
