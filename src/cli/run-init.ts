import { closeSync, existsSync, writeFileSync } from 'node:fs';
import { basename, dirname, relative, resolve } from 'node:path';
import { codeOf, SyncError } from '../base/errors.js';
import { createDraft, makeFolderSync, openNewSync } from '../base/new-file.js';
import { noteSecret } from '../base/secrets/secret.js';
import type { Answers, OpenQuestion } from '../config/sample/answers.js';
import { choosePeople } from '../config/sample/choose-people.js';
import { listDeclared } from '../config/sample/propose-source.js';
import { readSample, type Sample } from '../config/sample/read-sample.js';
import { type ProposedConfig, type ProposedSource, renderConfig } from '../config/sample/render-config.js';
import { plural } from '../report/sections/words.js';
import { joinLines } from '../report/writers/style.js';
import { type Console, printing } from './context.js';
import { describeSample } from './describe-sample.js';
import { type AnswerFlags, nameInFlags, readAnswers } from './init-answers.js';
import { type Asker, askOne, openAsker } from './init-questions.js';
import type { SourceFlags } from './init-source.js';
import { print } from './print.js';
import { runCommand } from './run-command.js';

export interface InitFlags extends AnswerFlags, SourceFlags {
  readonly sample: readonly string[];
  /** `EXAMPLE_SERVICE` if it was not given. */
  readonly service: string;
  readonly out: string;
  readonly force?: boolean;
  readonly yes?: boolean;
  readonly json?: boolean;
}

/** The file that every command reads by default. */
const USUAL_FILE = 'talent-sync.yaml';
export const EXAMPLE_SERVICE = 'https://acme.example.com';

/** `init`: writes a first configuration. On a terminal it asks its open questions, and ends with a dry run. */
export async function runInit(console: Console, flags: InitFlags): Promise<void> {
  const asker = flags.json === true || flags.yes === true ? null : openAsker(console);
  let planned: string | null = null;
  try {
    await printing(console, flags.json === true, async () => {
      const file = resolve(flags.out);
      refuseExisting(file, flags.force === true);
      const { samples, service, answers } = await gather(console, flags, asker);
      const { text, sources, open } = await propose({ samples, file, service, answers, asker });
      write(file, text, flags.force === true);
      const shown = relative(process.cwd(), file) || file;
      const understood = await understandWritten(console, flags, file, { asker, service: answers.service });
      const isReady = (console.env.TALENT_API_KEY ?? '') !== '';
      planned = asker !== null && isReady && service !== EXAMPLE_SERVICE ? file : null;
      return {
        json: {
          file,
          sources: sources.map(({ name, sample }) => ({ source: name, ...describeSample(sample) })),
          open: open.map((one) => ({ flag: showFlag(one), question: one.text, taken: one.otherwise })),
        },
        text: joinLines([
          ...(asker === null ? sources.map(sourceText) : []),
          ...(asker === null ? open.map((one) => `To answer: ${one.text} (${showFlag(one)})`) : []),
          `written: ${file}`,
          '',
          ...understood,
          ...(planned === null ? describeNext(text, shown, console) : []),
        ]),
      };
    });
  } finally {
    asker?.close();
  }
  if (planned === null) return;
  // The dry run is a separate command, so the file is kept even if the dry run fails.
  const { runPlan } = await import('./run-plan.js');
  await runCommand(console, { config: planned }, runPlan);
}

/** `--column office=HEADER`, `--update name` */
function showFlag({ flag, about }: OpenQuestion): string {
  if (flag === '--country NAME=') return `--country ${JSON.stringify(`${about ?? ''}=`)}`;
  if (flag === '--update') return `--update ${about ?? ''}`;
  return flag === '--column' ? `--column ${nameInFlags(about ?? '')}=HEADER` : flag;
}

/**
 * Shows how the new configuration understands its sources, if the account was read. After a dialogue, the dry run shows
 * this.
 */
async function understandWritten(
  console: Console,
  { json }: InitFlags,
  file: string,
  { asker, service }: { readonly asker: Asker | null; readonly service: Answers['service'] },
): Promise<readonly string[]> {
  if (service === null || asker !== null || json === true) return [];
  const { renderUnderstood } = await import('./understood-by-init.js');
  const lines = await renderUnderstood(console, file, service);
  return lines.length === 0 ? [] : [...lines, ''];
}

/** Suggests the next commands, in their shortest form for the current folder. */
function describeNext(text: string, shown: string, { env }: Console): readonly string[] {
  const config = shown === USUAL_FILE ? '' : ` --config ${shown}`;
  const marked = ['GUESS', 'To answer'].flatMap((mark) => {
    const count = text.split('\n').filter((line) => line.includes(`# ${mark}:`)).length;
    return count === 0 ? [] : [`the ${count === 1 ? 'line' : `${count} lines`} marked ${mark}`];
  });
  const things = [...marked, '`service:`'];
  return [
    `Look at ${things.join(', ').replace(/, ([^,]*)$/, ' and $1')}, then:`,
    ...(env.TALENT_API_KEY === undefined ? ['  export TALENT_API_KEY=…'] : []),
    `  talent-sync check${config}`,
    `  talent-sync plan${config}`,
  ];
}

interface Gathered {
  readonly samples: readonly Sample[];
  readonly service: string;
  readonly answers: Answers;
}

/** Asks for the files and the service, and tries each immediately. */
async function gather(console: Console, flags: InitFlags, asker: Asker | null): Promise<Gathered> {
  const { columns } = readAnswers(flags, null);
  const given = [flags.people, flags.customers, flags.projects].filter((file) => file !== undefined);
  const paths = [...new Set([...flags.sample, ...given].map((path) => resolve(path)))];
  const samples: Sample[] = [];
  const { meaningsOf, sampleInterface } = await import('./init-source.js');
  const people = await sampleInterface(console, flags, columns);
  if (people !== null) samples.push(people);
  for (const path of paths) samples.push(await readSample(path, { columns }));
  if (asker !== null && samples.length === 0) samples.push(...(await askSamples(asker)));
  else for (const sample of samples) await asker?.tell(readText(sample));
  const asked =
    flags.service === EXAMPLE_SERVICE ? await asker?.ask('Address of the talent service', flags.service) : null;
  const service = asked ?? flags.service;
  const answers = readAnswers(flags, await tryService(console, service, asker));
  const meant = people === null ? {} : meaningsOf(people);
  return { samples, service, answers: { ...answers, columns: { ...meant, ...answers.columns } } };
}

async function askSamples(asker: Asker): Promise<readonly Sample[]> {
  const samples: Sample[] = [];
  for (const question of ['File with your people, as HR exports it', 'CRM file with customers or projects']) {
    for (;;) {
      const sample = await asker.askUntil(`${question} (empty for none)`, '', (path) =>
        path === '' ? null : readSample(path),
      );
      if (sample === null) break;
      await asker.tell(readText(sample));
      samples.push(sample);
      if (samples.length === 1 && sample.kind === 'people') break;
    }
  }
  return samples;
}

/** The account's data; null if it cannot be read. `check` reports the reason in detail. */
async function tryService(console: Console, service: string, asker: Asker | null): Promise<Answers['service']> {
  const key = console.env.TALENT_API_KEY?.trim() ?? '';
  if (service === EXAMPLE_SERVICE) return null;
  const say = async (text: string): Promise<void> => {
    await (asker === null ? print(console.stderr, `${text}\n`) : asker.tell(text));
  };
  if (key === '') {
    await say('The account is not read: TALENT_API_KEY is not set.');
    return null;
  }
  try {
    const { readAccount } = await import('../operations/read-account.js');
    const account = await readAccount(service, noteSecret(key));
    await asker?.tell(
      `The service has ${plural(account.countries.length, 'country', 'countries')}, ${plural(account.offices.length, 'office')} and ${plural(account.people.length, 'person', 'people')}.`,
    );
    return account;
  } catch (error) {
    await say(`The account could not be read: ${error instanceof Error ? error.message : String(error)}`);
    return null;
  }
}

interface Proposing extends Gathered {
  readonly file: string;
  readonly asker: Asker | null;
}

/** Asks the open questions one by one. */
async function propose({ samples, file, service, answers, asker }: Proposing): Promise<ProposedConfig> {
  const known = asker === null ? samples : await findAddresses(samples, answers, asker);
  let now: Answers = answers;
  for (;;) {
    const proposed = renderConfig(known, dirname(file), service, now);
    const [question] = proposed.open;
    const next = asker === null || question === undefined ? null : await askOne(asker, question, now);
    if (next === null) return proposed;
    now = next;
  }
}

/** If a file seems to have people without addresses, asks for the column that has them. */
async function findAddresses(samples: readonly Sample[], answers: Answers, asker: Asker): Promise<readonly Sample[]> {
  try {
    choosePeople(samples, answers);
    return samples;
  } catch (error) {
    const found = samples.find(({ at }) => error instanceof SyncError && error.place === at && samples.length > 0);
    if (found === undefined || found.meanings.email !== undefined) throw error;
    const names = found.columns.map(({ name }) => name);
    const email = await asker.ask(
      `Which column of ${basename(found.at)} holds the e-mail addresses? (${names.join(', ')})`,
    );
    if (email === null || !names.includes(email)) throw error;
    const again = await readSample(found.at, { columns: { ...answers.columns, email } });
    return samples.map((sample) => (sample === found ? { ...again, kind: 'people' as const } : sample));
  }
}

function sourceText({ name, sample }: ProposedSource): string {
  return `${readText(sample)}; source ${name}`;
}

function readText(sample: Sample): string {
  if (sample.interface !== undefined)
    return `${sample.at}: ${plural(sample.rows, 'person', 'people')}, ${plural(listDeclared(sample).length, 'column')}, key ${sample.key}`;
  const { headerLine } = sample.facts;
  const header = headerLine === null || headerLine === 1 ? '' : `, header in line ${headerLine}`;
  return `${basename(sample.at)}: ${plural(sample.rows, 'row')}, ${plural(listDeclared(sample).length, 'column')}${header}, key ${sample.key}`;
}

function refuseExisting(file: string, force: boolean): void {
  if (!force && existsSync(file)) throw refuseWrite(file, 'EEXIST', undefined);
}

function write(file: string, text: string, force: boolean): void {
  try {
    makeFolderSync(dirname(file));
    if (force) replace(file, text);
    else create(file, text);
  } catch (error) {
    throw refuseWrite(file, codeOf(error) ?? String(error), error);
  }
}

function refuseWrite(file: string, code: string, cause: unknown): SyncError {
  const isThere = code === 'EEXIST';
  return new SyncError('SYNC_CLI_USAGE', {
    message: isThere ? 'The file already exists and was not changed.' : `The file cannot be written (${code}).`,
    place: file,
    remedy: isThere
      ? 'Name another file with --out, or overwrite this one with --force.'
      : 'With --out, name a file in a folder that you can write to.',
    cause,
  });
}

/** The file has no secrets, so others may read it. */
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
