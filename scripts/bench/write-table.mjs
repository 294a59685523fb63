// Writes the figures as Markdown, and collects the figures that exceed their targets.
import { availableParallelism } from 'node:os';
import { LATENCY_MS } from './rounds.mjs';
import {
  BACKEND,
  DATABASES_MB,
  FIRST_VIEW,
  LOAD,
  listRows,
  PAGES,
  PUSHES,
  SHORT,
  SIGNALS,
  SIZED_FOR,
  STARTS,
  TENANTS,
  WAITS,
} from './rows.mjs';

export function median(numbers) {
  return [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)];
}

/** @returns {{ text: string, missed: readonly string[] }} */
export function writeTable(measured) {
  const missed = [];
  const { people, rounds, starts, pages, pushes, backend, signals } = measured;
  const base = (command, unit) => median(starts.map((start) => start[command][unit]));
  const cell = createCells(missed);
  const lines = [
    `${people.toLocaleString('en')} people, 20 columns, 11 fields, ${rounds.length === 1 ? '1 run' : `${rounds.length} runs: median (lowest to highest)`}, and the target.`,
    `Measured on ${new Date().toISOString().slice(0, 10)}, ${availableParallelism()} cores, Node.js ${process.versions.node}.`,
    '',
    '| what | against | seconds of both | clock, ratio | processor, ratio | peak MiB |',
    '|---|---|---|---|---|---|',
    ...listRows(people)
      .filter(({ of, to }) => of in rounds[0] && to in rounds[0])
      .map((row) => writeRow(row, rounds, base, cell)),
    ...STARTS.map((row) => writeRow(row, starts, base, cell)),
    ...PAGES.map((row) => writeRow(row, pages, base, cell)),
    '',
    ...writeFacts(measured, cell),
    ...writeShort(measured, cell),
    ...writeFirstView(pages, cell),
    ...writeLoads(measured, cell),
    ...writeTenants(measured, cell),
    ...writeSignals(people, signals, cell),
    ...writeBackend(people, backend, cell),
    ...(pushes.runs.length === 0 ? [] : ['', ...writePushes(pushes, cell)]),
  ];
  return { text: `${lines.join('\n')}\n`, missed };
}

/** A median with its spread, compared with its target. */
function createCells(missed) {
  return (name, numbers, target, digits = 2) => {
    const [middle, ...ends] = [median(numbers), Math.min(...numbers), Math.max(...numbers)].map((one) =>
      one.toFixed(digits),
    );
    const spread = numbers.length > 1 ? ` (${ends.join(' to ')})` : '';
    if (target === undefined) return `${middle}${spread}`;
    const isOver = Number(middle) > target;
    if (isOver) missed.push(`${name}: ${middle}; the target is at most ${target}`);
    return `${middle}${spread} ${isOver ? '>' : '≤'} ${target}`;
  };
}

function writeRow({ name, of, to, against, net = null, clock, cpu, mib }, rounds, base, cell) {
  const title = `${name}, against ${against}`;
  const ratio = (unit, target) => {
    if (rounds[0][of][unit] === undefined || rounds[0][to][unit] === undefined) return '';
    const ratios = rounds.map(
      (round) => Math.max(0, round[of][unit] - (net === null ? 0 : base(net, unit))) / round[to][unit],
    );
    return cell(`${title}, ${unit}`, ratios, target);
  };
  const seconds = [of, to].map((one) => median(rounds.map((round) => round[one].seconds)).toFixed(2));
  const memory =
    rounds[0][of].mib === undefined
      ? ''
      : cell(
          `${title}, MiB`,
          rounds.map((round) => round[of].mib),
          mib,
          0,
        );
  return `| ${[name, against, seconds.join(' / '), ratio('seconds', clock), ratio('cpu', cpu), memory].join(' | ')} |`;
}

/** Figures that are not ratios. */
function writeFacts({ people, rounds }, cell) {
  const size = cell(
    'tables, MB',
    rounds.map(({ megabytes }) => megabytes),
    DATABASES_MB * Math.max(1, people / SIZED_FOR),
    0,
  );
  const ofTables = `- Tables of state.db and mirror.db without journal and audit, in MB: ${size}.`;
  if (rounds[0].daemon === undefined) return [ofTables];
  const { wire, fsync, commits } = rounds[0].bound;
  const waits = (what, unit) =>
    cell(
      `daemon's event loop, ${what} in ms`,
      rounds.map(({ daemon }) => daemon[unit]),
      WAITS[unit],
      0,
    );
  return [
    `- A daemon's event loop during the same run, in milliseconds: p99.9 ${waits('p99.9', 'p999')}; longest ${waits('longest', 'longest')}.`,
    ofTables,
    `- The wire and the disk: 1.2 × writes ÷ 8 × ${LATENCY_MS} ms = ${wire.toFixed(2)} s, and ${commits} commits × ${(fsync * 1_000).toFixed(2)} ms of an fsync = ${(fsync * commits).toFixed(2)} s.`,
  ];
}

/** In seconds, like Adobe's figure. */
function writeShort({ people, rounds }, cell) {
  const limit = people === SHORT.people ? SHORT.seconds : undefined;
  const seconds = cell(
    'first sync of four attributes, seconds',
    rounds.map(({ short }) => short.seconds),
    limit,
  );
  return [`- A first \`sync\` that compares four attributes, in seconds: ${seconds}.`];
}

function writeFirstView(pages, cell) {
  const [ms, kb] = ['ms', 'kb'].map((unit) =>
    cell(
      `first view of a plan, ${unit}`,
      pages.map(({ firstView }) => firstView[unit]),
      FIRST_VIEW[unit],
      0,
    ),
  );
  return [`- The first view of the page of a plan of 10,000 changes: ${ms} ms, ${kb} KB sent.`];
}

function writeLoads({ people, loads }, cell) {
  if (loads.length === 0) return [];
  const ratio = cell(
    'first load, ÷ its calls',
    loads.map(({ seconds, bound }) => seconds / bound),
    people < LOAD.people ? undefined : LOAD.clock,
  );
  const mib = cell(
    'first load, MiB',
    loads.map((one) => one.mib),
    undefined,
    0,
  );
  const floor = cell(
    'the calls of a first load alone',
    loads.map((one) => one.floor / one.bound),
  );
  const created = Math.min(LOAD.people, people).toLocaleString('en');
  return [
    `- A first load of ${created} people, ${LATENCY_MS} ms a call on 8 connections, ÷ the time of its calls: ${ratio}; ${mib} MiB. [A program that only sends them](../../scripts/bench/load-floor.mjs): ${floor}.`,
  ];
}

function writeTenants({ people, tenants }, cell) {
  if (tenants.length === 0) return [];
  const waits = (what, unit, limit) =>
    cell(
      `event loop with many tenants, ${what} in ms`,
      tenants.map((one) => one[unit]),
      limit,
      0,
    );
  return [
    `- The event loop of a daemon with ${TENANTS.count.toLocaleString('en')} tenants while one of them reads ${people.toLocaleString('en')} people for the first time, in milliseconds: p99.9 ${waits('p99.9', 'p999', TENANTS.p999)}; longest ${waits('longest', 'longest')}.`,
  ];
}

/** The line about files that a daemon notices. */
function writeSignals(people, signals, cell) {
  if (signals === null) return [];
  const seconds = (order) => {
    const all = signals[order].map((one) => one.seconds);
    return `${median(all).toFixed(1)} (slowest ${cell(`slowest signal, ${order}`, [Math.max(...all)], SIGNALS[order], 1)})`;
  };
  const reads = cell(
    'reads of a signalled run',
    [...signals.same, ...signals.reordered].map((one) => one.reads),
    SIGNALS.reads,
    0,
  );
  return [
    `- With \`on_change\`: a complete file of ${people.toLocaleString('en')} people arrives, with one changed person. Seconds until the call that writes the change, at ${LATENCY_MS} ms per call: ${seconds('same')}; if exported in another order, ${seconds('reordered')}. Reads of such a run: ${reads}.`,
  ];
}

/** Figures of a state in PostgreSQL. */
function writeBackend(people, runs, cell) {
  if (runs.length === 0)
    return ['- The state in PostgreSQL was not measured: the machine has no PostgreSQL, or this was a quick run.'];
  const all = (pick) => runs.map(pick);
  const { creates, clock, statements, kib } = BACKEND;
  const seconds = ['remote', 'local'].map((where) => median(all((run) => run[where].seconds)).toFixed(2));
  const ratio = cell(
    'creates with a backend',
    all(({ remote, local }) => remote.seconds / local.seconds),
    clock,
  );
  const takeover = cell(
    'cold takeover, seconds',
    all((run) => run.takeover.seconds),
  );
  const asked = cell(
    'statements of a quiet run',
    all(({ quiet }) => quiet.statements),
    statements,
    0,
  );
  const sent = cell(
    'KiB of a quiet run',
    all(({ quiet }) => quiet.bytes / 1_024),
    kib,
    0,
  );
  return [
    `- With the state in PostgreSQL, compared with SQLite alone: ${Math.min(creates, people).toLocaleString('en')} creates at ${LATENCY_MS} ms per call, ${seconds.join(' / ')} s, ratio ${ratio}.`,
    `- A cold takeover in PostgreSQL, until the first run of ${people.toLocaleString('en')} people has ended, in seconds: ${takeover}.`,
    `- A run without changes in PostgreSQL: ${asked} statements; ${sent} KiB sent.`,
  ];
}

function writePushes({ users, runs }, cell) {
  const ratios = (pick) => runs.map(pick);
  const rows = PUSHES.map(({ name, of, growth }) => {
    const [ms, empty, grown] = [
      cell(
        name,
        ratios(({ many }) => many[of]),
      ),
      cell(
        name,
        ratios(({ many, nothing }) => many[of] / nothing[of]),
        undefined,
        0,
      ),
      cell(
        `${name}, with ${users} users`,
        ratios(({ many, few }) => many[of] / few[of]),
        growth,
      ),
    ];
    return `| ${[name, ms, empty, grown].join(' | ')} |`;
  });
  return [
    `An identity provider pushes ${users.toLocaleString('en')} users and their groups of 500, over HTTP. The table shows milliseconds of the daemon's processor time per request.`,
    '',
    '| request | ms | ÷ a server that answers `{}` | ÷ the same with 1,000 users |',
    '|---|---|---|---|',
    ...rows,
  ];
}
