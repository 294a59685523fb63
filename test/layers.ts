/** The imports that a folder or file of `src` may have. */
export interface Layer {
  /** A description for the table of CONTRIBUTING, which is generated from this table. */
  readonly is: string;
  /** Places that the layer may import code and types from. */
  readonly uses: readonly string[];
  /** Places that the layer may import only types from, which disappear when compiled. */
  readonly knows?: readonly string[];
  readonly packages?: readonly string[];
  /** Modules of Node.js: a list, or all of them. */
  readonly node?: readonly string[] | 'any';
}

/** Allowed for every place: the nouns, the errors, and the secrets that no output may show. */
const NOUNS = ['model/', 'base/errors', 'base/secrets/'];
const STORED = ['store/'];

/**
 * The layers of the design, section 3: main → cli → (wire) → cycle → stages → model. A file belongs to the longest
 * matching place; a file without a place fails a test. `renderMap` writes the table of CONTRIBUTING from these layers.
 */
export const LAYERS: Readonly<Record<string, Layer>> = {
  main: {
    is: 'argv → `cli/`; the only place that sets an exit code',
    uses: ['cli/', 'base/errors'],
    packages: ['commander'],
  },
  'cli/': {
    is: 'one thin file per command',
    uses: [
      ...NOUNS,
      'config/access/',
      'base/new-file',
      'operations/',
      'app/open-state',
      'app/wire',
      'app/watch-progress',
      'cycle',
      'operations/run',
      'daemon/daemon',
      'daemon/signals/',
      'config/schedule/',
      'daemon/tenants/',
      'daemon/assistant/',
      'daemon/web/',
      'report/explain/',
      'operations/link-by-hand',
      'operations/notify/',
      'report/export-users',
      'operations/read-account',
      'operations/understand-sources',
      'connectors/kinds.ts',
      'base/clock',
      'base/logger',
      'config/',
      'base/settings/',
      'planning/',
      'mirror/',
      'mapping/',
      'store/audit/',
      'report/',
      'config/sample/',
      'store/',
      'store/remote/',
      'writeback/',
      'sandbox/',
      'cli/demo/',
      'base/version',
    ],
    knows: ['app/app', 'apply/', 'base/fence'],
    packages: ['commander', 'ora'],
    node: 'any',
  },
  'app/wire': {
    is: 'the composition root: configuration → everything that a run works with',
    uses: [
      ...NOUNS,
      'base/clock',
      'base/fence',
      'base/http/',
      'config/',
      'connectors/',
      'mapping/',
      'mirror/',
      'app/open-sources',
      'app/open-state',
      'app/stand-still',
      'service/',
      'store/',
      'writeback/',
      'base/version',
      'app/watch-progress',
    ],
    knows: ['app/app', 'apply/', 'base/logger'],
  },
  'app/wire-preview': {
    is: 'a plan that nobody will carry out, from known records and the mirror alone',
    uses: [
      ...NOUNS,
      'base/clock',
      'config/',
      'connectors/',
      'mapping/',
      'mirror/',
      'app/open-sources',
      'app/wire',
      'service/',
      'store/',
      'base/version',
    ],
    knows: ['base/logger', 'planning/'],
  },
  'app/watch-progress': {
    is: 'how far sources and service have been read, for those who wait',
    uses: [...NOUNS, 'connectors/'],
    knows: ['store/'],
  },
  'app/open-sources': {
    is: 'the sources of a configuration, opened next to its state; also those of the previous configuration',
    uses: [...NOUNS, 'base/clock', 'config/', 'connectors/', 'mapping/', 'planning/', 'store/'],
    knows: ['planning/staging/'],
    node: ['node:path'],
  },
  'app/stand-still': {
    is: 'why nothing may be planned or written at a moment',
    uses: [...NOUNS],
    knows: ['config/'],
  },
  'base/json-walk': { is: 'JSON that comes in chunks, from mark to mark', uses: ['model/'] },
  'base/version': { is: 'the version of the package', uses: [], node: ['node:fs'] },
  'app/app': {
    is: 'the types of what `wire` puts together',
    uses: [],
    knows: [
      'model/',
      'apply/',
      'base/clock',
      'config/',
      'connectors/',
      'base/logger',
      'mapping/',
      'mirror/',
      'planning/',
      'service/',
      'planning/staging/',
      'store/',
      'writeback/',
    ],
  },
  'operations/link-by-hand': {
    is: 'a link that an operator moves: a run of one change',
    uses: [...NOUNS, 'base/clock', 'apply/', 'store/audit/', 'reconcile/'],
    knows: ['store/'],
  },
  'operations/run': {
    is: 'one run from its first line in the history to its last; `sync`, `apply` and the daemon call it',
    uses: [...NOUNS, 'base/clock', 'cycle', 'store/audit/', 'planning/', 'report/', 'writeback/'],
    knows: ['app/app', 'apply/'],
  },
  'config/access/': {
    is: 'who may use the operator pages: people and roles',
    uses: [],
  },
  'operations/': {
    is: 'what operators ask and decide, whether by a command or on a page: documents, and the text of what was ordered; `run.ts`, `notify/` (messages about what needs a person)',
    uses: [
      ...NOUNS,
      'config/access/',
      'store/audit/',
      'base/clock',
      'report/explain/',
      'operations/link-by-hand',
      'operations/notify/',
      'planning/',
      'report/',
      'store/',
      'store/remote/seen-mirror.ts',
      'app/open-state',
      'app/wire',
      'app/wire-preview',
      'config/edited/load-edited.ts',
      'writeback/',
    ],
    knows: ['app/app', 'config/', 'cycle', 'base/logger', 'operations/run', 'planning/staging/'],
    node: ['node:child_process', 'node:events', 'node:fs', 'node:os', 'node:path', 'node:stream/consumers', 'node:url'],
  },
  'daemon/daemon': {
    is: 'every tenant on its own schedule',
    uses: [...NOUNS, 'base/clock', 'connectors/kinds.ts', 'daemon/signals/', 'daemon/tenants/'],
    knows: ['base/logger', 'config/', 'operations/'],
  },
  'daemon/tenants/': {
    is: 'tenants that come, change and go: their lock, their turns, their stop',
    uses: [
      ...NOUNS,
      'base/clock',
      'base/new-file',
      'base/process-life',
      'cycle',
      'app/watch-progress',
      'report/explain/',
      'config/',
      'connectors/kinds.ts',
      'mapping/',
      'operations/notify/',
      'app/open-state',
      'app/stand-still',
      'operations/',
      'operations/run',
      'config/schedule/',
      'service/',
      'store/',
      'store/remote/',
      'base/fence',
      'app/wire',
      'planning/holds/list-outbox.ts',
      'planning/holds/list-waiting.ts',
      'planning/reads/overlooked.ts',
    ],
    knows: ['app/app', 'apply/', 'connectors/kind.ts', 'base/logger', 'base/settings/'],
    packages: ['p-queue'],
    node: ['node:crypto', 'node:fs', 'node:os', 'node:path'],
  },
  'operations/notify/': {
    is: 'messages about what needs a person: events with a state, an outbox, `channels/`',
    uses: [
      ...NOUNS,
      'base/clock',
      'base/fence',
      'base/http/',
      'base/load-package',
      'planning/holds/list-waiting.ts',
      'report/writers/page/html-text.ts',
      'config/schedule/due.ts',
      'store/',
      'store/audit/',
    ],
    knows: ['config/', 'base/logger'],
    node: ['node:crypto', 'node:fs', 'node:net', 'node:path'],
  },
  'daemon/signals/': {
    is: 'changes that are signalled, and the runs that start for them',
    uses: [
      ...NOUNS,
      'app/wire',
      'base/clock',
      'config/schedule/spread.ts',
      'connectors/drop/file-names.ts',
      'connectors/drop/open-store.ts',
      'config/list-local-folders.ts',
      'connectors/kinds.ts',
      'daemon/tenants/print-state.ts',
      'mirror/look-at-feed.ts',
      'operations/',
      'operations/with-stores.ts',
    ],
    knows: ['base/logger', 'config/', 'connectors/drop/resolve-file-stream.ts', 'connectors/drop/store.ts'],
    node: ['node:fs', 'node:os', 'node:timers/promises'],
  },
  'config/schedule/': {
    is: 'what is due, purely; the tick of the minute',
    uses: [],
    packages: ['croner', 'node-cron'],
    node: ['node:crypto'],
  },
  // Everything that an assistant can reach. It writes nothing, and opens only the pages of `docs/`.
  'daemon/assistant/': {
    is: 'tools of the Model Context Protocol over functions that read, which others give it',
    uses: [...NOUNS, 'base/load-package', 'base/version'],
    packages: ['@modelcontextprotocol/sdk', 'zod'],
    node: ['node:fs', 'node:stream'],
  },
  'daemon/web/': {
    is: '`/livez`, `/readyz`, `/metrics`, the SCIM receiver, hooks, and the operator pages',
    uses: [
      ...NOUNS,
      'config/access/',
      'store/audit/',
      'base/clock',
      'base/http/private-address.ts',
      'report/explain/veil-explanation.ts',
      'daemon/assistant/',
      'daemon/tenants/schedule-of.ts',
      'daemon/tenants/stoppages.ts',
      'connectors/listing/lean-heap.ts',
      'operations/',
      'report/',
      'connectors/scim-protocol/',
      'store/remote/tenant-rows.ts',
      'store/run-lock.ts',
      'store/state/push-store.ts',
    ],
    knows: [
      'config/',
      'base/logger',
      'base/settings/',
      'operations/notify/',
      'store/',
      'daemon/daemon',
      'daemon/signals/',
      'daemon/tenants/',
    ],
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
  'connectors/scim-protocol/': {
    is: 'SCIM 2.0 itself, for the receiver and for pulling: schemas, filters, PATCH',
    uses: NOUNS,
  },

  'app/open-state': {
    is: 'opens the state for the holder of the run lock, after checking it',
    uses: [...NOUNS, 'base/clock', 'store/audit/', 'store/'],
    knows: ['config/', 'base/fence', 'base/logger'],
  },

  cycle: {
    is: 'one run, one call per stage: read this first',
    uses: [...NOUNS, 'base/clock', 'apply/', 'mirror/', 'planning/', 'writeback/'],
    knows: ['app/app'],
  },

  'report/explain/': {
    is: 'derives a run, then follows one object through it',
    uses: [...NOUNS, 'cycle', 'store/audit/', 'connectors/listen-to.ts', 'mirror/', 'planning/', 'planning/staging/'],
    knows: ['app/app', 'config/', 'connectors/connector.ts', 'mapping/', 'store/'],
  },

  'report/export-users': {
    is: 'derives a run, and writes its people as an import file',
    uses: [...NOUNS, 'cycle', 'planning/csv-import/'],
    knows: ['app/app', 'planning/'],
  },

  'operations/read-account': {
    is: 'what an account has before there is a configuration for it: its countries and offices',
    uses: [...NOUNS, 'base/http/', 'service/'],
    knows: ['config/sample/'],
  },
  'operations/understand-sources': {
    is: 'reads the sources and the people of the account into a scratch, and sums up how they fit',
    uses: [...NOUNS, 'base/clock', 'mirror/', 'planning/', 'planning/staging/', 'store/'],
    knows: ['app/app', 'config/sample/'],
  },
  'planning/csv-import/': {
    is: "people as rows of the service's own import file, for first loads and the export",
    uses: NOUNS,
    knows: ['config/', ...STORED],
    packages: ['csv-stringify'],
  },

  'config/': {
    is: 'YAML → checked, frozen `Config`, all problems in one go; `access/` (who may use the pages), `schedule/`, `sample/` (a configuration proposed for a file)',
    // Loading the configuration checks expressions and date formats with the code of the mapping.
    uses: [
      ...NOUNS,
      'config/access/',
      'base/http/private-address.ts',
      'mapping/',
      'connectors/kinds.ts',
      'base/settings/',
      'config/schedule/',
    ],
    knows: ['base/http/'],
    packages: ['yaml', 'zod', 'croner', 'iconv-lite'],
    node: 'any',
  },
  'base/settings/': {
    is: 'what parts of a configuration have in common: a duration, a secret, a folder or SFTP server',
    uses: NOUNS,
    packages: ['zod'],
    node: ['node:fs', 'node:net', 'node:path'],
  },
  'connectors/': {
    is: '① the port, and one folder per kind of source; they never import each other',
    // An expression may decide if a row marks its record as deleted.
    uses: [
      ...NOUNS,
      'base/clock',
      'base/http/',
      'base/fence',
      'base/json-walk',
      'base/load-package',
      'base/nameless-file',
      'base/new-file',
      'connectors/scim-protocol/',
      'base/settings/',
      'mapping/condition.ts',
      'mapping/record-fault.ts',
    ],
    packages: ['csv-stringify', 'iconv-lite', 'p-queue', 'ssh2-sftp-client', 'zod'],
    node: 'any',
  },
  'config/sample/': {
    is: 'a file without a configuration: its columns guessed, a configuration proposed',
    uses: [...NOUNS, 'connectors/', 'mapping/'],
    knows: ['config/'],
    node: ['node:fs', 'node:fs/promises', 'node:path'],
  },
  'base/http/': {
    is: 'other systems over HTTP: connections, answers read within bounds, addresses that are not public',
    uses: [...NOUNS, 'base/json-walk', 'base/nameless-file'],
    knows: ['base/settings/'],
    packages: ['undici'],
    node: 'any',
  },
  'mapping/': {
    is: '② records → desired: expressions, scope, join. Pure',
    uses: [...NOUNS, 'base/load-package'],
    knows: ['config/', 'base/settings/'],
    packages: ['@marcbachmann/cel-js', 're2js'],
  },
  'reconcile/': {
    is: "⑤ one entity's changes: `match/` (which object), `fields/` (what differs), `leavers/` (who is gone), `order/`, `undo/`, `write-back/`; guards. Pure",
    uses: NOUNS,
    node: ['node:crypto'],
  },
  'mirror/': {
    is: '④ the service, read into `mirror.db`; names → ids',
    // The store and the reads must use the same hash to detect changed objects.
    uses: [...NOUNS, 'store/hash-observed.ts'],
    knows: ['config/', 'service/', 'base/clock', 'base/logger', ...STORED],
    packages: ['croner'],
  },
  'planning/staging/': {
    is: '④ the records of the sources, mapped into scratch tables; each stream is read once',
    uses: [...NOUNS, 'store/hash-observed.ts'],
    knows: ['config/', 'connectors/', 'mapping/', 'base/logger', ...STORED],
  },
  'planning/': {
    is: 'gives reconciliation its ports; `staging/` (④ the records of the sources, mapped), `reads/` (what must be read first), `holds/`, `saved/` (the plan file), `undo/`, `write-back/`',
    // An undo begins with the entries of a run in the audit.
    uses: [
      ...NOUNS,
      'base/clock',
      'base/new-file',
      'store/audit/',
      'connectors/kinds.ts',
      'planning/csv-import/',
      'mirror/',
      'reconcile/',
      'planning/staging/',
    ],
    knows: ['config/', 'base/logger', 'mapping/', ...STORED],
    node: 'any',
  },
  'apply/': {
    is: '⑥ plan → calls: journal, verify, resume. The only folder that is given a writer of the service',
    uses: [...NOUNS, 'base/clock', 'store/audit/', 'planning/csv-import/', 'mirror/', 'reconcile/', 'service/'],
    knows: ['config/', 'base/logger', ...STORED],
  },
  // The only writer to the sources, through the connectors' writers. Reports and documents of the service go through the
  // stores that drops are read from.
  'writeback/': {
    is: "⑦ plan → sources; deliveries of the service's reports and documents. The only writer to the sources",
    uses: [
      ...NOUNS,
      'base/clock',
      'store/audit/',
      'connectors/drop/delivery-name.ts',
      'connectors/drop/deliver-once.ts',
      'connectors/drop/partial-file.ts',
      'base/nameless-file',
      'connectors/drop/read-handle.ts',
      'planning/',
      'reconcile/',
      'config/schedule/',
      'service/',
    ],
    knows: ['apply/', 'config/', 'connectors/', 'base/logger', 'mapping/', ...STORED],
    node: ['node:crypto'],
  },
  // An erasure changes saved plans and reports, and finds what a backup still contains.
  'store/audit/': {
    is: '⑧ the hash chain; export, erasure',
    uses: [...NOUNS, 'store/personal-tables.ts', 'store/preview-copy.ts'],
    knows: STORED,
    packages: ['csv-stringify'],
    node: ['node:crypto', 'node:fs', 'node:path', 'node:stream'],
  },
  'report/': {
    is: 'plans, runs and explanations for people: sections say what, writers how (terminal, Markdown, HTML, CSV); `explain/` follows one object through a run',
    uses: [...NOUNS, 'base/clock'],
    knows: [
      'apply/',
      'store/audit/',
      'report/explain/',
      'report/export-users',
      'mapping/',
      'planning/',
      'planning/staging/',
    ],
    packages: ['csv-stringify'],
    // The page contains its script, and allows the script by its hash.
    node: ['node:crypto', 'node:fs'],
  },

  // Reports are CSV; their rows are read as they stream in.
  'service/': {
    is: '③ the typed client: transport, limiter, retry, one file per resource',
    uses: [...NOUNS, 'base/clock', 'base/http/'],
    knows: ['base/settings/'],
    packages: ['csv-parse', 'p-queue', 'zod'],
    node: ['node:net', 'node:stream'],
  },
  // PostgreSQL holds a tenant's state, so any daemon can work with it.
  'store/remote/': {
    is: 'a state in PostgreSQL: leases, the line of its commits, the working copy',
    uses: [...NOUNS, 'base/clock', 'base/load-package', 'base/new-file', 'base/process-life', 'store/'],
    knows: ['base/fence'],
    packages: ['better-sqlite3', 'pg'],
    node: ['node:crypto', 'node:fs', 'node:path', 'node:tls'],
  },
  'store/': {
    is: 'SQLite: `state.db`, `mirror.db`, scratch tables, run lock, behind ports; `audit/` (⑧ the hash chain)',
    uses: [...NOUNS, 'base/new-file', 'store/remote/working-copy.ts'],
    knows: ['config/access/', 'store/remote/'],
    packages: ['better-sqlite3', 'drizzle-orm'],
    node: ['node:crypto', 'node:fs', 'node:path', 'node:timers/promises', 'node:url'],
  },
  'sandbox/': {
    is: 'the talent service in one process: `server/` and `routes/` answer from the `records/` in its `store/`; `control/` and `pages/` steer it, `company/` invents its content',
    // The sandbox's pages look like the reports.
    uses: [
      ...NOUNS,
      'base/clock',
      'service/wire.ts',
      'report/writers/page/form-parts.ts',
      'report/writers/page/form-style.ts',
      'report/writers/page/html-text.ts',
      'report/writers/page/page-style.ts',
    ],
    packages: [
      ...['better-sqlite3', 'drizzle-orm', 'fastify', 'zod', 'csv-parse', 'yazl'],
      // These packages are for the writers of documents.
      ...['pdfkit', 'fontkit', 'linebreak', 'bidi-js', 'docx', 'pptxgenjs'],
    ],
    node: 'any',
  },
  'cli/demo/': {
    is: 'the story of `npm run demo`: starts the sandbox, and the program as a process',
    uses: [...NOUNS, 'base/clock', 'config/', 'planning/', 'report/', 'sandbox/'],
    node: 'any',
  },

  'model/': { is: 'the nouns; no I/O', uses: [], node: ['node:crypto'] },
  // Every place may use it, like the errors. Code that reads a secret registers the secret, and every output hides it.
  'base/secrets/': { is: 'known secrets, and hiding them in output', uses: [] },
  'base/errors': { is: '`SyncError` and the catalogue of codes', uses: ['base/secrets/'], knows: ['model/'] },
  'base/clock': { is: 'time as an input', uses: [], node: ['node:events', 'node:timers/promises'] },
  'base/fence': { is: 'what all that leaves passes first, where the state is in PostgreSQL', uses: [] },
  'base/load-package': { is: 'packages that few runs need, when one does', uses: [], node: ['node:module'] },
  'base/nameless-file': {
    is: 'a file without a name, which no end of the process leaves behind',
    uses: ['base/new-file'],
    node: ['node:crypto', 'node:fs/promises', 'node:path'],
  },
  'base/new-file': {
    is: 'a file that appears under its name only when it is complete',
    uses: ['base/errors'],
    node: ['node:fs', 'node:fs/promises', 'node:path'],
  },
  'base/process-life': { is: 'which processes of this machine still run', uses: ['base/errors'] },
  'base/logger': {
    is: 'the log: JSON lines without personal data',
    uses: ['model/', 'base/secrets/'],
    packages: ['pino'],
  },
};

const PLACES = Object.keys(LAYERS).sort((a, b) => b.length - a.length);

/** @returns the place of a file of `src`: the longest matching key of the table; empty if none matches */
export function placeOf(file: string): string {
  const path = file.replace(/^src\/|\.ts$/g, '');
  return PLACES.find((place) => (place.endsWith('/') ? path.startsWith(place) : path === place)) ?? '';
}

/** Imports that stay although the table forbids them, each with its reason. */
export const EXCEPTIONS: readonly { readonly from: string; readonly to: string; readonly because: string }[] = [];

/** Packages that only these places may use, whatever the table above allows. */
export const CONFINED: Readonly<Record<string, readonly string[]>> = {
  'better-sqlite3': ['store/', 'store/remote/', 'sandbox/'],
  'drizzle-orm': ['store/', 'sandbox/'],
  'p-queue': ['connectors/', 'service/', 'daemon/tenants/', 'daemon/web/'],
  'ssh2-sftp-client': ['connectors/'],
  undici: ['base/http/'],
  pg: ['store/remote/'],
  nodemailer: ['operations/notify/'],
  pino: ['base/logger'],
  commander: ['main', 'cli/'],
  ora: ['cli/'],
  fastify: ['sandbox/', 'daemon/web/'],
  pdfkit: ['sandbox/'],
  docx: ['sandbox/'],
  pptxgenjs: ['sandbox/'],
  'prom-client': ['daemon/web/'],
  'node-cron': ['config/schedule/'],
  zod: ['config/', 'connectors/', 'service/', 'sandbox/', 'base/settings/', 'daemon/web/', 'daemon/assistant/'],
  '@modelcontextprotocol/sdk': ['daemon/assistant/'],
};

/** Rooms without a rule; only their contents have rules. */
const MADE_OF: Readonly<Record<string, string>> = {
  'app/': 'a configuration put together: sources, state, service, and what each stage of a run is given of them',
  'base/': 'what has no part in a run: errors, the clock, the log, files, secrets, HTTP, parts of a configuration',
  'daemon/':
    'runs by the clock: `tenants/` with their turns, `assistant/`, and `web/` with probes, metrics, the SCIM receiver, hooks and the operator pages',
};

/**
 * The map of CONTRIBUTING: the entries of `src` with their allowed imports; type-only imports are in italics. Leaves out
 * the nouns and the base, which every place may use.
 */
export function renderMap(): string {
  const rules = Object.entries(LAYERS);
  const rooms = [...new Set(rules.map(([place]) => roomIn(place)))];
  const rows = rooms.map((room) => {
    const own = rules.filter(([place]) => roomIn(place) === room).map(([, layer]) => layer);
    const listRooms = (places: readonly string[]): readonly string[] =>
      rooms.filter((one) => one !== room && one !== 'model/' && one !== 'base/' && places.map(roomIn).includes(one));
    const uses = listRooms(own.flatMap((layer) => layer.uses));
    const knows = listRooms(own.flatMap((layer) => layer.knows ?? [])).filter((one) => !uses.includes(one));
    const shown = [...uses.map((one) => `\`${one}\``), ...knows.map((one) => `*\`${one}\`*`)].join(' ');
    return `| \`src/${room}\` | ${MADE_OF[room] ?? LAYERS[room.replace(/\.ts$/, '')]?.is} | ${shown || '–'} |`;
  });
  return ['| place | is | may import (*types only*) |', '|---|---|---|', ...rows].join('\n');
}

/** `config/` for `config/access/`; `cycle.ts` for `cycle`. */
function roomIn(place: string): string {
  const [room = '', ...rest] = place.split('/');
  return rest.length === 0 ? `${room}.ts` : `${room}/`;
}
