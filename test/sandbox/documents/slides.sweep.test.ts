import { expect, test } from 'vitest';
import { CONSULTANCY } from './consultancy.js';
import { NORWEGIAN_PROJECTS } from './norwegian-projects.js';
import { openConsultancy } from './open-consultancy.js';
import { readSlides } from './read-files.js';
import { SIX_CONSULTANTS } from './six-consultants.js';

interface Titled {
  readonly description: { readonly no: string };
  readonly starred?: boolean;
  readonly images?: readonly unknown[];
}

const PROJECTS = NORWEGIAN_PROJECTS as unknown as readonly Titled[];

test('28 projects are on 30 slides at most: one each, two short ones at most', async () => {
  const { downloadCv } = await openConsultancy(SIX_CONSULTANTS);
  const slides = readSlides((await downloadCv('nora', 'no', 'pptx')).bytes);
  expect(slides.length).toBeLessThanOrEqual(30);
  expect(slides.slice(0, 3).map(({ title }) => title)).toEqual(['Nora Åsen', 'Sammendrag', 'Kompetanse']);
  expect(slides.at(-1)?.title).toBe('Arbeidserfaring · Utdanning · Språk');
  const shown = slides.slice(3, -1).map(({ title }) => title.split(' · '));
  expect(Math.max(...shown.map((titles) => titles.length))).toBeLessThanOrEqual(2);
  const titles = PROJECTS.map(({ description }) => description.no);
  const kept = titles.filter((title) => shown.flat().includes(title));
  // In the order of the CV; the oldest are left to it, but for starred ones.
  expect(shown.flat()).toEqual(kept);
  expect(slides.at(-2)?.text).toContain(`Flere prosjekter i CV-en: ${titles.length - kept.length}`);
  expect(kept).toEqual(
    expect.arrayContaining(PROJECTS.filter(({ starred }) => starred).map((one) => one.description.no)),
  );
  expect(kept).not.toContain(titles.at(-1));
  // Each picture is on the slide of its project.
  for (const { description, images = [] } of PROJECTS) {
    const slide = slides.find(({ title }) => title === description.no);
    if (slide) expect([slide.title, slide.pictures]).toEqual([slide.title, Math.min(2, images.length)]);
  }
});

test('a project that is too long for a slide ends in an ellipsis and leaves the rest to the CV', async () => {
  const { downloadCv } = await openConsultancy(SIX_CONSULTANTS);
  const slides = readSlides((await downloadCv('long', 'en', 'pptx')).bytes);
  expect(slides.map(({ title }) => title)).toEqual([
    'Ingrid Lund',
    'Replacement of the control systems of a national grid operator',
  ]);
  const text = slides[1]?.text ?? '';
  expect(text.length).toBeLessThan(1_200);
  for (const said of [
    'Skills: SCADA',
    'Role: Programme architect',
    'Role: Deputy programme manager',
    '…',
    'More in the CV',
  ])
    expect(text).toContain(said);
});

test.each([
  ['layla', 'ar', ['نبذة', 'المهارات', 'التحكم في سد الفيورد', 'مناقصة لتحديث شبكة المياه · إنذار مبكر بالفيضانات']],
  ['wei', 'zh', ['概述', '技能', '峡湾大坝控制系统', '供水管网改造招标 · 洪水预警']],
  ['hanako', 'ja', ['概要', 'スキル', 'フィヨルドダム制御システムの刷新', '上水道更新の入札支援 · 洪水の早期警報']],
] as const)('the slides of %s', async (who, language, titles) => {
  const { downloadCv } = await openConsultancy(SIX_CONSULTANTS);
  const slides = readSlides((await downloadCv(who, language, 'pptx')).bytes);
  expect(slides.slice(1, 5).map(({ title }) => title)).toEqual(titles);
  expect(slides.map(({ pictures }) => pictures).slice(1)).toEqual([0, 0, 1, 0, 0]);
  // The picture is on the side on which the language ends.
  expect(Math.sign((slides[3]?.pictureAt ?? 0) - (slides[3]?.textAt ?? 0))).toBe(language === 'ar' ? -1 : 1);
});

test('somebody without sections has a cover', async () => {
  const { downloadCv } = await openConsultancy(SIX_CONSULTANTS);
  const slides = readSlides((await downloadCv('bare', 'en', 'pptx')).bytes);
  expect(slides.map(({ title }) => title)).toEqual(['Bo Berg']);
});

test('a reference project has all of its text, and its pictures next to it', async () => {
  const { downloadProject } = await openConsultancy(CONSULTANCY);
  const slides = readSlides((await downloadProject('en', 'pptx')).bytes);
  expect(slides.map(({ title, pictures }) => [title, pictures])).toEqual([
    ['A dam that answers', 0],
    ['Introduction', 1],
    ['Key facts · Customer · Description', 0],
    ['Challenge · Solution · Value for the customer …', 0],
  ]);
  expect(slides.map(({ text }) => text).join('')).toContain('Trained 40 operators, on site and remotely');
});
