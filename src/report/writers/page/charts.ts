import type { Chart } from '../../sections/section.js';
import { formatNumber, type Html, html } from './html-text.js';

const ROW = 38;
const TEXT = 13;
const BAR_TOP = 19;
const BAR_HEIGHT = 9;
/** A single change beside ten thousand is still to be seen. */
const LEAST_PERCENT = 0.6;

/**
 * Bars under their labels. Widths are percents of the picture and heights are pixels, so that the text keeps its size on
 * a telephone and on paper.
 */
export function renderBars({ id, title, description, bars }: Chart): Html {
  const most = Math.max(1, ...bars.map(sumOf));
  return html`<svg role="img" aria-labelledby="${id}-title ${id}-desc" width="100%" height="${bars.length * ROW}" class="chart">
<title id="${id}-title">${title}</title><desc id="${id}-desc">${description}</desc>
${bars.map((bar, i) => renderBar(bar, i * ROW, most))}</svg>`;
}

type Bar = Chart['bars'][number];

function sumOf({ parts }: Bar): number {
  return parts.reduce((sum, { count }) => sum + count, 0);
}

function renderBar(bar: Bar, top: number, most: number): Html {
  let left = 0;
  const pieces = bar.parts.map(({ name, count, tone }) => {
    const width = Math.max(LEAST_PERCENT, (count / most) * 100);
    const x = left;
    left += width;
    return html`<rect x="${x.toFixed(2)}%" y="${top + BAR_TOP}" width="${width.toFixed(2)}%" height="${BAR_HEIGHT}" class="tone-${tone}"><title>${bar.label}: ${name} ${formatNumber(count)}</title></rect>`;
  });
  return html`<rect x="0" y="${top + BAR_TOP}" width="100%" height="${BAR_HEIGHT}" class="track"/>${pieces}
<text x="0" y="${top + TEXT}">${bar.label}</text><text x="100%" y="${top + TEXT}" text-anchor="end" class="count">${formatNumber(sumOf(bar))}</text>`;
}
