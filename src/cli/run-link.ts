import { SyncError } from '../base/errors.js';
import { ENTITIES, type Entity, findEntity } from '../model/entity.js';
import { typed } from '../model/typed.js';
import {
  type LinkContext,
  type LinkedByHand,
  type LinkOrder,
  linkByHand,
  unlinkByHand,
} from '../operations/link-by-hand.js';
import { newId } from '../planning/saved/summary.js';
import { worded } from '../report/writers/style.js';
import { type CommandContext, type CommandResult, type LockFlags, readReason } from './context.js';
import { withStateLocked } from './with-state-locked.js';

export interface LinkFlags extends LockFlags {
  readonly entity: string;
  readonly key: string;
  readonly reason?: string;
}

/** `link ENTITY KEY ID`: links the record with that key to that object. */
export function runLink(context: CommandContext, flags: LinkFlags & { readonly id: string }): Promise<CommandResult> {
  return decideLink('link', context, flags, (decided) =>
    describeLinked(linkByHand(readOrder(flags), flags.id, decided)),
  );
}

/** `unlink ENTITY KEY`: removes the link of the record with that key. The record is not matched again automatically. */
export function runUnlink(context: CommandContext, flags: LinkFlags): Promise<CommandResult> {
  return decideLink('unlink', context, flags, (decided) => {
    const order = readOrder(flags);
    const { entity, key } = order;
    const done = unlinkByHand(order, decided);
    const { run, label, id } = done;
    return {
      json: done,
      text: worded`Unlinked ${entity} ${key} from ${label} (${id}), as run ${run}. It is not matched again automatically.\nTo undo it: talent-sync undo ${run}; to link it: talent-sync link ${entity} ${typed(key)} ID`,
    };
  });
}

function readOrder(flags: LinkFlags): LinkOrder {
  return { entity: parseEntity(flags.entity), key: flags.key, reason: readReason(flags) };
}

/** A link changes only the state, so no service key is needed. */
export function decideLink(
  command: string,
  context: CommandContext,
  flags: Pick<LockFlags, 'wait'>,
  decide: (decided: LinkContext) => CommandResult,
): Promise<CommandResult> {
  const { clock, config } = context;
  return withStateLocked(command, context, flags, (stores, startedBy) =>
    decide({
      run: newId('r', clock),
      stores,
      clock,
      configDigest: config.digest,
      startedBy,
      alone: config.approvals.fourEyes,
    }),
  );
}

export function describeLinked(done: LinkedByHand): CommandResult {
  const { run, entity, key, label, id, from } = done;
  const instead = from === null || from === key ? '' : ` instead of ${from}`;
  return {
    json: done,
    text: worded`Linked ${entity} ${key} to ${label} (${id})${instead}, as run ${run}.\nThe next run compares the two. To undo it: talent-sync undo ${run}`,
  };
}

/** `users` or `user`, `tag_categories` or `tag_category`. */
function parseEntity(kind: string): Entity {
  const words = kind.trim().toLowerCase().replace(/[ -]/g, '_');
  const entity = findEntity(words);
  if (entity !== undefined) return entity;
  throw new SyncError('SYNC_CLI_USAGE', {
    message: `"${kind}" is not a kind of object.`,
    place: 'link',
    remedy: `Name one of ${ENTITIES.join(', ')}.`,
  });
}
