import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findFieldLists } from './field-lists.js';
import { CONFINED, EXCEPTIONS, LAYERS, placeOf } from './layers.js';
import {
  findAny,
  findCalls,
  findCircle,
  findDefaultExports,
  findGlobals,
  findNamed,
  findPicked,
  findRoomCircle,
  findUnfilled,
  listFunctions,
  listTypeNames,
  type TopFunction,
} from './module-finders.js';
import { type Import, parseModule, ROOT, readModules, roomOf } from './module-graph.js';
import { endsOf, findAllStaleNames, findStaleNames } from './named-files.js';

const modules = readModules('src');
const tests = readModules('test');
const imports = modules.flatMap((module) => module.imports);

function show({ from, line, target }: Import): string {
  return `${from}:${line} → ${target}`;
}

function packageOf(specifier: string): string {
  const [first = '', second = ''] = specifier.split('/');
  return first.startsWith('@') ? `${first}/${second}` : first;
}

function isAllowed({ from, target, isLocal, isValue }: Import): boolean {
  const here = placeOf(from);
  const layer = LAYERS[here];
  if (layer === undefined) return false;
  if (!isLocal) {
    if (target.startsWith('node:')) return layer.node === 'any' || layer.node?.includes(target) === true;
    return layer.packages?.includes(packageOf(target)) === true;
  }
  const there = placeOf(target);
  const names = [there, target.replace(/^src\//, '')];
  if (here === there || names.some((name) => layer.uses.includes(name))) return true;
  return !isValue && names.some((name) => layer.knows?.includes(name) === true);
}

function isException({ from, target }: Import): boolean {
  return EXCEPTIONS.some((exception) => exception.from === from && exception.to === target);
}

/** Folder of one connector, such as `csv` or `scim`; null for folders that several connectors share. */
function connectorOf(file: string): string | null {
  const [connector] = /^src\/connectors\/([\w-]+)\//.exec(file)?.slice(1) ?? [];
  const isOne = modules.some((one) => one.file === `src/connectors/${connector}/kind.ts`);
  return connector !== undefined && isOne ? connector : null;
}

interface House {
  /** The only files directly in the folder. */
  readonly loose: readonly string[];
  /** With `types`, even type imports must not form a circle. */
  readonly sees: 'values' | 'types';
}

/** Folders with several rooms. The imports between the rooms must not form a circle. */
const HOUSES: Readonly<Record<string, House>> = {
  // Mapping knows the shape of the configuration, and the configuration asks mapping to check expressions.
  'src/': { loose: ['cycle.ts', 'main.ts'], sees: 'values' },
  'src/sandbox/': { loose: ['sandbox.ts'], sees: 'types' },
};

describe('imports between folders', () => {
  it('have a rule for every file of src, and no rule without a file', () => {
    expect(modules.filter(({ file }) => placeOf(file) === '').map(({ file }) => file)).toEqual([]);
    const places = new Set(modules.map(({ file }) => placeOf(file)));
    expect(Object.keys(LAYERS).filter((place) => !places.has(place))).toEqual([]);
  });

  it('are all allowed by the table', () => {
    expect(imports.filter((one) => !isAllowed(one) && !isException(one)).map(show)).toEqual([]);
  });

  it('need every exception', () => {
    const forbidden = imports.filter((one) => !isAllowed(one));
    const idle = EXCEPTIONS.filter(({ from, to }) => !forbidden.some((one) => one.from === from && one.target === to));
    expect(idle).toEqual([]);
  });

  it('name existing files', () => {
    expect(imports.filter(({ isLocal, target }) => isLocal && !existsSync(join(ROOT, target))).map(show)).toEqual([]);
  });

  for (const [name, places] of Object.entries(CONFINED)) {
    it(`${name} only in ${places.join(', ')}`, () => {
      const users = imports.filter(({ isLocal, target }) => !isLocal && packageOf(target) === name);
      expect(users.filter(({ from }) => !places.includes(placeOf(from))).map(show)).toEqual([]);
    });
  }

  it('stay within a connector', () => {
    const strangers = imports.filter(({ from, target }) => {
      const [here, there] = [connectorOf(from), connectorOf(target)];
      return here !== null && there !== null && here !== there;
    });
    expect(strangers.map(show)).toEqual([]);
  });

  it('load the sandbox only from `sandbox` and `sandbox seed`, and only when they run', () => {
    const users = imports.filter(({ from, target }) => placeOf(from) === 'cli/' && placeOf(target) === 'sandbox/');
    expect(users.filter(({ from }) => !/^src\/cli\/sandbox(-seed)?\.ts$/.test(from)).map(show)).toEqual([]);
  });

  it('leave mapping, reconciliation and model without clock, network, timer, process or chance', () => {
    const pure = modules.filter(({ file }) => ['mapping/', 'reconcile/', 'model/'].includes(placeOf(file)));
    expect(pure.length).toBeGreaterThan(30);
    expect(pure.flatMap(findGlobals)).toEqual([]);
    const impure =
      'fetch(u);\nsetTimeout(f);\nDate.now();\nnew Date();\nMath.random();\nprocess.pid;\nnew Date(0); x.fetch(); Math.max(1);';
    expect(findGlobals(parseModule('src/x/y.ts', impure))).toEqual(
      [1, 2, 3, 4, 5, 6].map((line) => `src/x/y.ts:${line}`),
    );
  });

  it('form no circle between files, not even for a type', () => {
    expect(findCircle(modules)).toBeNull();
  });

  for (const [folder, { loose, sees }] of Object.entries(HOUSES)) {
    it(`at most 20 entries in ${folder}, which know each other one way (${sees}), and only ${loose} loose`, () => {
      const rooms = new Set(
        modules.filter(({ file }) => file.startsWith(folder)).map(({ file }) => roomOf(file, folder)),
      );
      expect(rooms.size).toBeLessThanOrEqual(20);
      expect([...rooms].filter((room) => !room.endsWith('/')).sort()).toEqual(loose);
      expect(findRoomCircle(modules, folder, sees)).toBeNull();
    });
  }
});

describe('write access', () => {
  const WRITER = /^(ServiceWriter|WriteCall|\w+sWriter|create\w+Writer)$/;
  const MAY_HOLD = ['apply/', 'service/', 'app/wire', 'app/app'];

  it('only apply imports a writer of the service', () => {
    const holders = imports.filter(
      ({ target, names }) => target.startsWith('src/service/') && names.some((name) => WRITER.test(name)),
    );
    expect(holders.length).toBeGreaterThan(5);
    expect(holders.filter(({ from }) => !MAY_HOLD.includes(placeOf(from))).map(show)).toEqual([]);
  });

  it('only apply takes the writer out of a service', () => {
    const takers = modules
      .filter(({ file }) => !MAY_HOLD.includes(placeOf(file)))
      .flatMap((module) => findNamed(module, 'writer'));
    expect(takers).toEqual([]);
  });

  it('detects a writer that is taken out, by a dot or by a pattern', () => {
    const by = (text: string) => findNamed(parseModule('src/x/y.ts', text), 'writer');
    expect(by('const w = app.service.writer;')).toEqual(['src/x/y.ts:1']);
    expect(by('const { reader, writer } = service;')).toEqual(['src/x/y.ts:1']);
    expect(by('const { writer: w } = service;')).toEqual(['src/x/y.ts:1']);
    expect(by('const { reader } = service;')).toEqual([]);
  });
});

describe('the assistant', () => {
  /** Every file that the code of a folder can reach through imports. */
  function reach(folder: string): readonly string[] {
    const reached = new Set(modules.filter(({ file }) => file.startsWith(folder)).map(({ file }) => file));
    const next = (file: string): readonly Import[] => modules.find((one) => one.file === file)?.imports ?? [];
    for (const file of reached)
      for (const { target, isLocal, isValue } of next(file)) if (isLocal && isValue) reached.add(target);
    return [...reached];
  }
  const FOLDER = 'src/daemon/assistant/';
  const reached = reach(FOLDER);

  it('has no module that reaches code that writes to the service, a source or a state', () => {
    const places = new Set(reached.map(placeOf));
    const HARMLESS = [
      'daemon/assistant/',
      'model/',
      'base/errors',
      'base/secrets/',
      'base/load-package',
      'base/version',
    ];
    expect([...places].filter((place) => !HARMLESS.includes(place))).toEqual([]);
    expect(new Set(reach('src/daemon/web/operator/api/').map(placeOf))).toContain('store/');
  });

  it("only reads files, starts no process, and loads no package but the protocol's server", () => {
    const outside = imports.filter(({ from, isLocal, isValue }) => reached.includes(from) && !isLocal && isValue);
    const used = outside.flatMap(({ target, names }) => names.map((name) => `${target} ${name}`));
    expect([...new Set(used)].sort()).toEqual([
      'node:fs existsSync',
      'node:fs readFileSync',
      'node:fs readdirSync',
      'node:module createRequire',
      'zod *',
    ]);
    const loaded = modules
      .filter(({ file }) => file.startsWith(FOLDER))
      .flatMap(({ text }) => [...text.matchAll(/loadPackage<[^;]*?>\(\s*'([^']+)'/g)].map(([, name]) => name));
    expect(loaded.sort()).toEqual(
      ['mcp', 'stdio', 'webStandardStreamableHttp'].map((name) => `@modelcontextprotocol/sdk/server/${name}.js`),
    );
  });
});

describe('house style', () => {
  it('has no drawers and no barrels', () => {
    const DRAWERS = /^(utils?|lib|helpers?|common|misc|shared)(\.ts)?$/;
    const parts = modules.flatMap(({ file }) =>
      file
        .split('/')
        .slice(1)
        .map((part) => ({ file, part })),
    );
    expect(parts.filter(({ part }) => DRAWERS.test(part)).map(({ file }) => file)).toEqual([]);
    expect(modules.filter(({ file }) => basename(file) === 'index.ts').map(({ file }) => file)).toEqual([]);
  });

  it('names files in kebab-case, and keeps the cycle within 120 lines', () => {
    expect(
      modules.filter(({ file }) => !/^[a-z0-9]+(-[a-z0-9]+)*\.ts$/.test(basename(file))).map(({ file }) => file),
    ).toEqual([]);
    expect(modules.find(({ file }) => file === 'src/cycle.ts')?.text.split('\n').length).toBeLessThanOrEqual(121);
  });

  it('gives no two types the same name, exported or not', () => {
    const files = new Map<string, readonly string[]>();
    for (const module of modules) {
      for (const name of new Set(listTypeNames(module))) files.set(name, [...(files.get(name) ?? []), module.file]);
    }
    expect(files.size).toBeGreaterThan(500);
    expect([...files].filter(([, places]) => places.length > 1)).toEqual([]);
  });

  it('has one test for a JSON object', () => {
    const TEST =
      /typeof ([\w.]+) === 'object' && \1 !== null && !Array\.isArray\(\1\)|typeof ([\w.]+) !== 'object' \|\| \2 === null \|\| Array\.isArray\(\2\)/;
    const copies = modules.filter(({ text }) => TEST.test(text));
    // The nouns use the secrets module, so the secrets module must not import the nouns.
    expect(copies.map(({ file }) => file)).toEqual(['src/base/secrets/secret.ts', 'src/model/json.ts']);
  });

  it('has one way to send HTTP, with its proxies, addresses, times and sizes', () => {
    const SENDS = /(return|await|=>) fetch\(|globalThis\.fetch\(|import\('undici'\)|\brequest\(|from 'openid-client'/;
    const senders = modules.filter(({ text }) => SENDS.test(text.replaceAll(/^\s*(\/\/|\/?\*).*$/gm, '')));
    expect(senders.map(({ file }) => file)).toEqual([
      'src/base/http/fetch-sockets.ts',
      'src/base/http/http-sockets.ts',
      'src/base/http/tunnel.ts',
      // The demo acts as a person who uses the service's own pages.
      'src/cli/demo/colleague.ts',
      // An operator calls the daemon from a terminal.
      'src/daemon/web/operator/api/ask-daemon.ts',
      // The package sends the calls of a login, with its own time limit.
      'src/daemon/web/operator/openid-login.ts',
      // Names the default `fetch` for callers of the client, but does not call it.
      'src/service/transport.ts',
    ]);
  });

  it('has one kit for the forms of pages', () => {
    const FORM = /type="hidden"|method="post"|method: 'post'|class="removal"/;
    const writers = modules.filter(({ text }) => FORM.test(text));
    expect(writers.map(({ file }) => file)).toEqual(['src/report/writers/page/form-parts.ts']);
  });

  it('shows no name of a value in a template instead of the value', () => {
    expect(modules.flatMap(findUnfilled)).toEqual([]);
    const wrong = [
      'html`<option>#name</option>`',
      'html`#{a} # {name} #{b}`',
      'html`\\#{name}`',
      'worded`#{a}: #count`',
      'html`<p>#{html`<b>#name</b>`}</p>`',
    ];
    const right = ['html`<option>#{name}</option>`', 'html`<p>5 #</p>`', 'run`SELECT #id`'];
    const find = (line: string) => findUnfilled(parseModule('src/x.ts', `${line.replaceAll('#', '$')};`));
    expect(wrong.filter((line) => find(line).length !== 1)).toEqual([]);
    expect(right.flatMap(find)).toEqual([]);
  });

  it('has no default exports', () => {
    expect([...modules, ...tests].flatMap(findDefaultExports)).toEqual([]);
  });

  it('has no `any` and no silenced compiler', () => {
    expect(modules.flatMap(findAny)).toEqual([]);
    const silenced = [...modules, ...tests].filter(({ text }) =>
      /\/\/\s*@ts-(ignore|nocheck)|\/\*\s*@ts-(ignore|nocheck)/.test(text),
    );
    expect(silenced.map(({ file }) => file)).toEqual([]);
  });

  it('singles out and skips no tests', () => {
    expect(tests.flatMap(findPicked)).toEqual([]);
    expect(
      findPicked(
        parseModule('test/x.test.ts', "it.only('a', () => {});\ndescribe.skip('b', () => {});\nit.each([]).skip('c');"),
      ),
    ).toEqual(['test/x.test.ts:1', 'test/x.test.ts:2', 'test/x.test.ts:3']);
  });

  it('prints through print.ts and logs through logger.ts, which both hide secrets', () => {
    const WRITES = /\bstd(out|err)\.write\(|\bconsole\.(log|warn|error|info)\(/;
    const writers = modules.filter(({ file, text }) => placeOf(file) !== 'sandbox/' && WRITES.test(text));
    // The log hides secrets before it reaches its stream, and help contains only fixed texts.
    expect(writers.map(({ file }) => file)).toEqual(['src/cli/open-logger.ts', 'src/cli/program.ts']);
    const logger = modules.find(({ file }) => file === 'src/base/logger.ts');
    expect(logger?.text).toMatch(/cleanText\(.*hideSecretsInJson\(/);
  });

  it('uses the exit code and the environment only in main, and the time only in clock', () => {
    const touches = modules.flatMap((module) =>
      [...findCalls(module, 'process', ['exit', 'exitCode', 'env']), ...findCalls(module, 'Date', ['now'])].filter(
        () => !['src/main.ts', 'src/base/clock.ts'].includes(module.file),
      ),
    );
    expect(touches).toEqual([]);
  });
});

describe('files named in comments', () => {
  it('exist', () => {
    expect(findAllStaleNames()).toEqual([]);
  });

  it('are found in every kind of comment, with or without their folders', () => {
    const ends = endsOf(['src/model/json.ts', 'docs/reference/guards.md', 'src/sandbox/pages/page.ts']);
    const text = [
      '/** See `json.ts`, model/json.ts, src/model/json.ts and docs/reference/guards.md, which Node.js reads. */',
      ' * `gone.ts` is gone, and so is model/gone.md.',
      ["const a = 'gone.ts';", '//', 'moved to src/planning/json.ts'].join(' '),
      "// import('./page.js'), https://example.com/gone.md, src/x.ts and text.split()",
    ].join('\n');
    expect(findStaleNames('src/a.ts', text, ends)).toEqual([
      'src/a.ts:2 gone.ts',
      'src/a.ts:2 model/gone.md',
      'src/a.ts:3 src/planning/json.ts',
    ]);
  });
});

describe('the checks themselves', () => {
  it('distinguish types from code, and find a circle', () => {
    const text =
      "import type { A } from './a.js';\nimport { type B, c } from './b.js';\nimport { type D } from '../d/e.js';\nconst f = await import('./f.js');";
    const seen = parseModule('src/x/y.ts', text).imports.map(({ target, isValue }) => [target, isValue]);
    expect(seen).toEqual([
      ['src/x/a.ts', false],
      ['src/x/b.ts', true],
      ['src/d/e.ts', false],
      ['src/x/f.ts', true],
    ]);
    const files = (back: string) => [
      parseModule('src/a.ts', "import { b } from './b.js';"),
      parseModule('src/b.ts', back),
    ];
    const circle = ['src/a.ts', 'src/b.ts', 'src/a.ts'];
    expect(findCircle(files("import { a } from './a.js';"))).toEqual(circle);
    expect(findCircle(files("import type { A } from './a.js';"))).toEqual(circle);
    expect(findCircle(files("type A = import('./a.js').A;"))).toEqual(circle);
    expect(findCircle(files("import { c } from './c.js';"))).toBeNull();
  });

  it.each([
    ['two rooms, by a type', ['a/x', '../b/y', 'b/z', '../a/v'], ['a/', 'b/', 'a/']],
    ['a room and a loose file', ['a/x', '../b', 'b', './a/v'], ['a/', 'b.ts', 'a/']],
    ['none: files of the same room', ['a/x', './y', 'a/y', './x'], null],
    ['none: two rooms in one direction', ['a/x', '../b/y', 'a/v', '../b/z'], null],
    ['none: a circle that leaves the folder', ['a/x', '../../out', 'b/y', '../a/x'], null],
  ])('find a circle of %s', (_, [one, first, two, second], circle) => {
    const files = [
      parseModule(`src/s/${one}.ts`, `import type { T } from '${first}.js';`),
      parseModule(`src/s/${two}.ts`, `import { v } from '${second}.js';`),
      parseModule('src/out.ts', "import { w } from './s/b/y.js';"),
    ];
    expect(findRoomCircle(files, 'src/s/', 'types')).toEqual(circle);
    expect(findRoomCircle(files, 'src/s/', 'values')).toBeNull();
  });
});

/** Files that list fields without copying a column of `FIELDS`, each with the reason. */
const MAY_LIST: Readonly<Record<string, string>> = {
  'src/model/fields.ts': 'the list itself',
  'src/model/sections.ts': 'the part of it that sections of a CV are',
  'src/model/entity.ts': 'the words by which a source refers to an object, surest first: a row per entity',
  'src/config/entities/resolve-entities.ts': 'the two ends of a link to a project',
  'src/model/import-columns.ts': "columns of the service's own import file, in its order (spec, CSV import)",
  'src/planning/csv-import/read-cells.ts': 'how each of these columns is filled',
  'src/mapping/protector.ts': 'the columns that an expression of `users.protect` sees',
  'src/apply/bodies.ts': 'how a value of each special field is sent; the others go by their shape',
  'src/apply/steps/proposal-contents-steps.ts': 'the calls of each content; the compiler asks for every one',
};
/** Files with field names of other systems: the service, SCIM, CRMs, sample files. The sandbox has its own table. */
const OF_OTHERS = /^src\/(sandbox|config\/sample|cli\/demo|connectors|service)\/|^src\/store\/state\/push-store/;

it('keeps no list of fields next to FIELDS, as a list, a union, cases or keys', () => {
  const lists = modules.filter(({ file }) => !OF_OTHERS.test(file)).flatMap(findFieldLists);
  const isAllowed = (list: string): boolean => MAY_LIST[list.replace(/:.*/, '')] !== undefined;
  expect(lists.filter((list) => !isAllowed(list))).toEqual([]);
  const idle = Object.keys(MAY_LIST).filter((file) => !lists.some((list) => list.startsWith(`${file}:`)));
  expect(idle).toEqual([]);
});

it.each([
  ["const A = ['telephone', 'landline'];", 'telephone, landline'],
  ["const A = new Set(['customer_url', 'customer_name', 'other']);", 'customer_url, customer_name'],
  ["type A = 'workflow_stage' | 'architect';", 'workflow_stage, architect'],
  ['const A = { archived: 1, status: 2 };', 'archived, status'],
  ["const A = { b: { upn: 'UPN', email: 'e-mail' } };", 'upn, email'],
  ["function f(x) { switch (x) { case 'upn': case 'email': return 1; } }", 'upn, email'],
  ["pick(text, 'upn', 'email');", 'upn, email'],
  // Some fields have the name of a shape or an entity. A body that a function builds is not a list.
  ["const A = ['tags', 'office', 'offices'];", null],
  ["type A = Pick<User, 'upn' | 'email'>;", null],
  ['function f(x) { return { upn: x, email: x }; }', null],
  ["const A = ['telephone', 'customer_url'];", null],
])('detects a list of fields in %s', (text, found) => {
  expect(findFieldLists(parseModule('src/x/y.ts', text))).toEqual(found === null ? [] : [`src/x/y.ts:1: ${found}`]);
});

/** Verbs that do not say what a function returns: alone, or in functions with different results. */
const VAGUE = ['describe', 'handle', 'judge', 'look', 'refuse', 'tell'];

/** Names that several modules use, because the import shows which function is meant; each with the reason. */
const SHARED: Readonly<Record<string, string>> = {
  ask: 'the build of a read call; a command over SFTP',
  buildProgram: 'the commands of the command line; the expressions of a mapping',
  checkLanguage: 'the same rule, reported or returned',
  columnOf: 'the column of an expression; that of a sample',
  columnsOf: 'columns of the import file, of a report, of a statement',
  decide: 'the verdict on a leaf; what runs inside the stores of a decision',
  explain: 'the reason of a change; that of a hold',
  findNamed: 'by name in each of two lists',
  findOne: 'one object to explain; one resource to write',
  findRows: 'the rows of a file to try; those in a document',
  findStanding: 'where a plan stands; which rows stand',
  kindOf: 'the kind of a source; that of a key',
  listGuards: 'for a message; for a section',
  listLeaves: 'of a declined change; of a run to undo',
  listPeople: 'rows of people to import; names in a proposal',
  listWaiting: 'changes that wait; causes that they wait for',
  parseOrNull: 'JSON of an answer; JSON of a cell of the store',
  read: 'the build of a read call; a column of a sample',
  readCells: 'of a source row; of an import row',
  readEntries: 'of the audit; of a tree; of a project',
  readId: 'the id that a question asks for; an id on the wire',
  readLines: 'of a delivery; of a plan file',
  readNewestPlan: 'as the demo claims it; as the store has it',
  readRows: 'of an answer; to explain; of a sample',
  readTexts: 'of a value in languages; of an entry',
  readWords: 'what a system says in an answer that fails',
  renderBlock: 'one thing per format',
  renderBlocks: 'one thing per format',
  renderColumns: 'of a configuration; of a chart',
  renderFacts: 'one thing per format',
  renderGroup: 'of a report on a terminal; of SCIM',
  renderSection: 'one thing per format',
  renderWaiting: 'one thing per format',
  resolveIndustry: 'its id for a call; its id or a doubt for a plan',
  wordsOf: 'of a value to compare; of a value to show',
};

describe('names of functions', () => {
  const own = modules.filter(({ file }) => !file.startsWith('src/sandbox/')).flatMap(listFunctions);
  const sharing = (functions: readonly TopFunction[]): readonly string[] => {
    // A file may have several functions with this name, one per kind of argument.
    const results = new Map<string, Map<string, string>>();
    for (const { name, result, file } of functions)
      results.set(name, (results.get(name) ?? new Map<string, string>()).set(file, result));
    return [...results].flatMap(([name, found]) => (new Set(found.values()).size > 1 ? [name] : [])).sort();
  };

  it('say more than a vague verb', () => {
    expect(own.length).toBeGreaterThan(5_000);
    expect(own.filter(({ name }) => VAGUE.includes(name)).map(({ file, name }) => `${file}: ${name}`)).toEqual([]);
  });

  it('have one result per vague verb', () => {
    const vague = new RegExp(`^(${VAGUE.join('|')})[A-Z]`);
    expect(sharing(own.filter(({ name }) => vague.test(name)))).toEqual([]);
  });

  it('have one result per exported vague verb, except those of the list', () => {
    expect(sharing(own.filter(({ isExported }) => isExported))).toEqual(Object.keys(SHARED));
  });
});
