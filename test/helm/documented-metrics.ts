import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../module-graph.js';

const PAGE = readFileSync(join(ROOT, 'docs', 'reference', 'metrics.md'), 'utf8');

/** From each metric to its labels, as listed in docs/reference/metrics.md. */
export const DOCUMENTED: ReadonlyMap<string, readonly string[]> = new Map(
  [...PAGE.matchAll(/^\| `(\w+)` \| \w+ \| ((?:`\w+` ?)*)\|/gm)].map(([, name = '', labels = '']) => [
    `talent_sync_${name}`,
    [...labels.matchAll(/`(\w+)`/g)].map(([, label = '']) => label),
  ]),
);

/** The metrics that the page calls worth an alert. */
export const WORTH_AN_ALERT = namesIn(PAGE.split('## Worth an alert')[1] ?? '');

/** The program's metrics in an expression. Histograms have their documented names. */
export function namesIn(text: string): readonly string[] {
  return [...new Set(text.match(/talent_sync_\w+/g) ?? [])].map((name) => name.replace(/_bucket$/, ''));
}
