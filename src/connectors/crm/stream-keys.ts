import type { ProblemSink, YamlPath } from '../../base/settings/resolving.js';
import { filesShape } from '../drop/files-schema.js';
import type { StreamInput } from './schema.js';

/** Keys that every stream accepts. The keys for files have defaults, so they are always present. */
const COMMON = ['prefer', 'empty', 'write_back', 'settle', 'after'];

/** The keys that each form of stream requires and accepts. */
const KEYS = {
  files: {
    words: 'files in a folder (`drop`)',
    needs: ['pattern', 'key', 'columns'],
    takes: ['rows', 'separator', 'encoding', ...Object.keys(filesShape)],
  },
  plain: {
    words: 'a stream over HTTP (`base_url` without `preset`)',
    needs: ['path', 'next', 'key', 'columns'],
    takes: ['rows', 'total', 'end', 'query', 'headers', 'deleted', 'incremental', 'method', 'body', 'detail'],
  },
  preset: {
    words: 'a `preset`',
    needs: [],
    takes: ['object', 'key', 'columns', 'properties', 'filter', 'end', 'incremental'],
  },
} as const satisfies Readonly<Record<string, { words: string; needs: readonly string[]; takes: readonly string[] }>>;

export function checkStreamKeys(
  path: YamlPath,
  stream: StreamInput,
  transport: keyof typeof KEYS,
  report: ProblemSink,
): void {
  const { needs, words } = KEYS[transport];
  for (const key of needs) {
    if (stream[key] !== undefined) continue;
    const isNext = key === 'next';
    const advice = isNext
      ? 'Specify where the next page begins; `next: none` if all rows come in one answer.'
      : `Add \`${key}:\`.`;
    report.add([...path, key], `\`${key}\` is missing`, advice);
  }
  for (const [key, value] of Object.entries(stream)) {
    if (value === undefined || listKeys(KEYS[transport]).includes(key)) continue;
    const owner = Object.values(KEYS).find((one) => listKeys(one).includes(key)) ?? KEYS.plain;
    report.add([...path, key], `\`${key}\` has no effect for ${words}`, `Remove it; it is for ${owner.words}.`, 'key');
  }
}

function listKeys({ needs, takes }: (typeof KEYS)[keyof typeof KEYS]): readonly string[] {
  return [...needs, ...takes, ...COMMON];
}
