// The comparisons of the bench and their targets. Each row compares two results of a round. `net` names the command for 200
// people; its time is subtracted, because the start-up has its own rows.
import { PLANNED, TIMES } from './pages.mjs';
import { LATENCY_MS, REPORTED } from './rounds.mjs';

/** An account of a million people may take a larger share of the script's time, and more memory. */
const MANY = 1_000_000;

export function listRows(people) {
  const reported = Math.ceil(people / Math.ceil(people / REPORTED));
  // With fewer changes, most of the time is the start of the command.
  const report = reported === REPORTED ? 3 : undefined;
  const isMany = people >= MANY;
  const mib = isMany ? 220 : 180;
  const quiet = isMany ? 0.25 : 0.1;
  const again = 0.25;
  const [script, floor] = [{ against: 'the script' }, { against: 'the floor' }];
  const toScript = { ...script, to: 'script', net: 'plan' };
  const toFloor = { ...floor, to: 'floor', net: 'plan' };
  const same = { name: '`plan`, nothing changed, the same bytes', of: 'same' };
  const reordered = { name: '`plan`, exported again in another order', of: 'reordered' };
  // Leavers depend on the day, so the plan maps only people with a changed result again.
  const day = { name: '`plan` on another day', of: 'otherDay' };
  const mapped = { name: '`plan`, an expression edited: every row mapped again', of: 'edited' };
  const changed = { name: `\`sync\`, 1 % changed, ${LATENCY_MS} ms per call`, of: 'changed' };
  const first = { name: 'first `sync`, all people equal', of: 'first' };
  const short = { name: 'first `sync`, four attributes', of: 'short' };
  const nightly = { name: '`sync --full`, every row mapped again, nothing changed', of: 'nightly' };
  return [
    { ...same, ...toScript, clock: quiet, cpu: quiet, mib },
    { ...same, ...toFloor },
    { ...reordered, ...toScript, clock: again, cpu: again, mib },
    { ...reordered, ...toFloor },
    { name: 'of which the diff', of: 'diff', to: 'except', against: 'SQL `EXCEPT`' },
    { ...day, ...toScript, clock: again, cpu: again, mib },
    { ...mapped, ...toScript, clock: 0.6, cpu: 0.5, mib },
    { ...mapped, ...toFloor },
    { ...changed, ...script, to: 'slow', net: 'plan', clock: 0.2, cpu: 0.5, mib },
    { ...changed, ...toFloor },
    { name: 'of which the sending', of: 'sending', to: 'bound', against: 'the wire and the disk', clock: 1 },
    { ...first, ...toScript, clock: 2, mib: isMany ? 250 : 200 },
    { ...first, against: 'its rows alone', to: 'firstFloor', net: 'plan', cpu: 1.4 },
    { name: 'its rows alone', of: 'firstFloor', ...script, to: 'script', cpu: 1.6 },
    { ...short, ...toScript, mib },
    { ...nightly, ...toScript, clock: 1.2, cpu: 1.5 },
    { ...nightly, against: 'its reads alone', to: 'readsFloor', net: 'plan' },
    { name: 'its reads alone', of: 'readsFloor', ...script, to: 'script' },
    {
      name: `HTML report of ${reported.toLocaleString('en')} changes`,
      of: 'html',
      to: 'json',
      against: 'their JSON',
      net: 'status',
      clock: report,
      cpu: report,
      mib: 180,
    },
  ];
}

const toNode = { to: 'nothing', against: '`node -e 0`' };
export const STARTS = [
  { name: '`plan` of 200 people', of: 'plan', ...toNode, cpu: 7, mib: 110 },
  { name: '`status`', of: 'status', ...toNode, cpu: 4 },
  { name: '`--help`', of: 'help', ...toNode, cpu: 1.5 },
];

const [ofChanges, ofTenants] = [
  { to: 'changes', against: 'their rows in SQLite' },
  { to: 'tenants', against: 'their rows in SQLite' },
];
const planned = PLANNED.toLocaleString('en');
/** Pages for operators. */
export const PAGES = [
  { name: `page of a plan of ${planned} changes, ${TIMES.changes} times`, of: 'planPage', ...ofChanges, cpu: 3 },
  { name: `overview of 300 tenants, ${TIMES.tenants} times`, of: 'overview', ...ofTenants },
  { name: `inbox of 300 tenants, ${TIMES.tenants} times`, of: 'inbox', ...ofTenants },
];

/** Delays of a daemon's event loop during a run, in milliseconds. */
export const WAITS = { p999: 100, longest: 250 };
export const DATABASES_MB = 110;
/** The number of people for the limit. For more people, the limit grows in proportion. */
export const SIZED_FOR = 100_000;

/** Seconds from a complete file with one changed person to the call that writes it, and the reads of that run. */
export const SIGNALS = { same: 5, reordered: 10, reads: 5 };

/** The time in which Adobe's tool reads and compares 100,000 users with four attributes, on a similar machine. */
export const SHORT = { people: 100_000, seconds: 5 };

/** A first load: the number of creates, and the time ÷ (calls × latency ÷ connections). */
export const LOAD = { people: 10_000, clock: 1.1 };

/** The first view of a plan of 10,000 changes: milliseconds, and KB as sent. */
export const FIRST_VIEW = { ms: 100, kb: 300 };

/** A daemon with this number of tenants, of which one reads everyone for the first time: delays of the event loop in ms. */
export const TENANTS = { count: 1_000, p999: 100 };

/** A state in PostgreSQL: creates compared with SQLite, and the statements and KiB of a run without changes. */
export const BACKEND = { creates: 10_000, clock: 1.25, statements: 6, kib: 64 };

/** Requests to the receiver; `growth` is the maximum ratio of the cost with all users to the cost with few. */
export const PUSHES = [
  { name: 'POST a user', of: 'post', growth: 1.3 },
  { name: 'PATCH a user', of: 'patch', growth: 1.3 },
  { name: 'GET the first pages of 100', of: 'first pages', growth: 1.3 },
  { name: 'GET the last pages of 100', of: 'last pages', growth: 1.3 },
  { name: '`userName eq`', of: 'userName', growth: 1.3 },
  { name: '`externalId eq`', of: 'externalId', growth: 1.3 },
  { name: 'groups by `members eq`', of: 'members', growth: 1.3 },
];
