import { describe, expect, test } from 'vitest';
import { sweep } from '../../depth.js';
import { openConsultancy } from './open-consultancy.js';
import { unzip } from './read-files.js';
import { SIX_CONSULTANTS } from './six-consultants.js';

const textOf = (xml = ''): string =>
  [...xml.matchAll(/<(?:w|a):t(?: [^>]*)?>([^<]*)</g)].map(([, text]) => text).join('');

describe('a CV as Word document', () => {
  test('has headings, lists, pictures with descriptions, and the content of the record', async () => {
    const { downloadCv } = await openConsultancy();
    const { status, headers, bytes } = await downloadCv('anna', 'en', 'docx');
    expect([status, headers.get('content-type')]).toEqual([
      200,
      'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
    ]);
    const files = unzip(bytes);
    const body = files.get('word/document.xml') ?? '';
    expect(files.get('docProps/core.xml')).toContain('<dc:title>Anna Åsen – Lead engineer</dc:title>');
    expect(files.get('word/styles.xml')).toContain('w:val="en"');
    expect(body.match(/"Heading1"/g)).toHaveLength(8);
    expect(body.match(/<w:numPr>/g)).toHaveLength(3);
    expect(body).toContain('descr="The dam, seen from the east"');
    expect([...files.keys()].filter((name) => name.startsWith('word/media/')).length).toBeGreaterThanOrEqual(3);
    const text = textOf(body);
    expect(text).toContain('A ministry');
    expect(text).not.toContain('Ministry of Secrets');
    expect(text.indexOf('Projects')).toBeLessThan(text.indexOf('Education'));
    expect(body).not.toContain('<w:bidi/>');
  });

  sweep('keeps headings and introductions with what follows, and pictures with what they follow', async () => {
    const { downloadCv } = await openConsultancy(SIX_CONSULTANTS);
    const files = unzip((await downloadCv('nora', 'no', 'docx')).bytes);
    const body = files.get('word/document.xml') ?? '';
    const paragraphs = body.slice(body.indexOf('>Prosjekter<')).match(/<w:p>.*?<\/w:p>/g) ?? [];
    const isPicture = (paragraph = ''): boolean => paragraph.includes('<w:drawing>');
    const isLastBefore = (index: number): boolean => isPicture(paragraphs[index + 1]) && !isPicture(paragraphs[index]);
    const isCaption = (index: number): boolean => isPicture(paragraphs[index - 1]);
    const kept = paragraphs.filter(
      (one, index) => textOf(one).endsWith(':') || (isLastBefore(index) && !isCaption(index)),
    );
    expect(kept.length).toBeGreaterThan(40);
    expect(kept.filter((one) => !one.includes('<w:keepNext/>')).map(textOf)).toEqual([]);
    expect(files.get('word/styles.xml')).toMatch(/"Heading2".*?<w:keepNext\/>/);
  });

  test('in Arabic every paragraph begins at the right, and Arabic runs say so', async () => {
    const { downloadCv } = await openConsultancy();
    const files = unzip((await downloadCv('anna', 'ar', 'docx')).bytes);
    const body = files.get('word/document.xml') ?? '';
    expect(body.match(/<w:bidi\/>/g)?.length).toBe(body.match(/<w:p>/g)?.length);
    expect(body).toMatch(/<w:rtl\/>.*?<w:t[^>]*>كبيرة المهندسين</);
    expect(textOf(body)).toContain('قادت تحديث نظام التحكم');
  });
});

describe('a CV as slides', () => {
  test('has a title on every slide, the content of the record, and pictures', async () => {
    const { downloadCv } = await openConsultancy();
    const { status, headers, bytes } = await downloadCv('anna', 'en', 'pptx');
    expect([status, headers.get('content-type')]).toEqual([
      200,
      'application/vnd.openxmlformats-officedocument.presentationml.presentation',
    ]);
    const files = unzip(bytes);
    const slides = [...files.keys()].filter((name) => /^ppt\/slides\/slide\d+\.xml$/.test(name));
    expect(slides.length).toBeGreaterThanOrEqual(3);
    for (const name of slides) {
      expect(files.get(name)).toContain('type="title"');
      // A paragraph has its properties once, before its runs.
      expect(files.get(name)).not.toContain('</a:r><a:pPr');
    }
    const text = slides.map((name) => textOf(files.get(name))).join('\n');
    for (const said of ['Anna Åsen', 'Lead engineer', 'Fjord dam control', 'A ministry', 'MSc, cybernetics']) {
      expect(text).toContain(said);
    }
    expect(text).not.toContain('Ministry of Secrets');
    expect(files.get('docProps/core.xml')).toContain('Anna Åsen – Lead engineer');
    expect(slides.map((name) => files.get(name)).join()).toContain('descr="A gate"');
  });

  test('starts Arabic paragraphs at the right', async () => {
    const { downloadProject } = await openConsultancy();
    const files = unzip((await downloadProject('ar', 'pptx')).bytes);
    const slide = files.get('ppt/slides/slide1.xml') ?? '';
    expect(slide).toContain('سد يستجيب');
    expect(slide).not.toMatch(/<a:pPr(?! rtl="1")[^>]*><a:(?:spc|bu)/);
    expect(slide).toMatch(/<a:pPr rtl="1"[^>]*algn="r"/);
  });
});
