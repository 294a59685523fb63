import type { App } from '../app.js';
import { SyncError } from '../errors.js';
import { type LinkContext, type LinkedByHand, linkByHand, unlinkByHand } from '../link-by-hand.js';
import { ENTITIES, type Entity, findEntity } from '../model/entity.js';
import { newId } from '../planning/saved/summary.js';
import { worded } from '../report/writers/style.js';
import { type CommandResult, type CommonOptions, type Console, readReason, runCommand } from './context.js';
import type { LockFlags } from './run-lock.js';
import { withApp } from './run-plan.js';

export interface LinkFlags extends CommonOptions, LockFlags {
  readonly reason?: string;
}

/** `link ENTITY KEY ID`: the record of that key stands for that object from now on. */
export async function runLink(
  console: Console,
  kind: string,
  key: string,
  id: string,
  flags: LinkFlags,
): Promise<void> {
  await runCommand(console, flags, (context) =>
    withApp('link', context, flags, async (app) =>
      describeLinked(linkByHand({ entity: parseEntity(kind), key, reason: readReason(flags) }, id, linkContext(app))),
    ),
  );
}

/** `unlink ENTITY KEY`: the record of that key stands for nothing, and is not matched again by itself. */
export async function runUnlink(console: Console, kind: string, key: string, flags: LinkFlags): Promise<void> {
  await runCommand(console, flags, (context) =>
    withApp('unlink', context, flags, async (app) => {
      const entity = parseEntity(kind);
      const done = unlinkByHand({ entity, key, reason: readReason(flags) }, linkContext(app));
      const { run, label, id } = done;
      return {
        json: done,
        text: worded`Unlinked ${entity} ${key} from ${label} (${id}), as run ${run}. It is not matched again by itself.\nTo take it back: talent-sync undo ${run}; to link it: talent-sync link ${entity} ${key} ID`,
        exitCode: 0,
      };
    }),
  );
}

export function linkContext({ stores, clock, config, startedBy }: App): LinkContext {
  return { run: newId('r', clock), stores, clock, configDigest: config.digest, startedBy };
}

export function describeLinked(done: LinkedByHand): CommandResult {
  const { run, entity, key, label, id, from } = done;
  const instead = from === null || from === key ? '' : ` instead of ${from}`;
  return {
    json: done,
    text: worded`Linked ${entity} ${key} to ${label} (${id})${instead}, as run ${run}.\nThe next run compares the two. To take it back: talent-sync undo ${run}`,
    exitCode: 0,
  };
}

/** `users` or `user`, `tag_categories` or `tag_category`. */
function parseEntity(kind: string): Entity {
  const words = kind.trim().toLowerCase().replace(/[ -]/g, '_');
  const entity = findEntity(words);
  if (entity !== undefined) return entity;
  throw new SyncError('SYNC_CLI_USAGE', {
    message: `"${kind}" is no kind of object.`,
    place: 'link',
    remedy: `Kinds are ${ENTITIES.join(', ')}.`,
  });
}
