/** What one folder of `src`, or one file that lies in `src` itself, may import. */
export interface Layer {
  /** Places whose code it may use, and their types. */
  readonly uses: readonly string[];
  /** Places of which it may know the types only: nothing of them is left after compiling. */
  readonly knows?: readonly string[];
  readonly packages?: readonly string[];
  /** Modules of Node.js: a list, or all of them. */
  readonly node?: readonly string[] | 'any';
}

/** What everybody may know: the nouns, how things fail, and what is never told. */
const NOUNS = ['model/', 'errors', 'secrets/'];
const STORED = ['store/'];

/**
 * The arrows of the design, section 3: main → cli → (wire) → cycle → stages → model. A place that is not in the table has
 * no rule, and that is a fault of its own.
 */
export const LAYERS: Readonly<Record<string, Layer>> = {
  main: { uses: ['cli/'], packages: ['commander'] },
  'cli/': {
    uses: [
      ...NOUNS,
      'new-file',
      'wire',
      'cycle',
      'run',
      'daemon',
      'schedule/',
      'tenants/',
      'web/',
      'explain',
      'link-by-hand',
      'export-users',
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
    packages: ['commander'],
    node: 'any',
  },
  // The composition root: the one place that may make everything.
  wire: {
    uses: [
      ...NOUNS,
      'clock',
      'config/',
      'connectors/',
      'mapping/',
      'mirror/',
      'open-state',
      'planning/',
      'service/',
      'staging/',
      'store/',
      'writeback/',
      'version',
    ],
    knows: ['app', 'apply/', 'logger'],
    node: ['node:path'],
  },
  version: { uses: [], node: ['node:fs'] },
  app: {
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
  // A run of one change that an operator makes: it calls no stage but the one that writes down how changes end.
  'link-by-hand': { uses: [...NOUNS, 'clock', 'apply/', 'audit/', 'reconcile/'], knows: ['store/'] },
  // A run from its first line in the history to its last; the command line and the daemon both call it.
  run: {
    uses: [...NOUNS, 'clock', 'cycle', 'audit/', 'planning/', 'report/', 'writeback/'],
    knows: ['app', 'apply/'],
  },
  // Every tenant by its own schedule; it makes the tenants and gives them turns.
  daemon: { uses: [...NOUNS, 'clock', 'tenants/'], knows: ['logger'] },
  'tenants/': {
    uses: [
      ...NOUNS,
      'clock',
      'config/',
      'connectors/kinds.ts',
      'mapping/',
      'open-state',
      'run',
      'schedule/',
      'service/',
      'store/',
      'wire',
      'planning/reads/overlooked.ts',
      'writeback/list-waiting.ts',
    ],
    knows: ['apply/', 'connectors/kind.ts', 'logger'],
    packages: ['p-queue'],
    node: ['node:fs', 'node:path'],
  },
  'schedule/': { uses: [], packages: ['croner', 'node-cron'] },
  'web/': {
    uses: [...NOUNS, 'clock', 'connectors/listing/lean-heap.ts', 'scim/', 'store/state/push-store.ts'],
    knows: ['tenants/'],
    packages: ['prom-client'],
    node: ['node:crypto', 'node:http', 'node:net', 'node:timers/promises'],
  },
  // SCIM 2.0 itself: schemas, filters, PATCH. Whoever speaks it shares it.
  'scim/': { uses: NOUNS },

  // The state for whoever holds its lock, looked at first.
  'open-state': { uses: [...NOUNS, 'audit/', 'store/'], knows: ['logger'] },

  cycle: {
    uses: [...NOUNS, 'clock', 'apply/', 'mirror/', 'planning/', 'reconcile/', 'staging/', 'writeback/'],
    knows: ['app'],
  },

  // It derives a run as the cycle does, then follows one object through it.
  explain: { uses: [...NOUNS, 'cycle', 'mirror/', 'planning/', 'staging/'], knows: ['app', 'config/', 'mapping/'] },

  // It derives a run as well, and writes the people it wants as a file.
  'export-users': { uses: [...NOUNS, 'cycle', 'csv-import/'], knows: ['app', 'planning/'] },

  // Rows of the service's own import file, for the export and for first loads.
  'csv-import/': { uses: NOUNS, knows: ['config/', ...STORED], packages: ['csv-stringify'] },

  'config/': {
    // Expressions and date formats are checked when the configuration loads, so their checkers are asked.
    uses: [...NOUNS, 'mapping/', 'connectors/kinds.ts', 'settings/'],
    packages: ['yaml', 'zod', 'croner', 'iconv-lite'],
    node: 'any',
  },
  // What the parts of a configuration have in common: a duration, a secret, a folder or SFTP server.
  'settings/': { uses: NOUNS, packages: ['zod'], node: ['node:path'] },
  'connectors/': {
    // A row may be judged by an expression: whether it says that its record is deleted.
    uses: [
      ...NOUNS,
      'clock',
      'answers/',
      'new-file',
      'scim/',
      'settings/',
      'mapping/condition.ts',
      'mapping/record-fault.ts',
    ],
    packages: [
      'csv-parse',
      'csv-stringify',
      'iconv-lite',
      'p-queue',
      'scim2-parse-filter',
      'ssh2-sftp-client',
      'undici',
      'zod',
    ],
    node: 'any',
  },
  // A file that nobody has configured yet: read as a connector would, with its columns guessed.
  'sample/': {
    uses: [...NOUNS, 'connectors/'],
    knows: ['config/'],
    node: ['node:fs', 'node:fs/promises', 'node:path'],
  },
  // What other systems answer, read within bounds: whoever asks over HTTP shares it.
  'answers/': { uses: [...NOUNS, 'connectors/drop/nameless-file.ts'], node: 'any' },
  'mapping/': { uses: NOUNS, knows: ['config/', 'settings/'], packages: ['@marcbachmann/cel-js', 're2js'] },
  'reconcile/': { uses: NOUNS, node: ['node:crypto'] },
  'mirror/': {
    // The hash by which the store tells whether an object moved must be the one that reading gives it.
    uses: [...NOUNS, 'store/hash-observed.ts'],
    knows: ['config/', 'service/', 'clock', 'logger', ...STORED],
    packages: ['croner'],
  },
  // Every stream is read once, and its rows lie in the scratch tables as mapping made them.
  'staging/': {
    uses: [...NOUNS, 'store/hash-observed.ts'],
    knows: ['config/', 'connectors/', 'mapping/', 'logger', ...STORED],
  },
  'planning/': {
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
    knows: ['config/', 'mapping/', ...STORED],
    node: 'any',
  },
  'apply/': {
    uses: [...NOUNS, 'clock', 'audit/', 'csv-import/', 'mirror/', 'reconcile/', 'service/', 'store/hash-observed.ts'],
    knows: ['config/', 'logger', ...STORED],
  },
  // The only writer to the sources, by the writers that the connectors bring; reports of the service go by the stores that
  // drops are read from.
  'writeback/': {
    uses: [
      ...NOUNS,
      'clock',
      'audit/',
      'connectors/drop/delivery-name.ts',
      'connectors/drop/lay-file.ts',
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
    uses: [...NOUNS, 'store/personal-tables.ts'],
    knows: STORED,
    packages: ['csv-stringify'],
    node: ['node:crypto', 'node:fs', 'node:path', 'node:stream'],
  },
  'report/': {
    uses: NOUNS,
    knows: ['apply/', 'audit/', 'explain', 'export-users', 'mapping/', 'planning/', 'staging/'],
    packages: ['csv-stringify'],
    // The page carries its script in itself, and allows it by its hash.
    node: ['node:crypto', 'node:fs'],
  },

  // Reports are CSV; their rows are read as they stream in.
  'service/': {
    uses: [...NOUNS, 'clock', 'answers/'],
    packages: ['csv-parse', 'p-queue', 'undici', 'zod'],
    node: ['node:dns', 'node:net', 'node:stream'],
  },
  'store/': {
    uses: [...NOUNS, 'new-file'],
    packages: ['better-sqlite3', 'drizzle-orm'],
    node: ['node:crypto', 'node:fs', 'node:path', 'node:url'],
  },
  'sandbox/': {
    uses: [...NOUNS, 'clock', 'service/wire.ts'],
    packages: ['better-sqlite3', 'drizzle-orm', 'fastify', 'zod', 'csv-parse'],
    node: 'any',
  },
  // A story told as a user would live it: it starts the sandbox, and the program as a process of its own.
  'demo/': {
    uses: [...NOUNS, 'clock', 'config/', 'planning/', 'report/', 'sandbox/'],
    node: 'any',
  },

  'model/': { uses: [], node: ['node:crypto'] },
  // Known to all, like the errors: whoever reads a secret makes it known, and every way out asks for it.
  'secrets/': { uses: [] },
  errors: { uses: ['secrets/'], knows: ['model/'] },
  clock: { uses: [], node: ['node:events'] },
  'new-file': { uses: [], node: ['node:fs', 'node:fs/promises', 'node:path'] },
  logger: { uses: ['model/', 'secrets/'], packages: ['pino'] },
};

/** Arrows that the table forbids and that stay all the same, each with its reason. */
export const EXCEPTIONS: readonly { readonly from: string; readonly to: string; readonly because: string }[] = [];

/** Packages that only these places may touch, whatever the table above says. */
export const CONFINED: Readonly<Record<string, readonly string[]>> = {
  'better-sqlite3': ['store/', 'sandbox/'],
  'drizzle-orm': ['store/', 'sandbox/'],
  'p-queue': ['connectors/', 'service/', 'tenants/'],
  'ssh2-sftp-client': ['connectors/'],
  undici: ['service/', 'connectors/'],
  pino: ['logger'],
  commander: ['main', 'cli/'],
  fastify: ['sandbox/'],
  'prom-client': ['web/'],
  'node-cron': ['schedule/'],
  zod: ['config/', 'connectors/', 'service/', 'sandbox/', 'settings/'],
};
