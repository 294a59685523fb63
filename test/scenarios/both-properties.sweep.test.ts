import fc from 'fast-check';
import { expect, test } from 'vitest';
import { tries } from '../depth.js';
import { type Both, openBoth, PHONE_OF_SERVICE } from './both.js';
import { HrByFiles, sorted } from './hr-by-files.js';

const IDS = ['E1', 'E2'] as const;
type Id = (typeof IDS)[number];
/** HR's columns: the source owns one, the service owns one, and the newest change wins in two. */
const COLUMNS = ['title', 'phone', 'title_no', 'roles'] as const;
type Column = (typeof COLUMNS)[number];
type Values = Readonly<Record<Column, string>>;
const LEAVES: Readonly<Record<Column, string>> = {
  title: 'title.en',
  phone: 'telephone',
  title_no: 'title.no',
  roles: 'roles',
};
const BACK: readonly Column[] = ['phone', 'title_no', 'roles'];
const ROLES = ['referencemanager', 'bidmanager', 'countrymanager'];
const START: Values = { title: 'a', phone: '1', title_no: 'x', roles: 'consultant,referencemanager' };
const LAPSE = 7 * 86_400_000;

type Step =
  | { readonly kind: 'hr' | 'service'; readonly id: Id; readonly column: Column; readonly pick: number }
  | { readonly kind: 'deliver'; readonly takesIn: boolean }
  | { readonly kind: 'run' };

const edit = fc.record({
  kind: fc.constantFrom('hr' as const, 'service' as const),
  id: fc.constantFrom(...IDS),
  column: fc.constantFrom(...COLUMNS),
  pick: fc.nat(2),
});
const deliver = fc.record({ kind: fc.constant('deliver' as const), takesIn: fc.boolean() });
const run = fc.constant({ kind: 'run' as const });
const steps = fc.array(
  fc.oneof({ arbitrary: edit, weight: 4 }, { arbitrary: deliver, weight: 2 }, { arbitrary: run, weight: 2 }),
  {
    minLength: 8,
    maxLength: 22,
  },
);

interface Edit {
  readonly side: 'hr' | 'service';
  readonly id: Id;
  readonly column: Column;
  readonly value: string;
  readonly step: number;
  /** The step adds this role. */
  readonly adds?: string;
  readonly takes?: string;
}

function serviceOf({ story }: Both, id: Id): Values {
  const { title, telephone, roles } = story.user(id);
  return {
    title: title.en ?? '',
    phone: telephone ?? '',
    title_no: title.no ?? '',
    roles: [...roles].sort().join(),
  };
}

/** The value that a column was sent last, by this test's own record. */
interface Told {
  readonly value: string;
  readonly shown: string;
  readonly at: number;
  readonly times: number;
}

class World {
  readonly edits: Edit[] = [];
  readonly #told = new Map<string, Told>();
  readonly runs: number[] = [];
  /** Steps at which the delivery before the current one was made. */
  readonly deliveredAt: number[] = [];
  held = new Set<string>();
  step = 0;

  constructor(
    readonly both: Both,
    readonly hr: HrByFiles<Values & { readonly id: string }>,
  ) {}

  async edit({ kind, id, column, pick }: Extract<Step, { kind: 'hr' | 'service' }>): Promise<void> {
    const now = kind === 'hr' ? (this.hr.rows.get(id) ?? START) : serviceOf(this.both, id);
    const own = { side: kind, id, column, step: this.step };
    if (column === 'roles') {
      const word = ROLES[pick] ?? '';
      const words = now.roles.split(',');
      const has = words.includes(word);
      const value = has ? words.filter((one) => one !== word).join() : [...words, word].join();
      await this.#set(kind, id, column, value);
      this.edits.push({ ...own, value, ...(has ? { takes: word } : { adds: word }) });
      return;
    }
    // Telephone numbers repeat; every other value is new.
    const value = column === 'phone' ? String(pick + 1) : `${kind}${this.step}`;
    const earlier = this.edits.filter((one) => one.side === 'hr' && one.id === id && one.column === 'phone');
    if (value === now[column] || (column === 'phone' && kind === 'hr' && earlier.length === 2)) return;
    await this.#set(kind, id, column, value);
    this.edits.push({ ...own, value });
  }

  async #set(kind: 'hr' | 'service', id: Id, column: Column, value: string): Promise<void> {
    if (kind === 'hr') return this.hr.set(id, { [column]: value });
    const { story } = this.both;
    const { title } = story.user(id);
    const [role, ...extra_roles] = value
      .split(',')
      .sort((a, b) => Number(b === 'consultant') - Number(a === 'consultant'));
    const bodies: Readonly<Record<Column, object>> = {
      title: { title: { ...title, en: value } },
      title_no: { title: { ...title, no: value } },
      phone: { telephone: value },
      roles: { role, extra_roles },
    };
    await story.editUser(id, bodies[column]);
  }

  /** Performs one run. HR must get exactly the records that differ and were not sent before. */
  async run(): Promise<readonly string[]> {
    const { both } = this;
    const before = new Map(IDS.map((id) => [id, serviceOf(both, id)]));
    const files = both.deliveries().length;
    const now = both.story.clock.now();
    // The feed of changes does not report roles.
    const ran = await both.story.sync({ full: true });
    expect(ran.json.failed).toEqual([]);
    this.held = new Set(ran.json.conflicts.map(({ key, reason }) => `${key} ${reason.split(' ')[0]}`));
    this.runs.push(this.step);
    const found = both.deliveries();
    expect(found.length - files).toBeLessThanOrEqual(1);
    const due = IDS.filter((id) => BACK.filter((column) => this.#isDue(id, column, before, now)).length > 0);
    const told = found.length > files ? Object.keys(found.at(-1) ?? {}) : [];
    expect(told.sort()).toEqual(due);
    expect(ran.json.to_sources ?? {}).toEqual(due.length === 0 ? {} : { hr: due.length });
    return told;
  }

  #isDue(id: Id, column: Column, before: ReadonlyMap<Id, Values>, now: number): boolean {
    const name = `${id} ${column}`;
    const shown = sorted(this.hr.delivered.get(id)?.[column] ?? '');
    const value = sorted(serviceOf(this.both, id)[column]);
    if (shown === value) this.#told.delete(name);
    const isHeld = this.held.has(`${id} ${LEAVES[column]}`);
    // A list that grew in this run goes to HR with the next one.
    if (shown === value || isHeld || value !== sorted(before.get(id)?.[column] ?? '')) return false;
    const told = this.#told.get(name);
    const isSame = told?.value === value;
    if (isSame && told.shown === shown && now - told.at < LAPSE) return false;
    this.#told.set(name, { value, shown, at: now, times: isSame ? told.times + 1 : 1 });
    return true;
  }
}

async function openWorld(conflicts: 'owner' | 'hold'): Promise<World> {
  const both = await openBoth({
    title: { en: 'record.?title', no: { value: 'record.?title_no', authority: 'newest', write_back: true } },
    telephone: PHONE_OF_SERVICE,
    roles: { value: 'record.?roles', authority: 'newest', write_back: true },
  });
  both.story.configure({ conflicts });
  const hr = new HrByFiles(
    both,
    IDS.map((id) => [id, { ...START, id, modified: '' }]),
  );
  hr.deliver();
  await both.story.sync();
  return new World(both, hr);
}

async function live(world: World, path: readonly Step[]): Promise<void> {
  const { both, hr } = world;
  for (const step of path) {
    world.step += 1;
    both.story.clock.advance(600_000);
    if (step.kind === 'run') await world.run();
    else if (step.kind === 'deliver') {
      if (step.takesIn) hr.takeIn();
      hr.deliver();
      world.deliveredAt.push(world.step);
    } else await world.edit(step);
  }
  // Edits end here: HR takes in what it was sent and shows it; an overlooked value is sent again after a week.
  for (let round = 0; round < 4; round++) {
    both.story.clock.advance(LAPSE + 600_000);
    await world.run();
    await world.run();
    hr.takeIn();
    hr.deliver();
  }
  await world.run();
}

function expectEnd(world: World, conflicts: 'owner' | 'hold'): void {
  const { both, hr, edits, held, runs, deliveredAt } = world;
  for (const id of IDS) {
    const [there, here] = [hr.rows.get(id) ?? START, serviceOf(both, id)];
    for (const column of COLUMNS) {
      const mine = edits.filter((one) => one.id === id && one.column === column);
      const last = (side: Edit['side']): Edit | undefined => mine.filter((one) => one.side === side).at(-1);
      const [source, service] = [last('hr'), last('service')];
      const at = `${id} ${LEAVES[column]}`;
      if (held.has(at)) {
        expect(conflicts).toBe('hold');
        expect([there[column], here[column]]).toEqual([
          source?.value ?? START[column],
          service?.value ?? START[column],
        ]);
        continue;
      }
      expect(`${at} ${sorted(there[column])}`).toBe(`${at} ${sorted(here[column])}`);
      if (column === 'roles') {
        for (const word of ROLES) {
          const about = mine.filter(({ adds, takes }) => adds === word || takes === word);
          if (about.length === 0 || (about.some(({ adds }) => adds) && about.some(({ takes }) => takes))) continue;
          expect(here.roles.split(',').includes(word)).toBe(about[0]?.adds === word);
        }
        continue;
      }
      if (column === 'title' && conflicts === 'owner') expect(here.title).toBe(source?.value ?? START.title);
      if (column === 'phone' && conflicts === 'owner') expect(here.phone).toBe(service?.value ?? START.phone);
      if (column !== 'title_no') continue;
      // A change of one side alone must be there; otherwise the later one, if a run lay between the two.
      expect([source?.value, service?.value, ...(mine.length === 0 ? [START.title_no] : [])]).toContain(here.title_no);
      if (source === undefined || service === undefined) continue;
      const seen = (from: number, to: number): boolean => runs.some((step) => step > from && step < to);
      if (seen(service.step, source.step)) expect(here.title_no).toBe(source.value);
      const shown = deliveredAt.find((step) => step > source.step);
      if (shown !== undefined && seen(shown, service.step)) expect(here.title_no).toBe(service.value);
    }
  }
}

test.each(['owner', 'hold'] as const)(
  'loses no edit and sends none twice under random edits on both sides (conflicts: %s), then is quiet',
  async (conflicts) => {
    await fc.assert(
      fc.asyncProperty(steps, async (path) => {
        const world = await openWorld(conflicts);
        await live(world, path);
        expectEnd(world, conflicts);
        const { story } = world.both;
        story.takeWrites();
        for (let quiet = 0; quiet < tries(10); quiet++) expect(await world.run()).toEqual([]);
        expect(story.takeWrites()).toEqual([]);
      }),
      { numRuns: tries(3), seed: 20_261_122, endOnFailure: true },
    );
  },
  400_000,
);
