import type { RunDocument } from '../scenarios/documents.js';
import type { Story } from '../scenarios/kit.js';
import { describeRun, expectSame } from './expect.js';
import type { PreludeName } from './history.js';
import type { Holding } from './part.js';
import { Violation } from './violation.js';

interface Under {
  readonly story: Story;
  readonly before: Holding;
  readonly found: Holding;
  readonly ran: { readonly code: number; readonly json: RunDocument };
  /** The exit code of a run with nothing but holds. */
  readonly quiet: number;
}

const ofPeople = (holding: Holding): Holding => new Map([...holding].filter(([name]) => name.startsWith('user ')));
const thatWere = (holding: Holding, before: Holding): Holding =>
  new Map([...holding].filter(([name]) => before.has(name)));

/** The promise of each configuration for a run under it (docs/reference/configuration.md, docs/reference/guards.md). */
const PROMISES: Readonly<Record<PreludeName, (under: Under) => void | Promise<void>>> = {
  'drift is reported': () => undefined,
  'create-only': ({ before, found }) => {
    // The call that creates links also gives an experience its roles, and sections have only their own policy.
    const kinds = /^(user|customer|project|tag|category|country|office) /;
    const old = (holding: Holding): Holding => new Map([...holding].filter(([name]) => kinds.test(name)));
    expectSame(old(before), old(thatWere(found, before)));
  },
  'upsert-only': ({ before, found }) => {
    for (const [name, facts] of found)
      if (facts.deactivated === true && before.get(name)?.deactivated === false)
        throw new Violation('safety', `${name} was deactivated under upsert-only`);
  },
  'guards of users': async ({ story, before, found, ran, quiet }) => {
    expectSame(ofPeople(before), ofPeople(found));
    const { guards } = ran.json;
    if (ran.code !== (quiet === 0 && guards.length > 0 ? 3 : quiet))
      throw new Violation(
        'exit code',
        `a run with ${guards.length} guards ends with ${ran.code}: ${describeRun(ran.json)}`,
      );
    const { stdout } = await story.type('holds', 'list', '--json');
    const { waiting } = JSON.parse(stdout) as {
      readonly waiting: readonly { readonly kind: string; readonly of: string }[];
    };
    const listed = new Set(waiting.flatMap(({ kind, of }) => (kind === 'guard' ? [of] : [])));
    for (const { guard } of guards)
      if (!listed.has(guard)) throw new Violation('safety', `${guard} holds changes, and is not listed: ${stdout}`);
  },
};

export async function expectPrelude(prelude: PreludeName, under: Under): Promise<void> {
  await PROMISES[prelude](under);
}
