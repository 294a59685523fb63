import type { NamedHold } from '../../src/model/desired.js';
import { STATE_RESTORED } from '../../src/model/held-source.js';
import { forgetMirror } from '../scenarios/cvs.js';
import { describePlan, planFromScratch } from '../scenarios/plan-from-scratch.js';
import { BothCompany, readTexts, START } from './both-sides-company.js';
import { type Due, type Found, LAPSE_MS, SharedValue } from './both-sides-reference.js';
import { COLUMNS, type Column, PEOPLE, type Person, type Rules, type Step } from './both-sides-steps.js';
import { describeRun } from './expect.js';
import type { Tally } from './play.js';
import { Violation } from './violation.js';

const STEP_MS = 600_000;

/** One value of one person. */
interface Spot {
  readonly who: Person;
  readonly column: Column;
  readonly value: SharedValue;
}

/** A value before a run looks at it. */
interface Judged {
  readonly spot: Spot;
  readonly found: Found;
  readonly due: Due;
}

/** The outcome of a run for it. */
interface Came {
  readonly service: string;
  /** Its cell in the file that the run wrote to HR. */
  readonly cell: string | undefined;
  readonly isHeld: boolean;
}

/** Record → column → text. */
type HrFile = ReturnType<BothCompany['both']['deliveries']>[number];

/** Plays one history, and compares each run with the reference. */
export class BothSides {
  private readonly spots: readonly Spot[] = PEOPLE.flatMap((who) =>
    COLUMNS.map((column) => ({ who, column, value: new SharedValue(START[column]) })),
  );
  /** The number under which a run last saw each person. */
  private readonly numbers = new Map<Person, string>(PEOPLE.map((who, at) => [who, `E${at + 1}`]));
  /** The holds of the last run. */
  private holds: readonly NamedHold[] = [];
  private lastRun: string | null = null;
  private lastUndo: string | null = null;
  private backup: string | null = null;
  /** Since then, no removal has been approved. */
  private isRestored = false;
  private fresh = 0;

  private constructor(
    private readonly company: BothCompany,
    private readonly tally: Tally,
  ) {}

  static async open(rules: Rules, tally: Tally): Promise<BothSides> {
    return new BothSides(await BothCompany.open(rules), tally);
  }

  async play(step: Step): Promise<void> {
    const { company } = this;
    const { hr, both } = company;
    both.story.clock.advance(STEP_MS);
    this.count(step.do);
    switch (step.do) {
      case 'HR edits':
        return company.editRow(step.who, step.column, this.textOf(step));
      case 'a colleague edits':
        return company.editUser(step.who, step.column, this.textOf(step));
      case 'both edit':
        company.editRow(step.who, step.column, this.textOf(step));
        hr.deliver();
        return company.editUser(step.who, step.column, this.textOf({ ...step, word: step.other }));
      case 'HR delivers':
        if (step.takesIn) hr.takeIn();
        return hr.deliver();
      case 'run':
        return this.run(step.full);
      case 'leave':
      case 'come back':
        return hr.set(step.who, { status: step.do === 'leave' ? 'left' : '' });
      case 'get a new number':
        this.fresh += 1;
        return hr.set(step.who, { id: `N${this.fresh}` });
      case 'change who wins':
        return company.changeRules({ conflicts: step.conflicts, drift: step.drift });
      case 'change who owns':
        for (const { column, value } of this.spots) if (column === step.column) value.rule();
        return company.changeOwner(step.column, step.authority);
      case 'lapse':
        return both.story.clock.advance(LAPSE_MS);
      case 'lose the mirror':
        return forgetMirror(both.story);
      default:
        return this.operate(step);
    }
  }

  /** HR takes in what it was sent until both sides agree on everything except holds; then all is quiet. */
  async settle(): Promise<void> {
    const { hr, both } = this.company;
    for (const full of [true, false, true]) {
      both.story.clock.advance(LAPSE_MS + STEP_MS);
      hr.deliver();
      await this.run(full);
      hr.takeIn();
    }
    hr.deliver();
    await this.run(true);
    const scratch = JSON.stringify(await planFromScratch(both.story));
    const plan = JSON.stringify(describePlan(await both.story.plan()));
    if (plan !== scratch) throw new Violation('from scratch', `${plan}, and from scratch ${scratch}`);
    both.story.takeWrites();
    const files = both.deliveries().length;
    await this.run(false);
    await this.run(true, true);
    const writes = [...both.story.takeWrites(), ...both.deliveries().slice(files)];
    if (writes.length > 0) throw new Violation('quiet', JSON.stringify(writes));
    const wrong = PEOPLE.filter(
      (who) => this.company.userOf(who).deactivated !== (this.company.rowOf(who).status === 'left'),
    );
    if (wrong.length > 0 && !this.holds.some(isOfPerson)) throw new Violation('end state', `use of ${wrong.join()}`);
  }

  private async operate(step: Exclude<Step, { who: Person; column: Column }>): Promise<void> {
    const { story } = this.company.both;
    if (step.do === 'undo' || step.do === 'undo the undo') return this.undo(step.do === 'undo');
    if (step.do === 'back up') this.backup = (await story.backup()).json.file;
    if (step.do === 'restore' && this.backup !== null) {
      await story.restore(this.backup);
      this.isRestored = true;
      [this.lastRun, this.lastUndo, this.holds] = [null, null, []];
      for (const { value } of this.spots) value.restore();
    }
    if (step.do === 'unpin') {
      await story.undo(undefined, { unpin: `user:${this.company.hr.rowOf(step.who).id}` });
      for (const { who, value } of this.spots) if (who === step.who) value.forget();
    }
    if (step.do === 'decide') await this.decide(step.side);
  }

  private textOf({ column, word }: { readonly column: Column; readonly word: string }): string {
    // Nobody is without the title, which only HR has.
    if (word !== 'new' && (word !== '' || column !== 'title')) return word;
    this.fresh += 1;
    return `n${this.fresh}`;
  }

  private async decide(side: 'source' | 'service'): Promise<void> {
    const question = this.holds.find(({ conflict }) => conflict !== undefined);
    if (question?.conflict === undefined) return;
    const words = ['--take', side, '--reason', 'seen'];
    const { code } = await this.company.both.story.type('holds', 'resolve', question.conflict, ...words);
    if (code === 0) this.spots.find((spot) => this.isAbout(question, spot))?.value.resolve(side);
  }

  /** A value that an operator has undone stays undone until one side changes it. */
  private async undo(isFirst: boolean): Promise<void> {
    const { both } = this.company;
    const id = isFirst ? this.lastRun : this.lastUndo;
    if (id === null) return;
    const files = both.deliveries().length;
    const before = new Map(PEOPLE.map((who) => [who, this.company.userOf(who)]));
    const { json, error } = await both.story.undo(id);
    if (error !== undefined && !/NOTHING|UNKNOWN/.test(error.code)) throw new Violation('exit code', error.message);
    if (error !== undefined) return;
    if (both.deliveries().length > files) throw new Violation('safety', 'an undo wrote to HR');
    [this.lastRun, this.lastUndo] = [isFirst ? null : this.lastRun, isFirst ? json.run : null];
    for (const { who, column, value } of this.spots) {
      const [was, is] = [before.get(who), this.company.userOf(who)];
      const source = this.company.rowOf(who)[column];
      if (was === undefined || was.deactivated || is.deactivated || !isFirst) value.forget();
      else if (readTexts(was)[column] !== readTexts(is)[column]) {
        value.forget();
        if (source === readTexts(was)[column]) value.keepUndone({ source, service: readTexts(is)[column] });
      }
    }
  }

  private async run(full: boolean, isEnd = false): Promise<void> {
    const { both } = this.company;
    this.count('runs');
    if (this.isRestored) await this.approveLostPeriod();
    const files = both.deliveries().length;
    const judged = this.spots.map((spot) => this.judge(spot));
    const { json, error } = await both.story.sync({ full });
    if (error !== undefined || json.failed.length > 0) throw new Violation('exit code', describeRun(json));
    this.lastRun = json.run;
    this.holds = [...json.held, ...json.conflicts];
    for (const who of PEOPLE) this.numbers.set(who, this.company.rowOf(who).id);
    const file = this.readFile(files);
    for (const one of judged) {
      const { who, column, value } = one.spot;
      const came = this.findCame(one.spot, file);
      const isUndone = this.isUndone(who);
      if (isUndone) value.forget();
      const rule = isUndone ? null : (findBroken(one, came) ?? (isEnd ? this.findApart(one, came) : null));
      const said = JSON.stringify({ ...one, spot: undefined, ruling: this.company.rulingOf(column), ...came });
      if (rule !== null) throw new Violation(rule, `${who} ${column}: ${said}; ${describeRun(json)}`);
      const agrees = one.due === 'unknown' && this.isHere(who) && came.service === one.found.source;
      if (agrees && !isUndone) value.agree(came.service);
    }
  }

  /** The first plan after a restore that removes something needs one approval. */
  private async approveLostPeriod(): Promise<void> {
    const { story } = this.company.both;
    const { guards } = (await story.plan()).json;
    if (!guards.some(({ guard }) => guard === STATE_RESTORED)) return;
    this.isRestored = false;
    await story.approve({ guard: STATE_RESTORED, reason: 'seen' });
  }

  /** The file that a run wrote to HR: at most one, with people who work there. */
  private readFile(filesBefore: number): HrFile {
    const { both, hr } = this.company;
    const [file = {}, ...more] = both.deliveries().slice(filesBefore);
    if (more.length > 0) throw new Violation('fewest writes', 'two files of one run');
    const there = [...hr.delivered.values()].filter(({ status }) => status === '').map(({ id }) => id);
    const gone = Object.keys(file).find((record) => !there.includes(record));
    if (gone !== undefined) throw new Violation('safety', `written back to ${gone}, who is not there`);
    return file;
  }

  private findCame(spot: Spot, file: HrFile): Came {
    const { who, column } = spot;
    return {
      service: readTexts(this.company.userOf(who))[column],
      cell: file[this.company.rowOf(who).id]?.[column],
      isHeld: this.holds.some((hold) => this.isAbout(hold, spot)),
    };
  }

  private judge(spot: Spot): Judged {
    const { who, column, value } = spot;
    const row = this.company.rowOf(who);
    const found: Found = {
      source: row[column],
      service: readTexts(this.company.userOf(who))[column],
      modifiedMs: Date.parse(row.modified),
      nowMs: this.company.both.story.clock.now(),
    };
    if (!this.isHere(who)) value.forget();
    if (this.numbers.get(who) !== row.id) value.renumber();
    const due = value.judge(found, this.company.rulingOf(column));
    this.count(`values: ${due}`);
    return { spot, found, due };
  }

  private isUndone(who: Person): boolean {
    return this.holds.some((hold) => hold.key === this.numbers.get(who) && isOfPerson(hold));
  }

  /** True if both sides say that the person works there. */
  private isHere(who: Person): boolean {
    return this.company.rowOf(who).status === '' && !this.company.userOf(who).deactivated;
  }

  /** Once HR has taken in everything that it was sent, values differ only if a rule says so. */
  private findApart({ spot: { who, column }, found, due }: Judged, { isHeld }: Came): Violation['rule'] | null {
    const { clears, isWrittenBack } = this.company.rulingOf(column);
    const isKept = isHeld || !isWrittenBack || (!clears && [found.source, found.service].includes(''));
    const isApart = due === 'unknown' && this.isHere(who) && found.source !== found.service && !isKept;
    return isApart || due === 'wait' ? 'end state' : null;
  }

  /** Some holds name their field; others begin with it. */
  private isAbout({ key, field, reason }: NamedHold, { who, column }: Spot): boolean {
    const names = [...(field ?? '').split(', '), reason.split(' ')[0]];
    return key === this.numbers.get(who) && [column, LEAVES[column]].some((name) => names.includes(name));
  }

  private count(what: string): void {
    this.tally.set(what, (this.tally.get(what) ?? 0) + 1);
  }
}

const LEAVES: Readonly<Record<Column, string>> = {
  title: 'title.en',
  title_no: 'title.no',
  phone: 'telephone',
  unit: 'landline',
};

/** An operator has undone that the person exists, has left, or has this account. */
function isOfPerson({ code, field }: NamedHold): boolean {
  return code === 'SYNC_UNDONE_PINNED' && field === undefined;
}

const HELD: ReadonlySet<Due> = new Set(['ask', 'frozen', 'pinned']);

/** The rule about a value that a run broke. */
function findBroken({ spot, found, due }: Judged, { service, cell, isHeld }: Came): Violation['rule'] | null {
  if (due === 'unknown') return null;
  if (service !== (due === 'to service' ? found.source : found.service)) return 'end state';
  const isRest = cell === undefined || cell === found.source || spot.value.repeats(cell, found.source);
  if (due === 'to source' ? cell !== found.service : !isRest) return 'fewest writes';
  return isHeld === HELD.has(due) ? null : 'holds';
}
