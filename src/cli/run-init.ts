import { closeSync, mkdirSync, writeFileSync } from 'node:fs';
import { basename, dirname, relative, resolve } from 'node:path';
import { codeOf, SyncError } from '../errors.js';
import { createDraft, openNewSync } from '../new-file.js';
import { joinLines } from '../report/writers/style.js';
import { readSample } from '../sample/read-sample.js';
import { type ProposedSource, renderConfig } from '../sample/render-config.js';
import { type Console, printing } from './context.js';
import { describeSample } from './describe-sample.js';

export interface InitFlags {
  readonly sample: readonly string[];
  readonly service: string;
  readonly out: string;
  readonly force?: boolean;
  readonly json?: boolean;
}

/** `init`: a configuration to start from. Reads the samples, writes one file, and asks nothing of the service. */
export async function runInit(console: Console, flags: InitFlags): Promise<void> {
  await printing(console, flags.json === true, async () => {
    const file = resolve(flags.out);
    const samples = [];
    for (const path of flags.sample) samples.push(await readSample(path));
    const { text, sources } = renderConfig(samples, dirname(file), flags.service);
    write(file, text, flags.force === true);
    const shown = relative(process.cwd(), file) || file;
    return {
      json: { file, sources: sources.map(({ name, sample }) => ({ source: name, ...describeSample(sample) })) },
      text: joinLines([
        ...sources.map(describeSource),
        `written: ${file}`,
        '',
        'Look at the lines marked GUESS and at `service:`, then:',
        '  export TALENT_API_KEY=…',
        `  talent-sync check --config ${shown}`,
        `  talent-sync plan --config ${shown}`,
      ]),
    };
  });
}

function describeSource({ name, sample }: ProposedSource): string {
  return `${basename(sample.at)}: ${sample.rows} rows, ${sample.columns.length} columns, key ${sample.key}; source ${name}`;
}

function write(file: string, text: string, force: boolean): void {
  try {
    mkdirSync(dirname(file), { recursive: true });
    if (force) replace(file, text);
    else create(file, text);
  } catch (error) {
    const code = codeOf(error) ?? String(error);
    const isThere = code === 'EEXIST';
    throw new SyncError('SYNC_CLI_USAGE', {
      message: isThere ? 'There is a file already, and it is kept.' : `The file cannot be written (${code}).`,
      place: file,
      remedy: isThere
        ? 'Name another one with --out, or write over it with --force.'
        : 'Name a file with --out in a folder that may be written to.',
      cause: error,
    });
  }
}

/** It has no secrets in it: others may read it. */
const MODE = 0o666;

function create(file: string, text: string): void {
  const handle = openNewSync(file, MODE);
  try {
    writeFileSync(handle, text);
  } finally {
    closeSync(handle);
  }
}

function replace(file: string, text: string): void {
  const draft = createDraft(file, MODE);
  try {
    draft.write(text);
    draft.finish();
  } finally {
    draft.discard();
  }
}
