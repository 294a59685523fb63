import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { ERROR_CATALOGUE } from '../src/base/errors.js';
import { buildProgram } from '../src/cli/program.js';
import type { JsonSchema } from '../src/config/json-schema.js';
import { configSchema } from '../src/config/schema.js';
import { renderMap } from './layers.js';
import { ROOT, readModules } from './module-graph.js';

function readText(file: string): string {
  return readFileSync(join(ROOT, file), 'utf8');
}

/** The cells of every table row of a page. Bars in cells must be escaped. */
function readRows(file: string): readonly (readonly string[])[] {
  return readText(file)
    .split('\n')
    .filter((line) => line.startsWith('|') && !line.startsWith('|---'))
    .map((line) =>
      line
        .slice(1, -1)
        .split(/(?<!\\)\|/)
        .map((cell) => cell.trim()),
    );
}

function codeWords(cell: string): readonly string[] {
  return [...cell.matchAll(/`([^`]+)`/g)].map((match) => match[1] ?? '');
}

describe('docs/reference/errors.md', () => {
  const rows = readRows('docs/reference/errors.md').filter(([first]) => first?.startsWith('`SYNC_') === true);

  it('lists every code of the catalogue once with its kind, and no others', () => {
    const listed = rows.map(([code = '', kind = '']) => [...codeWords(code), ...codeWords(kind)]);
    expect(listed.toSorted()).toEqual(Object.entries(ERROR_CATALOGUE).toSorted());
  });

  it('describes each with its meaning and its remedy', () => {
    expect(rows.filter((cells) => cells.length !== 4 || cells.some((cell) => cell.length < 5))).toEqual([]);
  });

  it('lists only codes that something in src raises', () => {
    const text = readModules('src')
      .map((module) => module.text)
      .join('\n');
    // The catalogue itself has the codes without quotes.
    expect(Object.keys(ERROR_CATALOGUE).filter((code) => !text.includes(`'${code}'`))).toEqual([]);
  });
});

interface Key {
  readonly isRequired: boolean;
  readonly byDefault: string | null;
  readonly words: readonly string[];
}

/** Keys that occur in many places of the schema are documented once, under a name in angle brackets. */
function nameKey(path: string): string {
  const last = path.replace(/^.*\./, '');
  if (/\.streams\.\*\.write_back\.(method|path|body)$/.test(path)) return path.replaceAll('*', '<name>');
  if (/^(\w+|cv_sections\.\w+)\.(modified|write_back)$/.test(path)) return `<entity>.${last}`;
  if (/\.fields\..*\.write_back\.\w+$/.test(path)) return `<field>.write_back.${last}`;
  if (/\.columns\.\*\./.test(path)) return `<column>.${last}`;
  if (/^guards\.\w+(\.[\w*]+)+\.(max|max_percent|percent|min|within)$/.test(path)) return `<limit>.${last}`;
  if (/^guards\.sources/.test(path) && !/\.(max|max_percent|percent|min|within)$/.test(path))
    return path.replaceAll('*', '<name>');
  if (/^guards\.users\.promote(\.countrymanager)?$/.test(path)) return path;
  if (/^guards\.\w+\.fields$/.test(path)) return 'guards.<entity>.fields';
  if (/^guards\.\w+/.test(path)) return /^guards\.\w+$/.test(path) ? 'guards.<entity>' : 'guards.<entity>.<action>';
  if (/\.remove\.\w+$/.test(path)) return `<remove>.${last}`;
  if (path.includes('.match[].')) return path.replace(/^.*\.match\[\]/, '<match>');
  const hook = /^sources\.<\w+>\.hook\b(.*)/.exec(path);
  if (hook !== null && !['env', 'file'].includes(last)) return `<source>.hook${hook[1]?.replace('[]', '') ?? ''}`;
  if (last === 'env' || last === 'file') return `<secret>.${last}`;
  if (/^sources\.<hris>\.auth\.(?!(bearer|basic|header|oauth2)\b)/.test(path)) return path;
  if (/^(sources\.<\w+>\.(auth|tls|proxy|timeout|max_answer)|service\.(tls|proxy)\.)/.test(path))
    return path.replace(/^(sources\.<\w+>|service)/, '<http>').replaceAll('*', '<name>');
  const files =
    /^sources\.(?:<csv>|<json>|<crm>\.streams\.\*)\.((?:manifest|trailer|footer|shrink|max_bad_rows|parts|newest|after|rejects|follow_links|stale_after|aliases|write_back)\b.*)/.exec(
      path,
    );
  if (/^notify\.(channels\.<\w+>|dead_man)\.(url|private_addresses|timeout)$/.test(path)) return `<channel>.${last}`;
  if (/\.write_back\.sftp\./.test(path)) return `<sftp>.${last}`;
  if (files !== null) return `<files>.${files[1]}`.replaceAll('*', '<name>');
  // `reports` is the older name of the section.
  if (path.startsWith('reports.')) return nameKey(path.replace('reports', 'deliveries'));
  if (/^(sources\.<\w+>|deliveries\.\*\.deliver)\.sftp\./.test(path)) return `<sftp>.${last}`;
  if (!/^(\w+|cv_sections\.\w+)\.fields\.\w+\W/.test(path)) return nameSection(path).replaceAll('*', '<name>');
  if (['value', 'apply', 'when_empty', 'authority', 'write_back'].includes(last)) return `<field>.${last}`;
  if (/\.custom_fields\./.test(path)) return `<custom_field>.${last}`;
  if (last === 'label') return '<entry>.label';
  return `<office>.${last}`;
}

/** The kinds of CV section differ only in their own fields. */
function nameSection(path: string): string {
  const common = /\.fields\.(user|external_unique_id|starred|disabled|order)$/.test(path);
  const kind = path.replace(/^cv_sections\.\w+/, 'cv_sections.<kind>');
  return kind === path || common ? kind : kind.replace(/\.fields\.\w+$/, '.fields.<own>');
}

function readSchema(): ReadonlyMap<string, Key> {
  const keys = new Map<string, Key>();
  const schema = JSON.parse(readText('config/talent-sync.schema.json')) as JsonSchema;
  walkSchema(followRefs(schema, schema.$defs as Readonly<Record<string, JsonSchema>>), '', keys);
  return keys;
}

/** The schema with its `$defs` inserted. */
function followRefs<T>(node: T, defs: Readonly<Record<string, JsonSchema>>): T {
  if (typeof node !== 'object' || node === null) return node;
  if (Array.isArray(node)) return node.map((item) => followRefs(item, defs)) as T;
  if ('$ref' in node) return followRefs(defs[String(node.$ref).replace('#/$defs/', '')] as T, defs);
  return Object.fromEntries(Object.entries(node).map(([key, value]) => [key, followRefs(value, defs)])) as T;
}

function walkSchema(node: JsonSchema, path: string, keys: Map<string, Key>): void {
  const under = (name: string): string => (path === '' ? name : `${path}.${name}`);
  const required = (node.required ?? []) as readonly string[];
  for (const [name, child] of Object.entries(node.properties ?? {})) {
    const plain = typeof child.default === 'object' || child.default === '' ? undefined : child.default;
    const known = keys.get(nameKey(under(name)));
    // If a key has several forms, only one of them may give the default.
    if (known?.byDefault === undefined || known.byDefault === null)
      keys.set(nameKey(under(name)), {
        isRequired: required.includes(name),
        byDefault: plain === undefined ? null : String(plain),
        words: [...((child.enum ?? []) as readonly unknown[]), ...(child.const === undefined ? [] : [child.const])].map(
          String,
        ),
      });
    walkSchema(child, under(name), keys);
  }
  if (typeof node.additionalProperties === 'object') walkSchema(node.additionalProperties, under('*'), keys);
  if (node.items !== undefined) walkSchema(node.items, `${path}[]`, keys);
  for (const branch of [...(node.anyOf ?? []), ...(node.oneOf ?? [])]) {
    const type = branch.properties?.type?.const;
    walkSchema(branch, typeof type === 'string' ? path.replace(/\*$/, `<${type}>`) : path, keys);
  }
}

describe('docs/reference/configuration.md', () => {
  const schema = readSchema();
  const rows = readRows('docs/reference/configuration.md').filter(([first]) => first?.startsWith('`') === true);
  const documented = rows.flatMap(([first = '', byDefault = '', meaning = '']) =>
    codeWords(first).map((key) => ({ key, byDefault, meaning })),
  );

  it('lists every key of the schema once, and no others', () => {
    expect(documented.map(({ key }) => key).toSorted()).toEqual([...schema.keys()].toSorted());
  });

  it('gives the default of each, and marks required keys', () => {
    const expected = documented.map(({ key }) => {
      const known = schema.get(key);
      return [
        key,
        known?.isRequired === true ? '*required*' : known?.byDefault == null ? '—' : `\`${known.byDefault}\``,
      ];
    });
    expect(documented.map(({ key, byDefault }) => [key, byDefault])).toEqual(expected);
  });

  it('names every word that a key accepts', () => {
    const lacking = documented.flatMap(({ key, byDefault, meaning }) =>
      (schema.get(key)?.words ?? [])
        .filter((word) => !codeWords(`${byDefault} ${meaning}`).some((text) => text === word))
        .map((word) => `${key}: ${word}`),
    );
    expect(lacking).toEqual([]);
  });

  it('matches a schema equal to the one that the program builds', async () => {
    const { buildJsonSchema } = await import('../src/config/json-schema.js');
    expect(JSON.parse(readText('config/talent-sync.schema.json'))).toEqual(buildJsonSchema());
  });
});

interface CommandDoc {
  readonly name: string;
  readonly flags: readonly string[];
}

function listCommands(command: Command, path: readonly string[] = []): readonly CommandDoc[] {
  const visible = command.createHelp().visibleCommands(command);
  const children = visible.filter((child) => child.name() !== 'help');
  const below = children.flatMap((child) => listCommands(child, [...path, child.name()]));
  // A group does nothing by itself, and has no options.
  if (path.length === 0 || (children.length > 0 && command.options.length === 0)) return below;
  const args = command.registeredArguments.map((one) => (one.required ? `<${one.name()}>` : `[${one.name()}]`));
  const flags = command.options
    .filter(({ hidden }) => !hidden)
    .map((option) => option.flags)
    .toSorted();
  return [{ name: [...path, ...args].join(' '), flags }, ...below];
}

describe('docs/reference/commands.md', () => {
  const program = buildProgram({
    stdout: process.stdout,
    stderr: process.stderr,
    env: {},
    setExitCode: () => undefined,
    exit: () => undefined,
  });
  const [top = '', ...sections] = readText('docs/reference/commands.md').split(/^## /m);
  // A table at the top describes the options of many commands; each command names the ones it takes.
  const shared = new Map(
    [...top.matchAll(/^\| `((?:-\w, )?(--[\w-]+)[^`]*)` \|/gm)].map(([, flags = '', name = '']) => [name, flags]),
  );
  const listShared = (section: string): readonly string[] =>
    codeWords(/^- Shared options: (.+)$/m.exec(section)?.[1] ?? '');
  const listOwn = (section: string): readonly string[] =>
    section.split('\n').flatMap((line) => /^- `(-[^`]+)`/.exec(line)?.[1] ?? []);
  // For "As in" a command: the options that the named command describes.
  const listAsIn = (section: string): readonly string[] => {
    const [, command = '', named = ''] = /^- As in \[`([\w ]+)`\]\([^)]+\): (.+)$/m.exec(section) ?? [];
    const theirs = listOwn(sections.find((one) => one.startsWith(command)) ?? '');
    return codeWords(named).map(
      (option) => theirs.find((flags) => flags.split(' ').includes(option)) ?? `${option}: ?`,
    );
  };
  const documented = sections.map((section): CommandDoc => {
    const ofTable = listShared(section).map((option) => shared.get(option) ?? `${option}: not in the table`);
    const flags = [...ofTable, ...listAsIn(section), ...listOwn(section)];
    return { name: section.split('\n')[0] ?? '', flags: flags.toSorted() };
  });

  it('lists every command with its arguments and flags, and no others', () => {
    const byName = (a: CommandDoc, b: CommandDoc): number => (a.name < b.name ? -1 : 1);
    expect(documented.toSorted(byName)).toEqual(listCommands(program).toSorted(byName));
  });

  it('describes each shared option once, for several commands', () => {
    const used = [...shared.keys()].map(
      (name) => sections.filter((section) => listShared(section).includes(name)).length,
    );
    expect(used.length).toBeGreaterThan(0);
    expect(used.filter((count) => count < 3)).toEqual([]);
  });

  it('names existing keys in the help of each, and defaults as typed', () => {
    const helpOf = (command: Command): readonly string[] => [
      command.helpInformation(),
      ...command.commands.flatMap(helpOf),
    ];
    const help = helpOf(program).join('');
    expect(help.match(/\(default: \[.*\)/g)).toBeNull();
    const keys = [...help.matchAll(/`(\w+):`/g)].map(([, key = '']) => key);
    const known = Object.keys(configSchema.shape);
    expect(keys.filter((key) => !known.includes(key))).toEqual([]);
    expect(keys).toContain('deliveries');
  });

  it('lists valid exit codes for each, and the document of each with --json', () => {
    for (const section of sections) {
      const codes = /Exit codes ([\d, ]+)/.exec(section)?.[1]?.match(/\d/g) ?? [];
      expect(codes, section).toContain('0');
      expect(codes.filter((code) => !'01234'.includes(code))).toEqual([]);
      if (section.includes('`--json`')) expect(section).toMatch(/^- `--json`: (`\{ .+ \}`|as of `\w+`)/m);
    }
  });
});

describe('docs/reference/security.md', () => {
  const page = readText('docs/reference/security.md');
  const named = new Set([...page.matchAll(/`(test\/[\w./-]+\.test\.ts)`/g)].map((match) => match[1] ?? ''));

  it('names an existing test for each boundary', () => {
    expect([...named].filter((file) => !existsSync(join(ROOT, file)))).toEqual([]);
    const boundaries = readRows('docs/reference/security.md').filter(
      (cells) => cells.length === 3 && cells[0] !== 'boundary',
    );
    const ofTests = boundaries.filter(([, , last = '']) => last.includes('test/'));
    expect(ofTests.length).toBeGreaterThan(20);
  });

  it('names each test in test/hostile', () => {
    const tests = readdirSync(join(ROOT, 'test/hostile')).filter((name) => name.endsWith('.test.ts'));
    expect(tests.filter((name) => !named.has(`test/hostile/${name}`))).toEqual([]);
  });

  it('is linked from SECURITY.md and the README', () => {
    expect(readText('SECURITY.md')).toContain('(docs/reference/security.md)');
    expect(readText('README.md')).toContain('(docs/reference/security.md)');
    expect(readText('SECURITY.md')).toMatch(/report a weakness/i);
  });
});

describe('CONTRIBUTING.md', () => {
  it('contains the map of `test/layers.ts`, which `npm run map` writes', () => {
    const [, before = '', map = '', after = ''] =
      /^(.*<!-- map:[^\n]*-->\n)(.*)(<!-- \/map -->.*)$/s.exec(readText('CONTRIBUTING.md')) ?? [];
    expect(before).not.toBe('');
    if (process.env.WRITE_MAP === '1')
      writeFileSync(join(ROOT, 'CONTRIBUTING.md'), `${before}${renderMap()}\n${after}`);
    else expect(map.trim()).toBe(renderMap());
  });
});

describe('every page of docs', () => {
  const names = readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' }).map((name) =>
    name.replaceAll('\\', '/'),
  );
  const pages = names.filter((name) => name.endsWith('.md'));

  it('is in the index', () => {
    const index = readText('docs/README.md');
    const listed = pages.filter((name) => name !== 'README.md' && !/decisions\/\d/.test(name));
    expect(listed.filter((name) => !index.includes(`(${name}`))).toEqual([]);
  });

  it('names only existing files', () => {
    const known = new Set([
      ...names.map((name) => `docs/${name}`),
      ...readdirSync(join(ROOT, 'config')).map((name) => `config/${name}`),
    ]);
    const named = pages.flatMap((page) =>
      [...readText(`docs/${page}`).matchAll(/`((?:docs|config)\/[\w./-]+\.\w+)`/g)].map((match) => match[1] ?? ''),
    );
    expect(named.length).toBeGreaterThan(3);
    expect(named.filter((file) => !known.has(file))).toEqual([]);
  });
});
