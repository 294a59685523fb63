import type { ProblemSink, YamlPath } from '../../settings/resolving.js';
import { filesShape } from '../drop/files-schema.js';
import type { StreamInput } from './schema.js';

/** How a stream comes: in files, over HTTP as configured, or as a vendor's preset has it. */
type StreamTransport = 'files' | 'plain' | 'preset';

/** Keys of files that have a default, and so are always there. */
const DEFAULTED = ['settle', 'after'];
const OF_FILES = [...DEFAULTED, ...Object.keys(filesShape)];

/** Which keys of a stream have a meaning, and which of them are required. */
const KEYS: Readonly<
  Record<StreamTransport, { readonly needs: readonly string[]; readonly takes: readonly string[] }>
> = {
  files: {
    needs: ['pattern', 'key', 'columns'],
    takes: ['rows', 'separator', 'encoding', 'prefer', 'empty', 'write_back', ...OF_FILES],
  },
  plain: {
    needs: ['path', 'next', 'key', 'columns'],
    takes: [
      'rows',
      'total',
      'query',
      'headers',
      'deleted',
      'incremental',
      'prefer',
      'empty',
      'write_back',
      ...DEFAULTED,
    ],
  },
  preset: {
    needs: [],
    takes: [
      'object',
      'key',
      'columns',
      'properties',
      'filter',
      'incremental',
      'prefer',
      'empty',
      'write_back',
      ...DEFAULTED,
    ],
  },
};

const NAMES: Readonly<Record<StreamTransport, string>> = {
  files: 'files in a folder (`drop`)',
  plain: 'a stream over HTTP (`base_url` without `preset`)',
  preset: 'a `preset`',
};

const MANNERS: readonly StreamTransport[] = ['files', 'plain', 'preset'];

export function checkStreamKeys(
  path: YamlPath,
  stream: StreamInput,
  manner: StreamTransport,
  report: ProblemSink,
): void {
  const { needs, takes } = KEYS[manner];
  for (const key of needs) {
    if (stream[key as keyof StreamInput] !== undefined) continue;
    const advice = key === 'next' ? 'Say where the next page begins; `next: none` where all rows come at once.' : '';
    report.add([...path, key], `\`${key}\` is missing`, advice || `Add \`${key}:\`.`);
  }
  for (const [key, value] of Object.entries(stream)) {
    if (value === undefined || needs.includes(key) || takes.includes(key)) continue;
    const owner = MANNERS.find((one) => [...KEYS[one].needs, ...KEYS[one].takes].includes(key)) ?? 'plain';
    const message = `\`${key}\` means nothing for ${NAMES[manner]}`;
    report.add([...path, key], message, `Remove it; it is for ${NAMES[owner]}.`, 'key');
  }
}
