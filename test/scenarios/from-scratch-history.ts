import { copyFileSync, cpSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type AskedPeople, openAskedPeople } from './asked-people.js';
import { HOUR, PEOPLE_COLUMNS, type Yaml } from './company.js';
import { ESTATES, type EstateName, TABLES, type Table, type TableName, type TableRow } from './from-scratch-estates.js';
import { choose, type Delivered, FAULTS, idOf, type Step, type TableChange } from './from-scratch-steps.js';
import { openStory, type Story } from './kit.js';
import { approveAll, erasePerson, linkPerson, unlinkPerson } from './operator.js';

const OFFICES = '/api/v1/countries';

/** A company whose history is played, with the tables of its systems. */
export class History {
  private readonly tables = new Map<TableName, Map<string, TableRow>>();
  private deliveries = 0;
  private renames = 0;
  private lastRun: string | undefined;

  private constructor(
    readonly story: Story,
    private readonly estate: EstateName,
    private readonly asked: AskedPeople | null,
  ) {}

  /** Opens a company in which every system has delivered once, and a run has used it. */
  static async open(estate: EstateName): Promise<History> {
    const story = await openStory({ account: { features: { hard_linking: true } } });
    mkdirSync(join(story.folder, 'drop', 'to-hr'), { recursive: true });
    story.configure(ESTATES[estate].config);
    story.configure({ guards: { users: { deactivate: { max: 1 } } } });
    const asked = estate === 'asked' ? await openAskedPeople(() => story.clock.now(), PEOPLE_COLUMNS) : null;
    if (asked !== null) story.configure({ sources: { asked: asked.source } });
    const history = new History(story, estate, asked);
    for (const name of ESTATES[estate].tables) {
      const { ids, fresh }: Table = TABLES[name];
      history.tables.set(name, new Map(ids.slice(0, 3).map((id) => [id, fresh(id)])));
      history.deliver(name, 'intact');
    }
    await history.play({ do: 'sync', full: false, fault: null });
    return history;
  }

  async play(step: Step): Promise<void> {
    if (step.do === 'deliver') {
      for (const change of step.changes) this.changeTable(step.table, change);
      this.deliver(step.table, step.how);
    } else if (!(await this.changeService(step)) && !(await this.run(step))) this.changeState(step);
  }

  private changeTable(name: TableName, { row: number, column: at, word }: TableChange): void {
    const { words, fresh }: Table = TABLES[name];
    const [rows, id] = [this.rowsOf(name), idOf(name, number)];
    const row = rows.get(id);
    const column = choose([...Object.keys(words), null], at);
    if (row === undefined) rows.set(id, fresh(id));
    else if (column === null) rows.delete(id);
    else rows.set(id, { ...row, [column]: choose(words[column] ?? [], word) });
  }

  private rowsOf(table: TableName): Map<string, TableRow> {
    return this.tables.get(table) ?? new Map();
  }

  private deliver(name: TableName, how: Delivered): void {
    const { folder, stem, ending, write, badRow }: Table = TABLES[name];
    const rows = [...this.rowsOf(name).values()];
    const [first] = rows;
    const again =
      first === undefined ? [] : [{ ...first, ...(name === 'people' ? { first: 'Other' } : { name: 'Other' }) }];
    const shown: Readonly<Record<Exclude<Delivered, 'broken' | 'the same again'>, readonly TableRow[]>> = {
      intact: rows,
      'turned round': rows.toReversed(),
      'a row twice': [...rows, ...again],
      'a bad row': [...rows, badRow],
      cut: rows.slice(0, 1),
      nothing: [],
    };
    if (this.asked !== null && name === 'people') {
      if (how !== 'the same again') this.asked.show(how === 'broken' ? null : shown[how]);
      return;
    }
    const drop = join(this.story.folder, 'drop', folder);
    mkdirSync(drop, { recursive: true });
    const before = readdirSync(drop)
      .filter((file) => file.startsWith(`${stem}-`))
      .sort()
      .at(-1);
    this.deliveries += 1;
    const file = join(drop, `${stem}-${String(this.deliveries).padStart(3, '0')}.${ending}`);
    if (how === 'the same again' && before !== undefined) copyFileSync(join(drop, before), file);
    else writeFileSync(file, how === 'broken' ? '[{"x;y\n1' : write(shown[how === 'the same again' ? 'intact' : how]));
  }

  /** Makes edits in the service by others. */
  private async changeService(step: Step): Promise<boolean> {
    const { story } = this;
    switch (step.do) {
      case 'edit':
        await this.editPerson(step.row, { title: { en: 'Edited' }, telephone: '99' });
        return true;
      case 'deactivate':
      case 'reactivate':
        await this.editPerson(step.row, { deactivated: step.do === 'deactivate' });
        return true;
      case 'delete': {
        const id = await this.findPerson(idOf('people', step.row));
        if (id !== null) await story.others('DELETE', `/api/v1/users/${id}`);
        // Until a full read, only a look at the CV shows it, and a run that maps everything looks at more CVs.
        if (this.estate === 'staffing') await story.refresh({ full: true });
        return true;
      }
      case 'rename an office': {
        const [norway] = (await story.others('GET', OFFICES)) as { _id: string; offices: { _id: string }[] }[];
        this.renames += 1;
        const path = `${OFFICES}/${norway?._id}/offices/${norway?.offices[0]?._id}`;
        await story.others('PUT', path, { name: `Renamed ${this.renames}` });
        return true;
      }
      default:
        return false;
    }
  }

  private async editPerson(row: number, fields: object): Promise<void> {
    const id = idOf('people', row);
    if ((await this.findPerson(id)) !== null) await this.story.editUser(id, fields);
  }

  /** The service's id of a person; null if nobody has that external id. */
  private async findPerson(externalId: string): Promise<string | null> {
    if (!this.story.users().some((user) => user.external_unique_id === externalId)) return null;
    const found = await this.story.others('GET', `/api/v1/users/find?external_unique_id=${externalId}`);
    return (found as { readonly id: string }).id;
  }

  /** Runs the commands that plan. */
  private async run(step: Step): Promise<boolean> {
    const { story } = this;
    switch (step.do) {
      case 'sync':
        if (step.fault !== null) story.sandbox.faults.add(FAULTS[step.fault]);
        await this.sync({ full: step.full });
        story.sandbox.faults.clear();
        return true;
      case 'sync one':
        await this.sync({ only: `user:${idOf('people', step.row)}` });
        return true;
      case 'sync of a day':
      case 'plan of a day': {
        const asOf = new Date(story.clock.now() + step.days * 24 * HOUR).toISOString().slice(0, 10);
        if (step.do === 'plan of a day') await story.plan({ asOf });
        else await this.sync({ asOf });
        return true;
      }
      case 'kill':
        await this.killDuring(step.command, step.at + 1);
        return true;
      case 'undo':
        await this.undo();
        return true;
      case 'apply':
        await story.apply();
        return true;
      case 'approve':
        await approveAll(story);
        return true;
      case 'link':
      case 'unlink':
      case 'erase':
        await this.typeCommand(step.do, idOf('people', step.row));
        return true;
      case 'refresh':
        await story.refresh({ full: true });
        return true;
      case 'restore': {
        const { json } = await story.backup();
        await story.restore(json.file);
        return true;
      }
      default:
        return false;
    }
  }

  private async sync(flags: { full?: boolean; only?: string; asOf?: string }): Promise<void> {
    this.lastRun = (await this.story.sync(flags)).json.run ?? this.lastRun;
  }

  private async undo(): Promise<void> {
    if (this.lastRun !== undefined) await this.story.undo(this.lastRun, { reason: 'wrong' });
  }

  private async typeCommand(command: 'link' | 'unlink' | 'erase', id: string): Promise<void> {
    const { story } = this;
    if (command === 'erase') await erasePerson(story, id);
    else if (command === 'unlink') await unlinkPerson(story, id);
    else {
      const [first] = story.users();
      if (first === undefined) return;
      const found = await story.others('GET', `/api/v1/users/find?email=${first.email}`);
      await linkPerson(story, id, (found as { readonly id: string }).id);
    }
  }

  /**
   * The process ends when it reads the clock for the time number `at`. Its files are put aside at that moment. Nothing
   * that it
   * sends later arrives, and its later writes are thrown away.
   */
  private async killDuring(command: 'plan' | 'sync' | 'full' | 'undo', at: number): Promise<void> {
    const { clock, sandbox, folder } = this.story;
    const { now } = clock;
    const image = join(folder, 'killed');
    let [looks, killedMs] = [0, 0];
    clock.now = () => {
      looks += 1;
      if (looks === at && existsSync(this.at(''))) {
        killedMs = now();
        // The next process builds the index of the log again.
        cpSync(this.at(''), image, { recursive: true, filter: (from) => !from.endsWith('-shm') });
        sandbox.faults.add({ kind: 'reset_before', times: 10_000 });
      }
      return now();
    };
    if (command === 'plan') await this.story.plan();
    else if (command === 'undo') await this.undo();
    else await this.sync({ full: command === 'full' });
    clock.now = now;
    sandbox.faults.clear();
    if (!existsSync(image)) return;
    // The next process does not wait between these tries.
    clock.advance(killedMs - now());
    rmSync(this.at(''), { recursive: true });
    renameSync(image, this.at(''));
  }

  private changeState(step: Step): void {
    const { story } = this;
    switch (step.do) {
      case 'save':
        for (const name of ['mirror.db', 'state.db']) copyIfThere(this.at(name), this.at(`../old-${name}`));
        return;
      case 'old mirror':
        // As after a power cut: mirror.db does not wait for the disk.
        this.bringBack('mirror.db');
        return;
      case 'old state':
        this.bringBack('state.db');
        return;
      case 'no mirror':
        for (const ending of ['', '-wal', '-shm']) rmSync(this.at(`mirror.db${ending}`), { force: true });
        return;
      case 'wait':
        story.clock.advance(step.hours * HOUR);
        return;
      case 'configure':
        story.configure(choose<Readonly<Record<string, Yaml>>>(ESTATES[this.estate].patches, step.patch));
        return;
      default:
        throw new Error(`nobody plays ${step.do}`);
    }
  }

  private at(name: string): string {
    return join(this.story.folder, 'var', name);
  }

  private bringBack(name: string): void {
    if (!existsSync(this.at(`../old-${name}`))) return;
    for (const ending of ['-wal', '-shm']) rmSync(this.at(`${name}${ending}`), { force: true });
    copyFileSync(this.at(`../old-${name}`), this.at(name));
  }
}

function copyIfThere(from: string, to: string): void {
  if (existsSync(from)) copyFileSync(from, to);
}
