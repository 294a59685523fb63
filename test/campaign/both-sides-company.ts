import { type Both, openBoth } from '../scenarios/both.js';
import type { Yaml } from '../scenarios/company.js';
import type { UserState } from '../scenarios/documents.js';
import { HrByFiles, type NumberedRow } from '../scenarios/hr-by-files.js';
import type { Ruling } from './both-sides-reference.js';
import { type Column, PEOPLE, type Person, type Rules } from './both-sides-steps.js';

export type Texts = Readonly<Record<Column, string>>;
type SharedRow = NumberedRow & Texts & { readonly modified: string; readonly status: '' | 'left' };

/** None is a near miss of another one, or one of the edited words. */
export const START: Texts = { title: 'w', title_no: 'x', phone: 'y', unit: 'z' };

/** HR and the service, which both edit values of a few people, and the rules between them. */
export class BothCompany {
  private constructor(
    readonly both: Both,
    readonly hr: HrByFiles<SharedRow>,
    private rules: Rules,
  ) {}

  /** HR has delivered once, and both sides agree. */
  static async open(rules: Rules): Promise<BothCompany> {
    const both = await openBoth(describeFields(rules));
    const { conflicts, drift } = rules;
    both.story.configure({ conflicts, drift, users: { leaver: { after_missing_reads: 1 } } });
    const rows = PEOPLE.map((who, at): [string, SharedRow] => {
      const row = { id: `E${at + 1}`, email: emailOf(who), last: who, status: '', modified: both.at(0) } as const;
      return [who, { ...START, ...row }];
    });
    const company = new BothCompany(both, new HrByFiles(both, rows), rules);
    company.hr.deliver();
    await both.story.sync();
    return company;
  }

  /** The row that HR has delivered for a person. */
  rowOf(who: Person): SharedRow {
    return this.hr.delivered.get(who) ?? this.hr.rowOf(who);
  }

  userOf(who: Person): UserState {
    return this.both.story.user(emailOf(who));
  }

  rulingOf(column: Column): Ruling {
    const { owners, ...rules } = this.rules;
    return { ...rules, authority: owners[column], isWrittenBack: column !== 'title' };
  }

  changeRules(change: Partial<Rules>): void {
    this.rules = { ...this.rules, ...change };
    const { conflicts, drift } = this.rules;
    this.both.story.configure({ conflicts, drift, users: { fields: describeFields(this.rules) } });
  }

  changeOwner(column: Column, authority: Rules['owners']['phone']): void {
    this.changeRules({ owners: { ...this.rules.owners, [column]: authority } });
  }

  editRow(who: Person, column: Column, text: string): void {
    if (this.hr.rowOf(who)[column] !== text) this.hr.set(who, { [column]: text });
  }

  async editUser(who: Person, column: Column, text: string): Promise<void> {
    const { story } = this.both;
    const user = this.userOf(who);
    if (readTexts(user)[column] === text) return;
    const { no: _, ...titles } = user.title;
    const bodies: Readonly<Record<Column, object>> = {
      title: { title: { ...user.title, en: text } },
      title_no: { title: text === '' ? titles : { ...titles, no: text } },
      phone: { telephone: text || null },
      unit: { landline: text || null },
    };
    const { id } = (await story.others('GET', `/api/v1/users/find?email=${user.email}`)) as { readonly id: string };
    await story.others('PUT', `/api/v1/users/${id}?use_legacy_codes=false`, { user: bodies[column] });
  }
}

export function readTexts({ title, telephone, landline }: UserState): Texts {
  return { title: title.en ?? '', title_no: title.no ?? '', phone: telephone ?? '', unit: landline ?? '' };
}

function emailOf(who: Person): string {
  return `${who}@example.com`;
}

function describeFields({ owners, clears }: Rules): { readonly [key: string]: Yaml } {
  const field = (column: Column): Yaml => ({
    value: `record.?${column}`,
    authority: owners[column],
    when_empty: clears ? 'clear' : 'keep',
    write_back: { column, when_empty: clears ? 'clear' : 'keep' },
  });
  return { title: { en: 'record.?title', no: field('title_no') }, telephone: field('phone'), landline: field('unit') };
}
