import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Yaml } from '../scenarios/company.js';
import type { Story } from '../scenarios/kit.js';

const deliveries = new WeakMap<Story, number>();

/** Delivers a new file of a stream: the file whose name sorts last counts. */
export function deliverStream(story: Story, source: string, stream: string, rows: readonly Yaml[]): void {
  const number = (deliveries.get(story) ?? 0) + 1;
  deliveries.set(story, number);
  const folder = join(story.folder, 'drop', source);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, `${stream}-${String(number).padStart(5, '0')}.json`), JSON.stringify(rows));
}
