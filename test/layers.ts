/** What one folder of `src`, or one file that is in `src` itself, may import. */
export interface Layer {
  /** In CONTRIBUTING's table, which is made of this one. */
  readonly is: string;
  /** Places whose code it may use, and their types. */
  readonly uses: readonly string[];
  /** Places of which it may know the types only: nothing of them is left after compiling. */
  readonly knows?: readonly string[];
  readonly packages?: readonly string[];
  /** Modules of Node.js: a list, or all of them. */
  readonly node?: readonly string[] | 'any';
}

/** What every place may use: the nouns, the errors, and the secrets that no output may show. */
const NOUNS = ['model/', 'errors', 'secrets/'];
const STORED = ['store/'];

/**
 * The arrows of the design, section 3: main → cli → (wire) → cycle → stages → model. A place that is not in the table has
 * no rule, and a test fails. CONTRIBUTING shows the same table: `renderMap`.
 */
export const LAYERS: Readonly<Record<string, Layer>> = {
  main: {
    is: 'argv → `cli/`; the only place that sets an exit code',
    uses: ['cli/', 'errors'],
    packages: ['commander'],
  },
  'cli/': {
    is: 'one thin file per command',
    uses: [
      ...NOUNS,
      'access/',
      'new-file',
      'operations/',
      'wire',
      'watch-progress',
      'cycle',
      'run',
      'daemon',
      'schedule/',
      'tenants/',
      'web/',
      'explain/',
      'link-by-hand',
      'notify/',
      'export-users',
      'read-account',
      'clock',
      'logger',
      'config/',
      'settings/',
      'planning/',
      'mirror/',
      'mapping/',
      'audit/',
      'report/',
      'sample/',
      'store/',
      'writeback/',
      'sandbox/',
      'demo/',
      'version',
    ],
    knows: ['app', 'apply/'],
    packages: ['commander', 'ora'],
    node: 'any',
  },
  wire: {
    is: 'the composition root: configuration → everything that a run works with',
    uses: [
      ...NOUNS,
      'clock',
      'config/',
      'connectors/',
      'mapping/',
      'mirror/',
      'open-sources',
      'open-state',
      'service/',
      'store/',
      'writeback/',
      'version',
      'watch-progress',
    ],
    knows: ['app', 'apply/', 'logger'],
  },
  'watch-progress': {
    is: 'how far sources and service have been read, for those who wait',
    uses: [...NOUNS, 'connectors/'],
    knows: ['store/'],
  },
  'open-sources': {
    is: 'the sources of a configuration, opened beside its state; also those of the configuration before',
    uses: [...NOUNS, 'clock', 'config/', 'connectors/', 'mapping/', 'planning/', 'store/'],
    knows: ['staging/'],
    node: ['node:path'],
  },
  version: { is: 'the version of the package', uses: [], node: ['node:fs'] },
  app: {
    is: 'the types of what `wire` puts together',
    uses: [],
    knows: [
      'model/',
      'apply/',
      'clock',
      'config/',
      'connectors/',
      'logger',
      'mapping/',
      'mirror/',
      'planning/',
      'service/',
      'staging/',
      'store/',
      'writeback/',
    ],
  },
  'link-by-hand': {
    is: 'a link that an operator moves: a run of one change',
    uses: [...NOUNS, 'clock', 'apply/', 'audit/', 'reconcile/'],
    knows: ['store/'],
  },
  run: {
    is: 'one run from its first line in the history to its last; `sync`, `apply` and the daemon call it',
    uses: [...NOUNS, 'clock', 'cycle', 'audit/', 'planning/', 'report/', 'writeback/'],
    knows: ['app', 'apply/'],
  },
  'access/': {
    is: 'who may use the operator pages: people and roles',
    uses: [],
  },
  'operations/': {
    is: 'what operators ask and decide, whether by a command or on a page: documents, and the text of what was ordered',
    uses: [
      ...NOUNS,
      'access/',
      'audit/',
      'clock',
      'explain/',
      'link-by-hand',
      'notify/',
      'planning/',
      'report/',
      'store/',
      'wire',
      'writeback/',
    ],
    knows: ['app', 'config/', 'cycle', 'logger', 'run'],
    node: ['node:fs', 'node:path'],
  },
  daemon: {
    is: 'every tenant on its own schedule',
    uses: [...NOUNS, 'clock', 'tenants/'],
    knows: ['logger', 'operations/'],
  },
  'tenants/': {
    is: 'tenants that come, change and go: their lock, their turns, their stop',
    uses: [
      ...NOUNS,
      'clock',
      'cycle',
      'watch-progress',
      'explain/',
      'config/',
      'connectors/kinds.ts',
      'mapping/',
      'notify/',
      'open-state',
      'operations/',
      'run',
      'schedule/',
      'service/',
      'store/',
      'wire',
      'planning/holds/list-outbox.ts',
      'planning/holds/list-waiting.ts',
      'planning/reads/overlooked.ts',
    ],
    knows: ['app', 'apply/', 'connectors/kind.ts', 'logger'],
    packages: ['p-queue'],
    node: ['node:crypto', 'node:fs', 'node:path'],
  },
  'notify/': {
    is: 'messages about what needs a person: events with a state, an outbox, `channels/`',
    uses: [
      ...NOUNS,
      'clock',
      'answers/guarded-lookup.ts',
      'answers/private-address.ts',
      'load-package',
      'planning/holds/list-waiting.ts',
      'report/writers/page/html-text.ts',
      'schedule/due.ts',
      'store/',
    ],
    knows: ['config/', 'logger'],
    node: ['node:crypto', 'node:fs', 'node:http', 'node:https', 'node:net', 'node:path', 'node:tls'],
  },
  'schedule/': {
    is: 'what is due, purely; the tick of the minute',
    uses: [],
    packages: ['croner', 'node-cron'],
    node: ['node:crypto'],
  },
  'web/': {
    is: '`/livez`, `/readyz`, `/metrics`, the SCIM receiver, and the operator pages',
    uses: [
      ...NOUNS,
      'access/',
      'audit/',
      'clock',
      'answers/private-address.ts',
      'explain/veil-explanation.ts',
      'connectors/listing/lean-heap.ts',
      'operations/',
      'report/',
      'scim/',
      'store/run-lock.ts',
      'store/state/push-store.ts',
    ],
    knows: ['config/', 'logger', 'notify/', 'store/', 'tenants/'],
    packages: [
      '@fastify/cookie',
      '@fastify/csrf-protection',
      '@fastify/formbody',
      '@fastify/helmet',
      '@fastify/rate-limit',
      'fastify',
      'openid-client',
      'p-queue',
      'prom-client',
      'zod',
    ],
    node: [
      'node:crypto',
      'node:events',
      'node:fs',
      'node:http',
      'node:net',
      'node:os',
      'node:stream',
      'node:timers/promises',
      'node:util',
      'node:zlib',
    ],
  },
  'scim/': { is: 'SCIM 2.0 itself, for the receiver and for pulling: schemas, filters, PATCH', uses: NOUNS },

  'open-state': {
    is: 'opens the state for the holder of the run lock, after checking it',
    uses: [...NOUNS, 'audit/', 'store/'],
    knows: ['logger'],
  },

  cycle: {
    is: 'one run, one call per stage: read this first',
    uses: [...NOUNS, 'clock', 'apply/', 'mirror/', 'planning/', 'writeback/'],
    knows: ['app'],
  },

  'explain/': {
    is: 'derives a run, then follows one object through it',
    uses: [...NOUNS, 'cycle', 'audit/', 'connectors/listen-to.ts', 'mirror/', 'planning/', 'staging/'],
    knows: ['app', 'config/', 'connectors/connector.ts', 'mapping/', 'store/'],
  },

  'export-users': {
    is: 'derives a run, and writes its people as an import file',
    uses: [...NOUNS, 'cycle', 'csv-import/'],
    knows: ['app', 'planning/'],
  },

  'read-account': {
    is: 'what an account has before there is a configuration for it: its countries and offices',
    uses: [...NOUNS, 'service/'],
    knows: ['sample/'],
  },
  'csv-import/': {
    is: "people as rows of the service's own import file, for first loads and the export",
    uses: NOUNS,
    knows: ['config/', ...STORED],
    packages: ['csv-stringify'],
  },

  'config/': {
    is: 'YAML → checked, frozen `Config`; all problems at once',
    // Expressions and date formats are checked when the configuration loads, so their checkers are asked.
    uses: [
      ...NOUNS,
      'access/',
      'answers/private-address.ts',
      'mapping/',
      'connectors/kinds.ts',
      'settings/',
      'schedule/',
    ],
    knows: ['answers/'],
    packages: ['yaml', 'zod', 'croner', 'iconv-lite'],
    node: 'any',
  },
  'settings/': {
    is: 'what parts of a configuration have in common: a duration, a secret, a folder or SFTP server',
    uses: NOUNS,
    packages: ['zod'],
    node: ['node:fs', 'node:net', 'node:path'],
  },
  'connectors/': {
    is: '① the port, and one folder per kind of source; they never import each other',
    // A row may be judged by an expression: whether it says that its record is deleted.
    uses: [
      ...NOUNS,
      'clock',
      'answers/',
      'load-package',
      'new-file',
      'scim/',
      'settings/',
      'mapping/condition.ts',
      'mapping/record-fault.ts',
    ],
    packages: ['csv-stringify', 'iconv-lite', 'p-queue', 'ssh2-sftp-client', 'zod'],
    node: 'any',
  },
  'sample/': {
    is: 'a file without a configuration: its columns guessed, a configuration proposed',
    uses: [...NOUNS, 'connectors/', 'mapping/'],
    knows: ['config/'],
    node: ['node:fs', 'node:fs/promises', 'node:path'],
  },
  'answers/': {
    is: 'other systems over HTTP: connections, answers read within bounds, addresses that are not public',
    uses: [...NOUNS, 'connectors/drop/nameless-file.ts'],
    knows: ['settings/'],
    packages: ['undici'],
    node: 'any',
  },
  'mapping/': {
    is: '② records → desired: expressions, scope, join. Pure',
    uses: [...NOUNS, 'load-package'],
    knows: ['config/', 'settings/'],
    packages: ['@marcbachmann/cel-js', 're2js'],
  },
  'reconcile/': {
    is: "⑤ one entity's changes: `match/` (which object), `fields/` (what differs), `leavers/` (who is gone), `order/`, `undo/`, `write-back/`; guards. Pure",
    uses: NOUNS,
    node: ['node:crypto'],
  },
  'mirror/': {
    is: '④ the service, read into `mirror.db`; names → ids',
    // The hash by which the store tells whether an object moved must be the one that reading gives it.
    uses: [...NOUNS, 'store/hash-observed.ts'],
    knows: ['config/', 'service/', 'clock', 'logger', ...STORED],
    packages: ['croner'],
  },
  'staging/': {
    is: '④ the records of the sources, mapped into scratch tables; each stream is read once',
    uses: [...NOUNS, 'store/hash-observed.ts'],
    knows: ['config/', 'connectors/', 'mapping/', 'logger', ...STORED],
  },
  'planning/': {
    is: 'gives reconciliation its ports; `reads/` (what must be read first), `holds/`, `saved/` (the plan file), `undo/`, `write-back/`',
    // An undo begins with what the audit says that a run did.
    uses: [
      ...NOUNS,
      'clock',
      'new-file',
      'audit/',
      'connectors/kinds.ts',
      'csv-import/',
      'mirror/',
      'reconcile/',
      'staging/',
    ],
    knows: ['config/', 'logger', 'mapping/', ...STORED],
    node: 'any',
  },
  'apply/': {
    is: '⑥ plan → calls: journal, verify, resume. The only folder that is given a writer of the service',
    uses: [...NOUNS, 'clock', 'audit/', 'csv-import/', 'mirror/', 'reconcile/', 'service/'],
    knows: ['config/', 'logger', ...STORED],
  },
  // The only writer to the sources, by the writers that the connectors bring; reports and documents of the service go by the stores that
  // drops are read from.
  'writeback/': {
    is: "⑦ plan → sources; deliveries of the service's reports and documents. The only writer to the sources",
    uses: [
      ...NOUNS,
      'clock',
      'audit/',
      'connectors/drop/delivery-name.ts',
      'connectors/drop/deliver-once.ts',
      'connectors/drop/partial-file.ts',
      'connectors/drop/nameless-file.ts',
      'connectors/drop/read-handle.ts',
      'planning/',
      'reconcile/',
      'schedule/',
      'service/',
    ],
    knows: ['apply/', 'config/', 'connectors/', 'logger', 'mapping/', ...STORED],
    node: ['node:crypto'],
  },
  // An erasure reaches into saved plans and reports, and finds what a backup still holds.
  'audit/': {
    is: '⑧ the hash chain; export, erasure',
    uses: [...NOUNS, 'store/personal-tables.ts'],
    knows: STORED,
    packages: ['csv-stringify'],
    node: ['node:crypto', 'node:fs', 'node:path', 'node:stream'],
  },
  'report/': {
    is: 'plans, runs and explanations for people: sections say what, writers how (terminal, Markdown, HTML, CSV)',
    uses: [...NOUNS, 'clock'],
    knows: ['apply/', 'audit/', 'explain/', 'export-users', 'mapping/', 'planning/', 'staging/'],
    packages: ['csv-stringify'],
    // The page carries its script in itself, and allows it by its hash.
    node: ['node:crypto', 'node:fs'],
  },

  // Reports are CSV; their rows are read as they stream in.
  'service/': {
    is: '③ the typed client: transport, limiter, retry, one file per resource',
    uses: [...NOUNS, 'clock', 'answers/'],
    knows: ['settings/'],
    packages: ['csv-parse', 'p-queue', 'zod'],
    node: ['node:dns', 'node:events', 'node:http', 'node:https', 'node:net', 'node:stream', 'node:zlib'],
  },
  'store/': {
    is: 'SQLite: `state.db`, `mirror.db`, scratch tables, run lock, behind ports',
    uses: [...NOUNS, 'new-file'],
    knows: ['access/'],
    packages: ['better-sqlite3', 'drizzle-orm'],
    node: ['node:crypto', 'node:fs', 'node:path', 'node:timers/promises', 'node:url'],
  },
  'sandbox/': {
    is: 'the talent service in one process: `server/` and `routes/` answer from the `records/` in its `store/`; `control/` and `pages/` steer it, `company/` invents its content',
    // Its pages look like the reports.
    uses: [
      ...NOUNS,
      'clock',
      'service/wire.ts',
      'report/writers/page/form-style.ts',
      'report/writers/page/html-text.ts',
      'report/writers/page/page-style.ts',
    ],
    packages: [
      ...['better-sqlite3', 'drizzle-orm', 'fastify', 'zod', 'csv-parse', 'yazl'],
      // Of the writers of documents.
      ...['pdfkit', 'fontkit', 'linebreak', 'bidi-js', 'docx', 'pptxgenjs'],
    ],
    node: 'any',
  },
  'demo/': {
    is: 'the story of `npm run demo`: starts the sandbox, and the program as a process',
    uses: [...NOUNS, 'clock', 'config/', 'planning/', 'report/', 'sandbox/'],
    node: 'any',
  },

  'model/': { is: 'the nouns; no I/O', uses: [], node: ['node:crypto'] },
  // Known to all, like the errors: whoever reads a secret makes it known, and every way out asks for it.
  'secrets/': { is: 'known secrets, and hiding them in output', uses: [] },
  errors: { is: '`SyncError` and the catalogue of codes', uses: ['secrets/'], knows: ['model/'] },
  clock: { is: 'time as an input', uses: [], node: ['node:events', 'node:timers/promises'] },
  'load-package': { is: 'packages that few runs need, when one does', uses: [], node: ['node:module'] },
  'new-file': {
    is: 'a file that appears under its name only when it is complete',
    uses: ['errors'],
    node: ['node:fs', 'node:fs/promises', 'node:path'],
  },
  logger: { is: 'the log: JSON lines without personal data', uses: ['model/', 'secrets/'], packages: ['pino'] },
};

/** Arrows that the table forbids and that stay all the same, each with its reason. */
export const EXCEPTIONS: readonly { readonly from: string; readonly to: string; readonly because: string }[] = [];

/** Packages that only these places may touch, whatever the table above says. */
export const CONFINED: Readonly<Record<string, readonly string[]>> = {
  'better-sqlite3': ['store/', 'sandbox/'],
  'drizzle-orm': ['store/', 'sandbox/'],
  'p-queue': ['connectors/', 'service/', 'tenants/', 'web/'],
  'ssh2-sftp-client': ['connectors/'],
  undici: ['answers/'],
  nodemailer: ['notify/'],
  pino: ['logger'],
  commander: ['main', 'cli/'],
  ora: ['cli/'],
  fastify: ['sandbox/', 'web/'],
  pdfkit: ['sandbox/'],
  docx: ['sandbox/'],
  pptxgenjs: ['sandbox/'],
  'prom-client': ['web/'],
  'node-cron': ['schedule/'],
  zod: ['config/', 'connectors/', 'service/', 'sandbox/', 'settings/', 'web/'],
};

/** The table as CONTRIBUTING shows it. The nouns, which every place may use, are left out. */
export function renderMap(): string {
  const names = (places: readonly string[] = []): readonly string[] => [
    ...new Set(
      places.filter((place) => !NOUNS.includes(place)).map((place) => `\`${place.replace(/(\/).*\.ts$/, '$1')}\``),
    ),
  ];
  const rows = Object.entries(LAYERS).map(([place, { is, uses, knows }]) => {
    const types = names(knows)
      .filter((name) => !names(uses).includes(name))
      .map((name) => `*${name}*`);
    return `| \`src/${place}${place.endsWith('/') ? '' : '.ts'}\` | ${is} | ${[...names(uses), ...types].join(' ') || '–'} |`;
  });
  return ['| place | is | may import (*types only*) |', '|---|---|---|', ...rows].join('\n');
}
