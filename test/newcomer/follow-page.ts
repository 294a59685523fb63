import { existsSync, mkdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join, resolve } from 'node:path';
import { Ajv } from 'ajv';
import { parse, stringify } from 'yaml';
import { SyncError } from '../../src/base/errors.js';
import { loadConfig } from '../../src/config/load.js';
import { closeAfterTest } from '../closing.js';
import { findFreePort } from '../free-ports.js';
import { ROOT } from '../module-graph.js';
import { isToolName, lookForTool } from '../tools.js';
import { type Fence, readCommands, readFences, type TypedCommand } from './fences.js';
import { openTerminal, type Terminal } from './terminal.js';
import { hideWhatDiffers, matchShown } from './wildcards.js';

/** A reader's starting point: an empty folder, and the installed programs. */
export interface Desk {
  readonly home: string;
  readonly env: NodeJS.ProcessEnv;
}

/** A command that did not do what the page says. */
export interface Surprise {
  readonly place: string;
  readonly command: string;
  readonly shown: string;
  readonly printed: string;
}

export interface Followed {
  readonly surprises: readonly Surprise[];
  /** The blocks and commands that are not run, each with its place and the reason. */
  readonly notRun: readonly string[];
  readonly commands: number;
  /** The page as it would be with the actual output. */
  readonly corrected: string;
}

/** The reader's home, as pages show it. */
const HOME = '/home/you';
/** People's exports are not brand new, so a source does not wait for the end of an upload. */
const AGE_S = 3600;
const LATER_MS = 15_000;

export async function followPage(file: string, desk: Desk): Promise<Followed> {
  const page = readFileSync(join(ROOT, file), 'utf8');
  const fences = readFences(page);
  const translate = await openTranslation(fences, desk);
  const terminals = new Map<string, Terminal>();
  const lines = page.split('\n');
  const done = { surprises: [] as Surprise[], notRun: [] as string[], commands: 0 };
  const moved = { lines: 0 };
  let folder = desk.home;

  function openOne(name: string): Terminal {
    const known = terminals.get(name);
    if (known !== undefined) return known;
    const terminal = openTerminal(desk.home, desk.env);
    closeAfterTest(terminal);
    terminals.set(name, terminal);
    return terminal;
  }

  async function typeAll(fence: Fence): Promise<void> {
    const exits = (fence.attributes.exit ?? '0').split(',').map(Number);
    const commands = readCommands(fence);
    for (const one of commands) {
      const isLeft = fence.attributes.in !== undefined && one === commands.at(-1);
      const terminal = openOne(fence.attributes.in ?? '');
      const ended = isLeft ? await leave(terminal, one) : await terminal.type(translate.toMachine(one.command));
      if (!isLeft && fence.attributes.in === undefined) folder = ended.folder;
      translateConfig(folder, translate);
      done.commands += 1;
      judge(one, ended.printed, isLeft || exits.includes(ended.code) ? null : ended.code, !isLeft);
    }
  }

  async function leave(terminal: Terminal, { command, shown }: TypedCommand) {
    const until = Date.now() + LATER_MS;
    const printed = await terminal.leaveRunning(
      translate.toMachine(command),
      (text) =>
        (text.includes('\n') && matchShown(shown ?? '', translate.toPage(text), false) !== null) || Date.now() > until,
    );
    return { printed, code: 0, folder };
  }

  function judge({ line, command, shown }: TypedCommand, raw: string, code: number | null, isWhole: boolean): void {
    const printed = translate
      .toPage(raw)
      .replaceAll('\r', '')
      .replace(/[^\n]$/, '$&\n');
    const place = `${file}:${line}`;
    const isMute = !isWhole && shown === '';
    const seen = shown === null ? new Map<string, string>() : isMute ? null : matchShown(shown, printed, isWhole);
    for (const [text, meant] of seen ?? []) translate.learn(text, meant);
    if (code !== null)
      done.surprises.push({ place, command, shown: 'another exit code', printed: `${printed}${code}` });
    if (seen !== null) return;
    done.surprises.push({ place, command, shown: hideWhatDiffers(shown ?? ''), printed: hideWhatDiffers(printed) });
    const from = line + moved.lines + command.split('\n').length - 1;
    const added = printed.split('\n').slice(0, -1);
    const removed = (shown ?? '').split('\n').length - 1;
    lines.splice(from, removed, ...added);
    moved.lines += added.length - removed;
  }

  /** A block that does not fit is a surprise like any other, and the rest of the page is still followed. */
  function write(fence: Fence): void {
    try {
      writeBlock(fence, folder, translate.toMachine);
    } catch (error) {
      const problems =
        error instanceof SyncError ? error.problems.map(({ place, message }) => `${place}: ${message}`) : [];
      const printed = [String(error), ...problems].join('\n');
      done.surprises.push({
        place: `${file}:${fence.line}`,
        command: fence.language,
        shown: 'a block that fits',
        printed,
      });
    }
  }

  for (const fence of fences) {
    const why = fence.noRun ?? whatLacks(fence);
    if (why !== null) done.notRun.push(`${file}:${fence.line}: ${why}`);
    else if (isTyped(fence)) await typeAll(fence);
    else write(fence);
  }
  for (const terminal of terminals.values()) await terminal.close();
  return { ...done, corrected: lines.join('\n') };
}

/** A configuration that a command wrote uses the ports of the pages. */
function translateConfig(folder: string, { toMachine }: Translation): void {
  const file = join(folder, 'talent-sync.yaml');
  if (!existsSync(file)) return;
  const text = readFileSync(file, 'utf8');
  const meant = text.replace(/127\.0\.0\.1:\d+/g, toMachine);
  if (meant !== text) writeFileSync(file, meant);
}

export function isTyped({ language, attributes }: Fence): boolean {
  return (language === 'sh' || language === 'console') && attributes.file === undefined;
}

function whatLacks({ attributes: { needs = '' } }: Fence): string | null {
  return needs === '' || hasProgram(needs) ? null : `needs ${needs}`;
}

function hasProgram(name: string): boolean {
  if (isToolName(name)) return lookForTool(name) !== null;
  return (process.env.PATH ?? '').split(delimiter).some((folder) => existsSync(join(folder, name)));
}

function writeBlock({ attributes, text }: Fence, folder: string, toMachine: (text: string) => string): void {
  const { file, into } = attributes;
  const name = resolve(folder, file ?? into ?? '');
  if (attributes['part-of'] !== undefined) checkPart(text, attributes['part-of']);
  if (file === undefined && into === undefined) return;
  mkdirSync(dirname(name), { recursive: true });
  writeFileSync(name, file === undefined ? mergeYaml(readFileSync(name, 'utf8'), toMachine(text)) : toMachine(text));
  const then = Date.now() / 1000 - AGE_S;
  utimesSync(name, then, then);
}

function mergeYaml(text: string, part: string): string {
  return stringify(merge(parse(text), parse(part)));
}

function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Merges maps; any other value replaces the old one. */
function merge(base: unknown, part: unknown): unknown {
  if (!isMap(base) || !isMap(part)) return part;
  const entries = Object.entries(part).map(([key, value]) => [key, merge(base[key], value)]);
  return { ...base, ...Object.fromEntries(entries) };
}

/** @throws Error if the example with this part is not a valid configuration, or these are not values of the chart */
function checkPart(text: string, place: string): void {
  const [example = '', path] = place.split('#');
  const file = join(ROOT, example);
  const part = (path?.split('.') ?? []).reduceRight<unknown>((inner, key) => ({ [key]: inner }), parse(text));
  const whole = stringify(merge(parse(readFileSync(file, 'utf8')), part));
  if (example.startsWith('config/')) loadConfig(file, null, whole);
  else {
    const schema: object = JSON.parse(readFileSync(join(dirname(file), 'values.schema.json'), 'utf8'));
    const ajv = new Ajv({ strict: false, validateFormats: false });
    if (!ajv.validate(schema, parse(whole))) throw new Error(ajv.errorsText());
  }
}

interface Translation {
  toMachine(text: string): string;
  toPage(text: string): string;
  /** Remembers that this text of the page stands for the other one. */
  learn(text: string, meant: string): void;
}

/** The ports of the pages may be taken, and ids differ each time. */
async function openTranslation(fences: readonly Fence[], { home }: Desk): Promise<Translation> {
  const words = new Map<string, string>([[HOME, home]]);
  const named = fences.flatMap(({ text }) => [...text.matchAll(/(?:127\.0\.0\.1:|localhost:|--port )(\d+)/g)]);
  const ports = [...new Set(named.map(([, one = '']) => one))];
  for (const port of ports) words.set(port, String(await findFreePort()));
  const replace = (text: string, [from, to]: readonly [string, string]): string => text.replaceAll(from, to);
  const isFixed = (word: string): boolean => word === HOME || /^\d+$/.test(word);
  return {
    toMachine: (text) => [...words].reduce(replace, text),
    toPage: (text) =>
      [...words].filter(([from]) => isFixed(from)).reduce((rest, [from, to]) => replace(rest, [to, from]), text),
    learn: (text, meant) => void words.set(text, meant),
  };
}
