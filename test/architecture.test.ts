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

/** Folder of one connector: `csv`, `scim`; null for those that several connectors are made of. */
function connectorOf(file: string): string | null {
  const [connector] = /^src\/connectors\/([\w-]+)\//.exec(file)?.slice(1) ?? [];
  const isOne = modules.some((one) => one.file === `src/connectors/${connector}/kind.ts`);
  return connector !== undefined && isOne ? connector : null;
}

interface House {
  /** The only files that lie loose in it. */
  readonly loose: readonly string[];
  /** `types`: not even a type may be known in a circle. */
  readonly sees: 'values' | 'types';
}

/** Folders of several rooms, which know each other one way. */
const HOUSES: Readonly<Record<string, House>> = {
  // Mapping knows the shape of the configuration, which asks mapping whether its expressions are right.
  'src/': { loose: ['cycle.ts', 'main.ts'], sees: 'values' },
  'src/sandbox/': { loose: ['sandbox.ts'], sees: 'types' },
};

describe('who may import whom', () => {
  it('has a rule for every file of src, and no rule without a file', () => {
    expect(modules.filter(({ file }) => placeOf(file) === '').map(({ file }) => file)).toEqual([]);
    const places = new Set(modules.map(({ file }) => placeOf(file)));
    expect(Object.keys(LAYERS).filter((place) => !places.has(place))).toEqual([]);
  });

  it('every import is one that the table allows', () => {
    expect(imports.filter((one) => !isAllowed(one) && !isException(one)).map(show)).toEqual([]);
  });

  it('every exception is still needed', () => {
    const forbidden = imports.filter((one) => !isAllowed(one));
    const idle = EXCEPTIONS.filter(({ from, to }) => !forbidden.some((one) => one.from === from && one.target === to));
    expect(idle).toEqual([]);
  });

  it('every local import names a file that is there', () => {
    expect(imports.filter(({ isLocal, target }) => isLocal && !existsSync(join(ROOT, target))).map(show)).toEqual([]);
  });

  for (const [name, places] of Object.entries(CONFINED)) {
    it(`${name} only in ${places.join(', ')}`, () => {
      const users = imports.filter(({ isLocal, target }) => !isLocal && packageOf(target) === name);
      expect(users.filter(({ from }) => !places.includes(placeOf(from))).map(show)).toEqual([]);
    });
  }

  it('connectors do not know each other', () => {
    const strangers = imports.filter(({ from, target }) => {
      const [here, there] = [connectorOf(from), connectorOf(target)];
      return here !== null && there !== null && here !== there;
    });
    expect(strangers.map(show)).toEqual([]);
  });

  it('of the command line only `sandbox` and `sandbox seed` load the sandbox, and only when they run', () => {
    const users = imports.filter(({ from, target }) => placeOf(from) === 'cli/' && placeOf(target) === 'sandbox/');
    expect(users.filter(({ from }) => !/^src\/cli\/sandbox(-seed)?\.ts$/.test(from)).map(show)).toEqual([]);
  });

  it('mapping, reconciliation and the nouns have no way out: no clock, network, timer, process or chance', () => {
    const pure = modules.filter(({ file }) => ['mapping/', 'reconcile/', 'model/'].includes(placeOf(file)));
    expect(pure.length).toBeGreaterThan(30);
    expect(pure.flatMap(findGlobals)).toEqual([]);
    const impure =
      'fetch(u);\nsetTimeout(f);\nDate.now();\nnew Date();\nMath.random();\nprocess.pid;\nnew Date(0); x.fetch(); Math.max(1);';
    expect(findGlobals(parseModule('src/x/y.ts', impure))).toEqual(
      [1, 2, 3, 4, 5, 6].map((line) => `src/x/y.ts:${line}`),
    );
  });

  it('files do not import each other in a circle, not even for a type', () => {
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

describe('only apply can write', () => {
  const WRITER = /^(ServiceWriter|WriteCall|\w+sWriter|create\w+Writer)$/;
  const MAY_HOLD = ['apply/', 'service/', 'app/wire', 'app/app'];

  it('nobody else imports a writer of the service', () => {
    const holders = imports.filter(
      ({ target, names }) => target.startsWith('src/service/') && names.some((name) => WRITER.test(name)),
    );
    expect(holders.length).toBeGreaterThan(5);
    expect(holders.filter(({ from }) => !MAY_HOLD.includes(placeOf(from))).map(show)).toEqual([]);
  });

  it('nobody else takes the writer out of a service', () => {
    const takers = modules
      .filter(({ file }) => !MAY_HOLD.includes(placeOf(file)))
      .flatMap((module) => findNamed(module, 'writer'));
    expect(takers).toEqual([]);
  });

  it('sees a writer that is taken out, by a dot or by a pattern', () => {
    const by = (text: string) => findNamed(parseModule('src/x/y.ts', text), 'writer');
    expect(by('const w = app.service.writer;')).toEqual(['src/x/y.ts:1']);
    expect(by('const { reader, writer } = service;')).toEqual(['src/x/y.ts:1']);
    expect(by('const { writer: w } = service;')).toEqual(['src/x/y.ts:1']);
    expect(by('const { reader } = service;')).toEqual([]);
  });
});

describe('an assistant can only read', () => {
  /** Every file that some code of a folder can come to, by whatever way. */
  function reach(folder: string): readonly string[] {
    const reached = new Set(modules.filter(({ file }) => file.startsWith(folder)).map(({ file }) => file));
    const next = (file: string): readonly Import[] => modules.find((one) => one.file === file)?.imports ?? [];
    for (const file of reached)
      for (const { target, isLocal, isValue } of next(file)) if (isLocal && isValue) reached.add(target);
    return [...reached];
  }
  const FOLDER = 'src/daemon/assistant/';
  const reached = reach(FOLDER);

  it('its modules reach nothing that writes to the service, to a source or to a state', () => {
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

  it('they read files, start no process, and load no package but the server of the protocol', () => {
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
  it('no drawers and no barrels', () => {
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

  it('files are kebab-case and told at a glance: the cycle in at most 120 lines', () => {
    expect(
      modules.filter(({ file }) => !/^[a-z0-9]+(-[a-z0-9]+)*\.ts$/.test(basename(file))).map(({ file }) => file),
    ).toEqual([]);
    expect(modules.find(({ file }) => file === 'src/cycle.ts')?.text.split('\n').length).toBeLessThanOrEqual(121);
  });

  it('no name for two types, exported or not', () => {
    const files = new Map<string, readonly string[]>();
    for (const module of modules) {
      for (const name of new Set(listTypeNames(module))) files.set(name, [...(files.get(name) ?? []), module.file]);
    }
    expect(files.size).toBeGreaterThan(500);
    expect([...files].filter(([, places]) => places.length > 1)).toEqual([]);
  });

  it('one test for a JSON object', () => {
    const TEST =
      /typeof ([\w.]+) === 'object' && \1 !== null && !Array\.isArray\(\1\)|typeof ([\w.]+) !== 'object' \|\| \2 === null \|\| Array\.isArray\(\2\)/;
    const copies = modules.filter(({ text }) => TEST.test(text));
    // Secrets are known to the nouns, so they know none.
    expect(copies.map(({ file }) => file)).toEqual(['src/base/secrets/secret.ts', 'src/model/json.ts']);
  });

  it('one way to send HTTP, with its proxies, addresses, times and sizes', () => {
    const SENDS = /(return|await|=>) fetch\(|globalThis\.fetch\(|import\('undici'\)|\brequest\(|from 'openid-client'/;
    const senders = modules.filter(({ text }) => SENDS.test(text.replaceAll(/^\s*(\/\/|\/?\*).*$/gm, '')));
    expect(senders.map(({ file }) => file)).toEqual([
      'src/base/http/fetch-sockets.ts',
      'src/base/http/http-sockets.ts',
      'src/base/http/tunnel.ts',
      // The demo plays a person who uses the service's own pages.
      'src/cli/demo/colleague.ts',
      // A person calls their daemon from a terminal.
      'src/daemon/web/operator/api/ask-daemon.ts',
      // The package sends the calls of a log-in itself, within its own time limit.
      'src/daemon/web/operator/openid-login.ts',
      // Only names the `fetch` that callers of the client get unless they give another.
      'src/service/transport.ts',
    ]);
  });

  it('one kit for the forms of pages', () => {
    const FORM = /type="hidden"|method="post"|method: 'post'|class="removal"/;
    const writers = modules.filter(({ text }) => FORM.test(text));
    expect(writers.map(({ file }) => file)).toEqual(['src/report/writers/page/form-parts.ts']);
  });

  it('no template shows the name of a value instead of the value', () => {
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

  it('no default exports', () => {
    expect([...modules, ...tests].flatMap(findDefaultExports)).toEqual([]);
  });

  it('no `any`, no silenced compiler', () => {
    expect(modules.flatMap(findAny)).toEqual([]);
    const silenced = [...modules, ...tests].filter(({ text }) =>
      /\/\/\s*@ts-(ignore|nocheck)|\/\*\s*@ts-(ignore|nocheck)/.test(text),
    );
    expect(silenced.map(({ file }) => file)).toEqual([]);
  });

  it('no test is singled out or passed over', () => {
    expect(tests.flatMap(findPicked)).toEqual([]);
    expect(
      findPicked(
        parseModule('test/x.test.ts', "it.only('a', () => {});\ndescribe.skip('b', () => {});\nit.each([]).skip('c');"),
      ),
    ).toEqual(['test/x.test.ts:1', 'test/x.test.ts:2', 'test/x.test.ts:3']);
  });

  it('what is printed goes through print.ts, the log through logger.ts, and both hide secrets', () => {
    const WRITES = /\bstd(out|err)\.write\(|\bconsole\.(log|warn|error|info)\(/;
    const writers = modules.filter(({ file, text }) => placeOf(file) !== 'sandbox/' && WRITES.test(text));
    // The log is clean when it comes to its stream, and help has nothing but our own words.
    expect(writers.map(({ file }) => file)).toEqual(['src/cli/open-logger.ts', 'src/cli/program.ts']);
    const logger = modules.find(({ file }) => file === 'src/base/logger.ts');
    expect(logger?.text).toMatch(/cleanText\(.*hideSecretsInJson\(/);
  });

  it('the exit code and the environment are touched in main alone, the time in clock', () => {
    const touches = modules.flatMap((module) =>
      [...findCalls(module, 'process', ['exit', 'exitCode', 'env']), ...findCalls(module, 'Date', ['now'])].filter(
        () => !['src/main.ts', 'src/base/clock.ts'].includes(module.file),
      ),
    );
    expect(touches).toEqual([]);
  });
});

describe('files that comments name', () => {
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
  it('tell types from code, and find a circle', () => {
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
    ['none: files of one room', ['a/x', './y', 'a/y', './x'], null],
    ['none: two rooms one way', ['a/x', '../b/y', 'a/v', '../b/z'], null],
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

/** Files that list fields and are no copy of a column of `FIELDS`, each with the reason. */
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
/** Words of other systems: the service, SCIM, CRMs, a file nobody has described yet. The sandbox has its own table. */
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
  // Shapes and entities have names of fields too, and a body that is built in a function is no list.
  ["const A = ['tags', 'office', 'offices'];", null],
  ["type A = Pick<User, 'upn' | 'email'>;", null],
  ['function f(x) { return { upn: x, email: x }; }', null],
  ["const A = ['telephone', 'customer_url'];", null],
])('a list of fields is seen in %s', (text, found) => {
  expect(findFieldLists(parseModule('src/x/y.ts', text))).toEqual(found === null ? [] : [`src/x/y.ts:1: ${found}`]);
});

/** Verbs that do not say what comes back: alone, or as the name of functions with different results. */
const VAGUE = ['describe', 'handle', 'judge', 'look', 'refuse', 'tell'];

/** One thing in each format, place or kind, where the reader sees from the import which one it is; each with the reason. */
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
    // One file may say what comes of each kind of argument.
    const results = new Map<string, Map<string, string>>();
    for (const { name, result, file } of functions)
      results.set(name, (results.get(name) ?? new Map<string, string>()).set(file, result));
    return [...results].flatMap(([name, found]) => (new Set(found.values()).size > 1 ? [name] : [])).sort();
  };

  it('say more than a vague verb', () => {
    expect(own.length).toBeGreaterThan(5_000);
    expect(own.filter(({ name }) => VAGUE.includes(name)).map(({ file, name }) => `${file}: ${name}`)).toEqual([]);
  });

  it('with a vague verb mean one result', () => {
    const vague = new RegExp(`^(${VAGUE.join('|')})[A-Z]`);
    expect(sharing(own.filter(({ name }) => vague.test(name)))).toEqual([]);
  });

  it('that are exported mean one result, but for those of the list', () => {
    expect(sharing(own.filter(({ isExported }) => isExported))).toEqual(Object.keys(SHARED));
  });
});
