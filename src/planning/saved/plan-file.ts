import { createHash } from 'node:crypto';
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { breathe } from '../../base/clock.js';
import { messageOf, SyncError } from '../../base/errors.js';
import { createDraft, makeFolderSync, refuseLinkedFolder } from '../../base/new-file.js';
import { hideSecretsInJson } from '../../base/secrets/secret.js';
import type { DeclinedChange } from '../../model/decline.js';
import type { DueDelivery } from '../../model/delivery.js';
import type { HeldCounts, Hold } from '../../model/desired.js';
import { canonicalJson, type Json } from '../../model/json.js';
import type {
  AdoptionReport,
  BulkLoad,
  Cost,
  Counts,
  GuardTrip,
  PlanEvidence,
  PlannedChange,
} from '../../model/plan.js';
import type { Understood } from '../../model/understood.js';
import type { NearMisses, PlannedSourceChange } from '../../model/write-back.js';
import { createFingerprint } from '../../reconcile/build-change.js';
import type { WriteBackCount } from '../../store/work/planned-write-back-store.js';
import { sealPlan } from './plan-seal.js';

/** The data that differs each time a plan is saved; all other data has the same bytes for the same input. */
export interface PlanMeta {
  readonly plan: string;
  readonly created: string;
  readonly expires: string;
  readonly config: string;
  /** How the mirror was brought up to date: by `full read` or `feed`. */
  readonly mirror: string;
  /** Set on a plan that undoes a run. */
  readonly undoes?: { readonly run: string; readonly reason: string };
  /** Set on a plan of one object, for example `user:jane@example.com`. */
  readonly only?: string;
  /** Set on a plan for another day, for example `2027-01-01`. */
  readonly asOf?: string;
  /** Source → ISO 8601 time at which its read began; plans of earlier versions lack it. */
  readonly reads?: Readonly<Record<string, string>>;
}

/** The plan in numbers, with everything other than its changes. */
export interface PlanSummary {
  readonly counts: Counts;
  /** Source or stream → the write-backs to it. */
  readonly toSources: Readonly<Record<string, WriteBackCount>>;
  readonly cost: Cost;
  readonly held: number;
  /** The number of holds by kind; plans that are read from a file lack it. */
  readonly heldCounts: HeldCounts;
  /** Changes to the service that wait for an approval, or for a change that does. */
  readonly waiting: number;
  readonly guards: readonly GuardTrip[];
  /** Changes that a person has declined; they are not counted above. */
  readonly declined: readonly DeclinedChange[];
  readonly bulkLoad: BulkLoad | null;
  /** Reports that a run would deliver now. They are not changes, and `apply` checks the time again. */
  readonly deliveries: readonly DueDelivery[];
  readonly nearMisses: readonly NearMisses[];
  readonly evidence: PlanEvidence;
  /** First contact with an account that already holds objects; null if nothing is adopted. */
  readonly adoption: readonly AdoptionReport[] | null;
  /** How the sources are understood, while no person has a link yet; null afterwards. */
  readonly understood: Understood | null;
}

export interface PlanHead extends PlanMeta {
  readonly file: string;
  readonly fingerprint: string;
  readonly summary: PlanSummary;
}

/** The last two members: a SHA-256 over everything before it, which reveals an edit anywhere in the file, and the seal. */
export const DIGEST = ',"sha256":"';
export const SEAL = '","seal":"';

/** The parts of a plan to write; the long ones are read item by item. */
export interface PlanParts {
  readonly meta: PlanMeta;
  readonly changes: Iterable<PlannedChange>;
  readonly back: Iterable<PlannedSourceChange>;
  readonly holds: Iterable<Hold>;
  readonly summary: PlanSummary;
}

/**
 * Writes a plan as one JSON document with one change per line. A plan of any size can be written and read as a stream,
 * and a person can read or compare it with the usual tools. The file gets its name only once it is complete.
 *
 * @throws the reason of the aborted signal, in a pause
 */
export async function writePlan(
  folder: string,
  parts: PlanParts,
  key: string,
  signal: AbortSignal | undefined,
): Promise<{ readonly file: string; readonly fingerprint: string }> {
  const file = join(folder, `${parts.meta.plan}.json`);
  const content = createHash('sha256');
  try {
    makeFolderSync(folder, 0o700);
    refuseLinkedFolder(folder);
    const draft = createDraft(file);
    try {
      const put = (text: string): void => {
        content.update(text);
        draft.write(text);
      };
      const digest = await writeParts(parts, put, () => breathe(signal));
      const sha256 = content.digest('hex');
      draft.write(`${DIGEST}${sha256}${SEAL}${sealPlan(key, sha256)}"}\n`);
      draft.finish();
      return { file, fingerprint: digest };
    } finally {
      draft.discard();
    }
  } catch (error) {
    signal?.throwIfAborted();
    throw new SyncError('SYNC_STATE_UNUSABLE', {
      message: `The plan cannot be written: ${messageOf(error)}`,
      place: file,
      remedy: 'Check that the state folder is writable and the disk is not full.',
      cause: error,
    });
  }
}

/** Writes everything up to the seal, part by part; returns the fingerprint. */
async function writeParts(
  { meta, changes, back, holds, summary }: PlanParts,
  put: (text: string) => void,
  pause: () => Promise<void>,
): Promise<string> {
  const fingerprint = createFingerprint();
  const write = createBufferedWriter(put, pause);
  write.line(`{"format":1,"meta":${canonicalJson({ ...meta })},`);
  write.line('"toService":[');
  await write.rows(changes, (change) => {
    fingerprint.add(change.id);
    return hideSecretsInJson(canonicalJson({ ...change } as unknown as Json));
  });
  write.line('],"toSources":[');
  await write.rows(back, (change) => {
    fingerprint.add(change.id);
    return hideSecretsInJson(canonicalJson({ ...change } as unknown as Json));
  });
  write.line('],"held":[');
  await write.rows(holds, (hold) => hideSecretsInJson(canonicalJson({ ...hold })));
  write.end();
  const { counts, toSources, cost, guards, declined, bulkLoad, evidence, adoption, deliveries, nearMisses } = summary;
  const { understood } = summary;
  const digest = fingerprint.digest();
  put(
    `],"counts":${json(counts)},"source_counts":${json(toSources)},"guards":${json(guards)},"bulk_load":${json(bulkLoad)},"evidence":${json(evidence)},` +
      `${declined.length === 0 ? '' : `"declined":${json(declined)},`}` +
      `${deliveries.length === 0 ? '' : `"deliveries":${json(deliveries)},`}` +
      `${nearMisses.length === 0 ? '' : `"near_misses":${json(nearMisses)},`}` +
      `${understood === null ? '' : `"understood":${json(understood)},`}` +
      `${adoption === null ? '' : `"adoption":${json(adoption)},`}"cost":${json(cost)},"fingerprint":"${digest}"`,
  );
  return digest;
}

function json(value: unknown): string {
  return hideSecretsInJson(JSON.stringify(value));
}

/** Rows to write before other work gets its turn. */
const AT_A_TIME = 500;

function createBufferedWriter(flush: (text: string) => void, pause: () => Promise<void>) {
  let buffer = '';
  const line = (text: string): void => {
    buffer += `${text}\n`;
    if (buffer.length > 1 << 16) {
      flush(buffer);
      buffer = '';
    }
  };
  return {
    line,
    async rows<T>(items: Iterable<T>, format: (item: T) => string): Promise<void> {
      let last: string | null = null;
      let written = 0;
      for (const item of items) {
        if (last !== null) line(`${last},`);
        last = format(item);
        written += 1;
        if (written % AT_A_TIME === 0) await pause();
      }
      if (last !== null) line(last);
    },
    end: () => flush(buffer),
  };
}

/** The end of the id of a plan that a run has created for itself. */
export const RUN_PLAN = '-run';

/**
 * Finds a saved plan by id or path. Without either, it finds the newest plan: of all plans, or of those that `plan` has
 * created.
 *
 * @throws SyncError SYNC_PLAN_MISSING if there is none
 */
export function findPlanFile(folder: string, wanted: string | null, among: 'all' | 'planned'): string {
  if (wanted === null) {
    const names = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.json')) : [];
    const newest = names
      .filter((name) => among === 'all' || !name.endsWith(`${RUN_PLAN}.json`))
      .sort()
      .at(-1);
    if (newest !== undefined) return join(folder, newest);
  } else {
    for (const file of [join(folder, `${basename(wanted, '.json')}.json`), wanted]) if (existsSync(file)) return file;
  }
  throw new SyncError('SYNC_PLAN_MISSING', {
    message: wanted === null ? 'There is no saved plan.' : `There is no plan "${wanted}".`,
    place: folder,
    remedy: 'Create one with `talent-sync plan`; the output has its id and file.',
  });
}

/** Number of plans kept in the folder, because a schedule of every 15 minutes creates 35,000 per year. */
const KEPT_PLANS = 200;

/** Removes the oldest plans beyond the newest 200; an approval does not need its plan's file. */
export function prunePlans(folder: string): void {
  const names = readdirSync(folder).filter((name) => name.endsWith('.json'));
  for (const name of names.sort().slice(0, -KEPT_PLANS)) rmSync(join(folder, name), { force: true });
}
