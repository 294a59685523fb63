// Takes each measurement once: a company from its first run, the start-up, and the receiver of an identity provider.
import { countCommits, measureFsync } from './disk.mjs';
import { main, measure, secondsBetween } from './measure.mjs';
import { measurePushes } from './push.mjs';

export const LATENCY_MS = 20;
export const CONNECTIONS = 8;
/** Shares no factor with any realistic number of people. */
const OTHER_ORDER = 7_919;
/** Maximum number of changes in the report. */
export const REPORTED = 50_000;
/** The same requests are also sent with only this number of users, to show the growth. */
const FEW_USERS = 1_000;

function expectWrites(result, expected) {
  const { calls, cost, writes } = JSON.parse(result.text);
  const found = writes ?? calls?.writes ?? cost.writes;
  if (found !== expected) throw new Error(`${found} writes, expected ${expected}`);
  return result;
}

/**
 * One round on a new state.
 *
 * @param isQuick only the first run and the plans without changes
 */
export async function runRound(company, people, { round, isQuick }) {
  const { service } = company;
  company.forget();
  await service.control({ reset: true, delayMs: 0 });
  await company.deliver();
  const script = expectWrites(await company.runScript(), 0);
  const first = expectWrites(await company.work(['sync']), 0);
  const firstFloor = await company.runFirstFloor();
  const short = expectWrites(await company.workShort(), 0);
  const same = expectWrites(await company.work(['plan']), 0);
  const floor = await company.runFloor();
  await company.deliver({ step: OTHER_ORDER });
  const reordered = expectWrites(await company.work(['plan'], { env: { LOG_LEVEL: 'debug' } }), 0);
  const diff = { seconds: secondsBetween(reordered, 'planning', 'changes are derived') };
  const except = await company.runExcept();
  const quiet = { script, first, firstFloor, short, same, floor, reordered, diff, except };
  if (isQuick) return { ...quiet, megabytes: company.megabytes() };
  const changes = await runChanges(company, people, round);
  const otherDay = expectWrites(await company.work(['plan', '--as-of', tomorrow()]), 0);
  const edited = expectWrites(await company.workEdited(['plan']), 0);
  const nightly = expectWrites(await company.workEdited(['sync', '--full']), 0);
  const readsFloor = await company.runReadsFloor();
  const { found } = JSON.parse(readsFloor.text);
  if (found !== 2 * people) throw new Error(`${found} digests found, expected ${2 * people}`);
  const megabytes = company.megabytes();
  const reports = await runReports(company, people, round);
  return { ...quiet, ...changes, otherDay, edited, nightly, readsFloor, ...reports, megabytes };
}

function tomorrow() {
  return new Date(Date.now() + 86_400_000).toISOString().slice(0, 10);
}

/** Changes one person in a hundred with the script, with `sync` and with a daemon. A plan must then find no changes. */
async function runChanges(company, people, round) {
  const { service } = company;
  const writes = Math.ceil(people / 100);
  await service.control({ delayMs: LATENCY_MS });
  await company.deliver({ changedEvery: 100, edition: 1 + 2 * round });
  const slow = expectWrites(await company.runScript(), writes);
  await service.control({ reset: true });
  const stopCounting = countCommits(company.stateDb);
  const changed = expectWrites(await company.work(['sync'], { env: { LOG_LEVEL: 'info' } }), writes);
  const commits = stopCounting();
  const wire = (1.2 * (writes / CONNECTIONS) * LATENCY_MS) / 1_000;
  const fsync = measureFsync(company.folder);
  const sending = { seconds: secondsBetween(changed, 'planned', 'run ended') };
  const bound = { seconds: wire + fsync * commits, wire, fsync, commits };
  await company.deliver({ changedEvery: 100, edition: 2 + 2 * round });
  const daemon = await company.runDaemon();
  if (daemon.writes !== writes) throw new Error(`${daemon.writes} writes by the daemon, expected ${writes}`);
  await service.control({ delayMs: 0 });
  expectWrites(await company.work(['plan']), 0);
  return { slow, changed, sending, bound, daemon };
}

/** A page with as many changes as it can hold, compared with the same changes as JSON. */
async function runReports(company, people, round) {
  await company.deliver({ changedEvery: Math.ceil(people / REPORTED), edition: 1_000 + round });
  await company.work(['plan'], { codes: [0, 3] });
  const page = ['export', 'report', 'plan', '--out', `${company.folder}/plan.html`];
  return { html: await company.work(page), json: await company.runJson() };
}

export async function runStart(small) {
  return {
    nothing: await measure(small.folder, ['-e', '0']),
    help: await measure(small.folder, [main, '--help']),
    status: await small.work(['status']),
    plan: await small.work(['plan']),
  };
}

/** Creates a plan that changes all people, for the pages to show. */
export async function planForPages(company) {
  await company.deliver();
  await company.work(['sync']);
  await company.deliver({ changedEvery: 1, edition: 1 });
  await company.work(['plan'], { codes: [0, 3] });
}

/** Requests of an identity provider, each in milliseconds of the server's processor time. */
export async function runPushes(users) {
  const [few, many] = [await measurePushes(Math.min(FEW_USERS, users)), await measurePushes(users)];
  return { few: few.ours, many: many.ours, nothing: many.theirs };
}
