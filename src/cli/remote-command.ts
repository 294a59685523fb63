import { basename, dirname, extname } from 'node:path';
import { waitForRunLock } from '../app/open-state.js';
import { isoNow } from '../base/clock.js';
import { SyncError } from '../base/errors.js';
import { loadConfig } from '../config/load.js';
import { loadBackend } from '../config/load-backend.js';
import { receivesPushes } from '../connectors/kinds.js';
import { connectionOf, findLongestCall } from '../daemon/tenants/backend.js';
import { carryOut, kindOfOrder, openAnswer, orderOf } from '../daemon/tenants/orders.js';
import { readFacts } from '../daemon/tenants/tenant-facts.js';
import type { TenantOperation } from '../operations/operation.js';
import { newestOf } from '../store/migrate.js';
import { openStores } from '../store/open-stores.js';
import type { Holding } from '../store/remote/hold-state.js';
import { AS_BEFORE } from '../store/remote/leases.js';
import { openPushedFile } from '../store/remote/pushed-file.js';
import { openRemoteStates, RENEW_MS, type RemoteStates } from '../store/remote/remote-states.js';
import { bringUpCopy } from '../store/remote/state-line.js';
import { beginCopy } from '../store/remote/working-copy.js';
import { lockFolder } from '../store/run-lock.js';
import {
  type AskFlags,
  type AskingContext,
  type AskingWork,
  attending,
  type CommandContext,
  type CommandResult,
  describeHolder,
  type LockFlags,
  printFitted,
  printing,
  type States,
} from './context.js';
import { openLogger } from './open-logger.js';
import { describeLocked } from './run-lock.js';

/* Commands for tenants with a `backend:` in daemon.yaml. The state folder is a copy, and PostgreSQL has the actual state. */

type RemoteWork = (context: CommandContext) => CommandResult | null | Promise<CommandResult | null>;

/** Runs a command with the state in PostgreSQL, or in the folder if there is no backend. */
export async function workRemotely(
  context: CommandContext,
  flags: LockFlags,
  states: Exclude<States, 'by itself'>,
  work: RemoteWork,
): Promise<CommandResult | null> {
  return usingRemote(context, async (remote) => {
    if (remote === null) return work(context);
    if (states === 'look' || states === 'try') {
      await bringUp(context, remote);
      return states === 'look' ? work(context) : tryOut(context, remote, work);
    }
    return holdTenant(context, remote, { ...flags, states }, (held) => work({ ...context, ...held }));
  });
}

/** Asks and decides through the inbox of the tenant, or in the folder if there is no backend. */
export async function askRemotely<Flags extends AskFlags>(
  console: AskingContext['console'],
  flags: Flags,
  work: AskingWork<Flags>,
): Promise<void> {
  await printing(console, flags.json === true, () =>
    attending(console, async (attended) => {
      const config = loadConfig(flags.config, console.env, undefined, 'when used');
      const { clock, by } = attended;
      const locally: AskingContext['perform'] = (one, input) =>
        one.perform({ config, clock, by, via: 'machine' }, input);
      const context: CommandContext = { ...attended, config, perform: locally };
      return usingRemote(context, async (remote) => {
        if (remote === null) return work(context, flags);
        const perform: AskingContext['perform'] = async (operation, input) => {
          if (operation.needs === 'a turn')
            return holdTenant(context, remote, {}, (held) => operation.perform(lockedOf(context, held), input));
          await bringUp(context, remote);
          return operation.needs === 'a copy' ? locally(operation, input) : give(context, remote, operation, input);
        };
        return work({ ...attended, perform }, flags);
      });
    }),
  );
}

function usingRemote<T>(context: CommandContext, work: (remote: RemoteStates | null) => Promise<T>): Promise<T> {
  return usingRemoteOf(dirname(context.config.file), context, work);
}

/** A tenant has the name of its configuration file. */
export function nameTenant(file: string): string {
  return basename(file, extname(file));
}

/**
 * Works with the PostgreSQL named by the daemon.yaml in a folder. `remote` is null if the file is missing or names no
 * backend.
 *
 * @param command the name that other processes see for this one
 */
export async function usingRemoteOf<T>(
  folder: string,
  { clock, console }: Pick<CommandContext, 'clock' | 'console'>,
  work: (remote: RemoteStates | null) => Promise<T>,
  command = 'a command',
): Promise<T> {
  const settings = loadBackend(folder, console.env);
  if (settings === null) return work(null);
  const clocks = { now: () => clock.now(), monotonic: () => performance.now() };
  const remote = openRemoteStates(connectionOf(settings, 4), {
    ...{ holder: describeHolder(command), clock: clocks, schema: newestOf('state') },
  });
  const renewing = setInterval(() => void remote.leases.renew().catch(() => undefined), RENEW_MS);
  try {
    return await work(remote);
  } finally {
    clearInterval(renewing);
    await remote.postgres.close();
  }
}

/** Updates the copy for reading, unless another process on this machine uses it. */
async function bringUp({ config }: CommandContext, { postgres }: RemoteStates): Promise<void> {
  const lock = lockFolder(config.state, describeHolder('a look'));
  try {
    await bringUpCopy(postgres, nameTenant(config.file), config.state);
  } finally {
    lock.close();
  }
}

/** Works with the copy as if it were the state, and discards the changes. */
async function tryOut(context: CommandContext, remote: RemoteStates, work: RemoteWork): Promise<CommandResult | null> {
  const { state } = context.config;
  const lock = lockFolder(state, describeHolder('a trial'));
  try {
    // From now on, the copy differs from the fetched state.
    beginCopy(state);
    return await withPushed(context, remote, 'hold', () => work({ ...context, held: { lock, fence: null } }));
  } finally {
    lock.close();
  }
}

type HeldCommand = Required<Pick<CommandContext, 'held' | 'signal'>>;

interface HoldFlags extends Pick<LockFlags, 'wait'> {
  readonly states?: 'hold' | 'hold all';
}

async function holdTenant<T>(
  context: CommandContext,
  remote: RemoteStates,
  { wait, states = 'hold' }: HoldFlags,
  work: (held: HeldCommand) => T | Promise<T>,
): Promise<T> {
  const { config, clock, signal, console } = context;
  const holder = describeHolder('a command');
  const onLocked = wait === true ? { onLocked: describeLocked(console) } : {};
  const lock = await waitForRunLock(config.state, { clock, signal, holder, isCopy: true, ...onLocked });
  try {
    const lease = await claim(context, remote, wait === true);
    const holding = await remote.hold(lease, { folder: config.state, at: isoNow(clock), stop: signal });
    const held: HeldCommand = { held: { lock, fence: holding.fence }, signal: holding.signal };
    try {
      await takeInWaiting(context, remote, holding, held);
      // An erasure also reads the plans.
      if (states === 'hold all') await holding.fetchPlans();
      return await withPushed(context, remote, states, () => work(held));
    } finally {
      const facts = shareFacts(context);
      const pausedUntil = facts.facts.pause?.until ?? null;
      await holding.release({ nextSlot: AS_BEFORE, isGood: null, facts, pausedUntil });
    }
  } finally {
    lock.close();
  }
}

/** Interval between attempts to claim a tenant that another process holds. */
const CLAIM_MS = 1_000;

async function claim({ config, clock, signal, console }: CommandContext, { leases }: RemoteStates, waits: boolean) {
  for (let told = false; ; told = true) {
    try {
      return await leases.claimOne(nameTenant(config.file), findLongestCall(config));
    } catch (error) {
      if (!waits || !(error instanceof SyncError && error.code === 'SYNC_STATE_LOCKED')) throw error;
      if (!told) describeLocked(console)(error);
    }
    await clock.sleep(CLAIM_MS, signal);
  }
}

/** First carries out earlier decisions made by others. */
async function takeInWaiting(
  context: CommandContext,
  { inbox }: RemoteStates,
  holding: Holding,
  held: HeldCommand,
): Promise<void> {
  if (!holding.lease.hasOrders) return;
  for (const entry of await inbox.waiting([holding.lease.tenant])) {
    if (kindOfOrder(entry) === 'word') await carryOut(entry, { ...lockedOf(context, held), holding, inbox });
  }
}

/** Updates the pushed users. With `hold all`, nobody else can push meanwhile. */
async function withPushed<T>(
  { config, clock }: CommandContext,
  { postgres }: RemoteStates,
  states: 'hold' | 'hold all',
  work: () => T | Promise<T>,
): Promise<T> {
  if (!receivesPushes(config.sources)) return work();
  const options = { tenant: nameTenant(config.file), folder: config.state, now: () => isoNow(clock) };
  const pushed = openPushedFile(postgres, options);
  try {
    if (states === 'hold all') return await pushed.write(work, 'minutes');
    await pushed.refresh();
    return await work();
  } finally {
    pushed.close();
  }
}

function shareFacts({ config, clock }: CommandContext) {
  const stores = openStores(config.state);
  try {
    return { facts: readFacts(config, stores, isoNow(clock), null), because: null, awayInARow: 0 };
  } finally {
    stores.close();
  }
}

function lockedOf(context: CommandContext, { held, signal }: HeldCommand) {
  const { config, clock, by, console } = context;
  const logger = openLogger(console);
  return { config, clock, by, via: 'machine' as const, logger, holder: describeHolder('a command'), ...held, signal };
}

/** How long to wait for an answer. A holder reads its inbox every second. */
const ANSWER_MS = 15_000;
const LOOK_MS = 200;

/** Checks a decision with a copy, stores it, and carries it out if nobody holds the tenant. */
async function give<Input, Document>(
  context: CommandContext,
  remote: RemoteStates,
  operation: TenantOperation<Input, Document>,
  input: Input,
): Promise<Document> {
  const { config, clock, by, signal, console } = context;
  const { inbox } = remote;
  const tenant = nameTenant(config.file);
  const asked = { config, clock, by, via: 'machine' as const };
  const trial = operation.needs === 'a word' ? await operation.perform({ ...asked, isTrial: true }, input) : null;
  const id = await inbox.put(orderOf(tenant, operation, asked, input));
  await holdTenant(context, remote, {}, () => undefined).catch((error: unknown) => {
    if (!(error instanceof SyncError && error.code === 'SYNC_STATE_LOCKED')) throw error;
  });
  for (let left = ANSWER_MS / LOOK_MS; left > 0; left -= 1) {
    const entry = await inbox.find(tenant, id);
    if (entry?.state === 'ended') return openAnswer(entry);
    await clock.sleep(LOOK_MS, signal);
  }
  if (trial === null)
    throw new SyncError('SYNC_STATE_LOCKED', {
      message: `${tenant} does not answer.`,
      place: tenant,
      remedy: 'Try it again in a moment.',
    });
  await printFitted(
    console.stderr,
    `Checked and stored. It takes effect as soon as the daemon that works for ${tenant} reads it.`,
  );
  return trial;
}
