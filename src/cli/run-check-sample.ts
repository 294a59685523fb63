import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { readToday } from '../app/wire.js';
import { systemClock } from '../base/clock.js';
import { describeError, SyncError } from '../base/errors.js';
import type { Config } from '../config/config.js';
import { loadConfig } from '../config/load.js';
import {
  checkSample,
  type FileSource,
  findSourceOf,
  listFileSources,
  type SampleCheck,
} from '../config/sample/check-sample.js';
import { createRecordJudge } from '../config/sample/judge-records.js';
import { readSample } from '../config/sample/read-sample.js';
import { adviseName } from '../model/nearest.js';
import { plural } from '../model/plural.js';
import { joinLines } from '../report/writers/style.js';
import { type CommandResult, type Console, formatError, printing } from './context.js';
import { describeSample, renderProposal } from './describe-sample.js';

export interface SampleFlags {
  readonly config: string;
  readonly sample?: string;
  readonly source?: string;
  readonly json?: boolean;
}

export interface CheckFlags extends SampleFlags {
  /** Only connects, and reads neither the sources nor the account. */
  readonly quick?: boolean;
}

/** `check --sample`: reads one file as its source would, or proposes columns if no source would read it. Opens no state. */
export async function runCheckSample(console: Console, flags: SampleFlags): Promise<void> {
  await printing(console, flags.json === true, async () => {
    const { sample: file } = flags;
    if (file === undefined) throw refuseSource();
    // Without a configuration, the user needs columns to write one.
    const config = flags.source === undefined && !existsSync(flags.config) ? null : loadConfig(flags.config, null);
    const source = config === null ? null : chooseSource(config, file, flags.source);
    if (config === null || source === null) {
      const sample = await readSample(file);
      const json = { ok: true, source: null, proposed: describeSample(sample) };
      return { json, text: renderProposal(sample) };
    }
    const { clock = systemClock } = console;
    const judge = createRecordJudge(config, source.name, readToday(null, config.timezone, clock));
    return describeCheck(await checkSample(file, source, config.timezone, judge));
  });
}

function refuseSource(): SyncError {
  return new SyncError('SYNC_CLI_USAGE', {
    message: '--source names the source of a sample, but there is no --sample.',
    place: '--source',
    remedy: 'Add --sample FILE; without it every source is checked.',
  });
}

function chooseSource(config: Config, sample: string, wanted: string | undefined): FileSource | null {
  const sources = listFileSources(config);
  if (wanted === undefined) return findSourceOf(sources, resolve(sample));
  const found = sources.find(({ name }) => name === wanted);
  if (found !== undefined) return found;
  const names = sources.map(({ name }) => name);
  throw new SyncError('SYNC_CLI_USAGE', {
    message: `No source that reads files is named ${JSON.stringify(wanted)}; there are: ${names.join(', ') || 'none'}.`,
    place: '--source',
    remedy: adviseName(wanted, names, 'Name one of these.'),
  });
}

function describeCheck(check: SampleCheck): CommandResult {
  const { source, at, rows, held, examples, columns, missing, unused, incomplete, error } = check;
  const isUsable = error === null && missing.length === 0;
  const isWhole = held === 0 && incomplete === null;
  return {
    json: {
      ok: isUsable && isWhole,
      source,
      file: at,
      rows,
      held,
      examples: examples.map(({ key, place, code, reason, remedy }) => ({
        key,
        line: place.line,
        code,
        reason,
        remedy,
      })),
      columns,
      missing,
      unused,
      incomplete,
      ...(error === null ? {} : describeError(error)),
    },
    text: joinLines([
      `${at} as source ${source}: ${error === null ? `${plural(rows, 'row')}, ${held} of them would be held` : 'it cannot be read'}`,
      ...columns.map(describeColumn),
      ...columns.flatMap(describeNothing),
      ...missing.map(
        ({ name, nearest }) => `FAIL  ${name}: not in the file${nearest === null ? '' : `; renamed to "${nearest}"?`}`,
      ),
      ...examples.map(({ code, reason }) => `held  ${code} ${reason}`),
      ...(held > examples.length ? [`held  and ${held - examples.length} more`] : []),
      ...(incomplete === null ? [] : [`note  absences in it do not count: ${incomplete}`]),
      ...(unused.length === 0 ? [] : [`note  unused columns: ${unused.join(', ')}`]),
      ...(error === null ? [] : formatError(error).split('\n')),
    ]),
    exitCode: chooseExitCode(isUsable, isWhole),
  };
}

function chooseExitCode(isUsable: boolean, isWhole: boolean): number {
  if (!isUsable) return 1;
  return isWhole ? 0 : 4;
}

function describeNothing({ name, nothing }: SampleCheck['columns'][number]): readonly string[] {
  if (nothing === undefined) return [];
  const words = nothing.words.map((word) => JSON.stringify(word)).join(', ');
  return [
    `note  ${name}: ${plural(nothing.cells, 'cell')} with a word that may mean an empty cell; declare \`empty: [${words}]\`, or \`empty: []\` if it is a value`,
  ];
}

function describeColumn({ name, declared, filled, misfits, lines, fitting }: SampleCheck['columns'][number]): string {
  if (misfits === 0) return `ok    ${name}: ${declared}, ${filled} filled`;
  const cells = misfits === 1 ? '1 cell does not fit, line' : `${misfits} cells do not fit, lines`;
  const more = misfits > lines.length ? ' …' : '';
  return `FAIL  ${name}: ${declared}: ${cells} ${lines.join(', ')}${more}${fitting === null ? '' : `; all fit ${fitting}`}`;
}
