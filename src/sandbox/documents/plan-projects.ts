import { cutTexts } from './cut-texts.js';
import type { EntryBlock, Paper } from './paper.js';
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
import { estimateHeight, estimateWidth, type SlideText, tellBlock, tellContext, tellEntryHead } from './slide-texts.js';

/** A project planned for a slide of its own. If it is short, it is also planned for half a slide. */
export interface PlannedProject {
  readonly entry: EntryBlock;
  readonly slide: PlannedSlide;
  readonly half: readonly SlideText[] | undefined;
}

/** Size in points. */
export const TITLE_SIZE = 26;
/** Text sizes in points. The text gets the largest size in which it is not shortened. */
const SIZES = [20, 18, 16] as const;
const SMALLEST = 16;
/** Maximum height in inches of a project that shares a slide. */
const SHORT = 2.9;

export function planProject(paper: Paper, entry: EntryBlock): PlannedProject {
  const pictures = entry.blocks.flatMap(listPictures);
  const tried = SIZES.map((size) => layOutProject(paper, entry, size));
  const { columns, isCut } = tried.find((one) => !one.isCut) ?? layOutProject(paper, entry, SMALLEST);
  const { head, prose, others } = tellProject(paper, entry, SMALLEST);
  const half = [...head, ...prose, ...others];
  return {
    entry,
    slide: {
      title: entry.title || entry.subtitle,
      columns: [...columns, ...showPictures(pictures.slice(0, 2))],
      note: isCut || pictures.length > 2 ? paper.labels.moreInCv : '',
    },
    half: pictures.length === 0 && estimateHeight(half, HALF) <= SHORT ? half : undefined,
  };
}

/** Puts pictures next to the text. If there are none, skills and roles go there. */
function layOutProject(paper: Paper, entry: EntryBlock, size: number) {
  const { context, prose, others } = tellProject(paper, entry, size);
  const hasPictures = entry.blocks.some(({ kind }) => kind === 'pictures');
  const isSplit = !hasPictures && prose.length > 0 && others.length > 0;
  const alone = hasPictures ? WIDE : BODY.width;
  const width = isSplit ? HALF : alone;
  const parts = isSplit ? [[...context, ...prose], others] : [[...context, ...prose, ...others]];
  const cut = parts.map((texts) => cutTexts(texts, width, BODY.height, paper.language));
  return {
    columns: cut.map(({ texts }, index) => column(index * (HALF + COLUMN_GAP), width, texts)),
    isCut: cut.some((one) => one.isCut),
  };
}

function tellProject({ look }: Paper, entry: EntryBlock, size: number) {
  const accent = look.accent.slice(1);
  const tell = (isText: boolean): readonly SlideText[] =>
    entry.blocks.filter(({ kind }) => (kind === 'text') === isText).flatMap((block) => tellBlock(block, accent, size));
  return {
    head: tellEntryHead(entry, accent),
    context: tellContext(entry, accent).map((text) => ({ ...text, size: 14, after: 8 })),
    prose: tell(true),
    others: tell(false),
  };
}

/**
 * Puts projects on slides, two on one slide if both are short. If there are too many, it keeps those with the lowest ranks in
 * the order of the CV. The last slide then says how many more the CV contains.
 */
export function showProjects(
  { labels }: Paper,
  projects: readonly PlannedProject[],
  most: number,
): readonly PlannedSlide[] {
  for (let count = projects.length; count > 0; count -= 1) {
    const slides = pairShort(projects.filter(({ entry }) => rankOf(projects, entry) < count));
    if (slides.length > most) continue;
    const left = projects.length - count;
    if (left === 0) return slides;
    const note = `${labels.moreProjects}: ${left}`;
    return slides.map((slide, index) =>
      index < slides.length - 1 ? slide : { ...slide, note: slide.note === '' ? note : `${slide.note} · ${note}` },
    );
  }
  return [];
}

function rankOf(projects: readonly PlannedProject[], { rank }: EntryBlock): number {
  return projects.filter(({ entry }) => entry.rank < rank).length;
}

function pairShort(projects: readonly PlannedProject[]): readonly PlannedSlide[] {
  const slides: PlannedSlide[] = [];
  let waiting: PlannedProject | undefined;
  for (const project of projects) {
    const pair = waiting && joinShort(waiting, project);
    if (pair) {
      slides[slides.length - 1] = pair;
      waiting = undefined;
    } else {
      slides.push(project.slide);
      waiting = project;
    }
  }
  return slides;
}

/** Joins two projects on one slide; undefined unless both are short and their titles fit on one line. */
function joinShort(one: PlannedProject, other: PlannedProject): PlannedSlide | undefined {
  const title = `${one.slide.title} · ${other.slide.title}`;
  if (!one.half || !other.half || estimateWidth(title, TITLE_SIZE) > BODY.width) return undefined;
  return { title, columns: [column(0, HALF, one.half), column(HALF + COLUMN_GAP, HALF, other.half)], note: '' };
}
