import { type Html, html } from '../../../../report/writers/page/html-text.js';

export interface ColumnsChart {
  readonly id: string;
  readonly title: string;
  /** Columns from the oldest to the newest; null if the value is unknown. */
  readonly columns: readonly { readonly label: string; readonly value: number | null; readonly tone: string }[];
  readonly format: (value: number) => string;
}

const HEIGHT = 64;
/** Minimum height in pixels, so that a small value next to a big one is still visible. */
const LEAST = 2;

/** A column chart of one number over time. Widths are percentages and heights are pixels, so that the chart fits any width. */
export function renderColumns({ id, title, columns, format }: ColumnsChart): Html {
  const most = Math.max(0, ...columns.map(({ value }) => value ?? 0));
  const width = 100 / Math.max(20, columns.length);
  const last = columns.findLast(({ value }) => value !== null)?.value ?? null;
  const bars = columns.map(({ label, value, tone }, i) => {
    if (value === null || value === 0) return null;
    const height = Math.max(LEAST, (value / most) * HEIGHT);
    return html`<rect x="${(i * width).toFixed(2)}%" y="${(HEIGHT - height).toFixed(1)}" width="${(width * 0.8).toFixed(2)}%" height="${height.toFixed(1)}" class="tone-${tone}"><title>${label}: ${format(value)}</title></rect>`;
  });
  const words = last === null ? 'not known' : `last ${format(last)}, at most ${format(most)}`;
  return html`<figure class="multiple"><figcaption>${title} <b>${last === null ? '–' : format(last)}</b></figcaption><svg role="img" aria-labelledby="chart-${id}" width="100%" height="${HEIGHT + 1}" class="chart"><title id="chart-${id}">${title} of the last ${columns.length} runs: ${words}</title><rect x="0" y="${HEIGHT}" width="100%" height="1" class="track"/>${bars}</svg><p class="key">at most ${most === 0 ? '0' : format(most)}</p></figure>`;
}
