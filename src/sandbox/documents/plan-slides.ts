import { cutTexts } from './cut-texts.js';
import { fillSlides } from './fill-slides.js';
import type { EntryBlock, Paper, PaperSection, Picture } from './paper.js';
import { planProject, showProjects } from './plan-projects.js';
import {
  BODY,
  COLUMN_GAP,
  column,
  HALF,
  listPictures,
  type PlannedSlide,
  showPictures,
  WIDE,
} from './slide-columns.js';
import { estimateHeight, INK, type SlideText, tellBlock, tellEntryHead, tellSection } from './slide-texts.js';

/** Maximum number of slides that a person can present, including the cover. */
const MOST_SLIDES = 30;
/** Maximum number of slides with jobs, schools, courses and other lists. */
const MOST_LISTS = 4;

/** Plans all slides except the cover: a summary, the skills, the projects, and then the other sections. */
export function planSlides(paper: Paper): readonly PlannedSlide[] {
  const sectionsOf = (...kinds: readonly PaperSection['kind'][]): readonly PaperSection[] =>
    paper.sections.filter(({ kind }) => kinds.includes(kind));
  const first = [
    ...sectionsOf('summary').map((section) => planSummary(paper, section)),
    ...sectionsOf('skills').map((section) => planSkills(paper, section)),
  ];
  const last = [...planLists(paper, sectionsOf('list')), ...planTexts(paper, sectionsOf('text'))];
  const entries = sectionsOf('projects').flatMap(({ blocks }) => blocks.filter((block) => block.kind === 'entry'));
  const projects = entries.map((entry) => planProject(paper, entry));
  return [...first, ...showProjects(paper, projects, MOST_SLIDES - 1 - first.length - last.length), ...last];
}

/** Uses the largest text size in which the summary is not shortened. */
function planSummary({ look, language, labels }: Paper, { heading, blocks }: PaperSection): PlannedSlide {
  const tried = [24, 20, 18].map((size) => {
    const told = blocks.flatMap((block) => tellBlock(block, look.accent.slice(1), size));
    return cutTexts(told, BODY.width, BODY.height, language);
  });
  const shown = tried.find(({ isCut }) => !isCut) ?? tried.at(-1);
  const note = shown?.isCut ? labels.moreInCv : '';
  return { title: heading, columns: [column(0, BODY.width, shown?.texts ?? [])], note };
}

/** Lists categories with their skills. If there are many, they are in two columns. */
function planSkills({ look, language, labels }: Paper, { heading, blocks }: PaperSection): PlannedSlide {
  const facts = blocks.flatMap((block) => (block.kind === 'facts' ? block.facts : []));
  const width = facts.length > 3 ? HALF : BODY.width;
  const told = facts.map(({ label, value }) =>
    cutTexts(
      [
        { text: label, size: 16, isBold: true, color: look.accent.slice(1), before: 4, after: 2, keepsNext: true },
        { text: value, size: 20, color: INK, after: 10, isProse: true },
      ],
      width,
      BODY.height / 2,
      language,
    ),
  );
  const heights = told.map(({ texts }) => estimateHeight(texts, width));
  const balanced = heights.reduce((sum, one) => sum + one, 0) / 2 + Math.max(0, ...heights);
  const height = width === HALF ? Math.min(BODY.height, balanced) : BODY.height;
  const filled = fillSlides(
    told.flatMap(({ texts }) => texts),
    { width, height },
  );
  const columns = filled.slice(0, 2).map(({ texts }, index) => column(index * (HALF + COLUMN_GAP), width, texts));
  const isCut = filled.length > columns.length || told.some((one) => one.isCut);
  return { title: heading, columns, note: isCut ? labels.moreInCv : '' };
}

/** Shows entries in a few lines each, on a few slides. */
function planLists(paper: Paper, sections: readonly PaperSection[]): readonly PlannedSlide[] {
  const { look, language, labels } = paper;
  const accent = look.accent.slice(1);
  let isCut = false;
  const tellShort = (entry: EntryBlock): readonly SlideText[] => {
    const prose = cutTexts(
      entry.blocks.flatMap((block) => tellBlock(block, accent)),
      BODY.width,
      0.6,
      language,
    );
    isCut ||= prose.isCut;
    return [...tellEntryHead(entry, accent), ...prose.texts];
  };
  const texts = sections.flatMap(({ heading, blocks }) => [
    tellSection(heading, accent),
    ...blocks.flatMap((block) => (block.kind === 'entry' ? tellShort(block) : tellBlock(block, accent))),
  ]);
  const filled = fillSlides(texts, BODY);
  isCut ||= filled.length > MOST_LISTS;
  return filled.slice(0, MOST_LISTS).map(({ texts: shown, sections: named }, index, all) => ({
    title: nameSlide(named),
    columns: [column(0, BODY.width, dropTitle(shown, named))],
    note: isCut && index === all.length - 1 ? labels.moreInCv : '',
  }));
}

/** Shows entire sections. Those without pictures share slides; others have pictures next to their text. */
function planTexts(paper: Paper, sections: readonly PaperSection[]): readonly PlannedSlide[] {
  const slides: PlannedSlide[] = [];
  let plain: readonly SlideText[] = [];
  const flush = (): void => {
    slides.push(...planText(plain, []));
    plain = [];
  };
  for (const { heading, blocks } of sections) {
    const told = blocks.flatMap((block) => tellBlock(block, paper.look.accent.slice(1)));
    const texts = [tellSection(heading, paper.look.accent.slice(1)), ...told];
    const pictures = blocks.flatMap(listPictures);
    if (pictures.length === 0) plain = [...plain, ...texts];
    else {
      flush();
      slides.push(...planText(texts, pictures));
    }
  }
  flush();
  return slides;
}

function planText(texts: readonly SlideText[], pictures: readonly Picture[]): readonly PlannedSlide[] {
  const width = pictures.length > 0 ? WIDE : BODY.width;
  const filled = fillSlides(texts, { width, height: BODY.height });
  const count = Math.max(filled.length, Math.ceil(pictures.length / 2));
  const last = filled.at(-1)?.sections ?? [];
  return Array.from({ length: count }, (_, index) => {
    const { texts: shown, sections } = filled[index] ?? { texts: [], sections: last.slice(-1) };
    const beside = showPictures(pictures.slice(2 * index, 2 * index + 2));
    return { title: nameSlide(sections), columns: [column(0, width, dropTitle(shown, sections)), ...beside], note: '' };
  });
}

/** Removes the heading of a single section, because it is the title of the slide. */
function dropTitle(texts: readonly SlideText[], sections: readonly string[]): readonly SlideText[] {
  return sections.length === 1 ? texts.filter(({ section }) => section === undefined) : texts;
}

function nameSlide(sections: readonly string[]): string {
  const named = sections.slice(0, 3).join(' · ');
  return sections.length > 3 ? `${named} …` : named;
}
