import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FixtureInput } from '../../src/sandbox/fixture/fixture.js';
import { ACCOUNT, type Yaml } from './company.js';
import { openStory, type Story } from './kit.js';

/** The two readings where the spec is open: whether people's tags appear on their CVs. */
export const READINGS = [true, false] as const;

export interface CvAccount extends Pick<FixtureInput, 'users' | 'customers' | 'tag_categories'> {
  readonly tagsOnCvs?: boolean;
  readonly afterId?: 'exclude' | 'keyset';
  readonly customerLists?: 'wrapped' | 'bare';
  readonly userLists?: 'scoped' | 'plain';
  readonly hardLinking?: boolean;
}

export function openCvStory({
  tagsOnCvs,
  afterId,
  customerLists,
  userLists,
  hardLinking,
  ...content
}: CvAccount = {}): Promise<Story> {
  const account = {
    ...ACCOUNT.account,
    ...(tagsOnCvs === undefined ? {} : { user_tags_on_cvs: tagsOnCvs }),
    ...(afterId === undefined ? {} : { after_id: afterId }),
    ...(customerLists === undefined ? {} : { customer_lists: customerLists }),
    ...(userLists === undefined ? {} : { user_lists: userLists }),
    features: { hard_linking: hardLinking ?? true },
  };
  return openStory({ ...content, account });
}

/** Delivers rows of a stream; the file whose name sorts last counts. */
export function createStream(story: Story, name: string): (rows: readonly Yaml[]) => string {
  let deliveries = 0;
  return (rows) => {
    deliveries += 1;
    const file = `${name}-${String(deliveries).padStart(2, '0')}.json`;
    mkdirSync(join(story.folder, 'drop', 'lms'), { recursive: true });
    writeFileSync(join(story.folder, 'drop', 'lms', file), JSON.stringify(rows));
    return file;
  };
}

const text: Yaml = { type: 'string', optional: true };

function stream(name: string, columns: { readonly [name: string]: Yaml }): Yaml {
  return { pattern: `${name}-*.json`, key: 'id', settle: '0s', columns: { id: 'string', ...columns } };
}

/** Certificates of a learning system, work experiences, and who worked on which project. */
export const STREAMS: { readonly [key: string]: Yaml } = {
  sources: {
    lms: {
      type: 'crm',
      drop: './drop/lms',
      streams: {
        certificates: stream('certificates', {
          person: 'string',
          name: 'string',
          name_no: text,
          issuer: text,
          year: text,
          gone: { type: 'bool', optional: true },
        }),
        experiences: stream('experiences', { person: 'string', what: text, percent: text }),
        staffing: stream('staffing', {
          project: text,
          person: text,
          role: text,
          copy: { type: 'bool', optional: true },
        }),
      },
    },
  },
};

export const CERTIFICATIONS: { readonly [key: string]: Yaml } = {
  cv_sections: {
    certifications: {
      from: ['lms.certificates'],
      fields: {
        user: 'record.person',
        external_unique_id: 'record.id',
        name: { en: 'record.name', no: 'record.?name_no' },
        organiser: { en: 'record.?issuer' },
        year: 'record.?year',
      },
    },
  },
};

export const STAFFING: { readonly [key: string]: Yaml } = {
  staffing: {
    from: ['lms.staffing'],
    fields: {
      project: 'record.?project',
      user: 'record.?person',
      link: 'record.?copy.orValue(false) == false',
      role: { en: 'record.?role' },
    },
  },
};

/** A section or experience as `state()` shows it. */
export interface SectionState {
  readonly texts: Readonly<Record<string, Readonly<Record<string, string>>>>;
  readonly strings: Readonly<Record<string, string | null>>;
  readonly external_unique_id: string | null;
  readonly project: { readonly external_unique_id: string | null; readonly linked: boolean } | null;
  readonly parts: {
    readonly roles?: readonly { readonly texts: { readonly name: Readonly<Record<string, string>> } }[];
  };
}

export interface CvState {
  readonly tags: readonly string[];
  readonly sections: Readonly<Record<string, readonly SectionState[] | undefined>>;
}

export function cvOf(story: Story, who: string): CvState {
  const { cv } = story.user(who) as unknown as { readonly cv?: CvState };
  return cv ?? { tags: [], sections: {} };
}

export function sectionsOf(story: Story, who: string, kind: string): readonly SectionState[] {
  return cvOf(story, who).sections[kind] ?? [];
}

export interface Ids {
  readonly id: string;
  readonly default_cv_id: string;
}

export async function idsOf(story: Story, who: string): Promise<Ids> {
  return (await story.others('GET', `/api/v1/users/find?external_unique_id=${who}`)) as Ids;
}

/** The path of a person's CV, for another user of the service. */
export async function cvPath(story: Story, who: string): Promise<string> {
  const { id, default_cv_id } = await idsOf(story, who);
  return `/api/v3/cvs/${id}/${default_cv_id}`;
}

/** The reads since the last look, without the lists that every run reads. */
export function takeReads(story: Story): readonly string[] {
  return story.takeReads().filter((call) => !/countries|custom_tag_category|users\/(changes|search)/.test(call));
}

export const CV = '/api/v3/cvs/:user_id/:cv_id';
export const GET_CV = `GET ${CV}`;
export const PUT_CV = `PUT ${CV}`;
export const SEARCH = 'POST /api/v4/search';
export const CREATE_SECTION = `POST ${CV}/:section_type`;
export const UPDATE_SECTION = `PUT ${CV}/:section_type/:section_id`;
export const DELETE_SECTION = `DELETE ${CV}/:section_type/:section_id`;
export const ADD_TAG = `POST ${CV}/custom_tags`;
export const REMOVE_TAG = `DELETE ${CV}/custom_tags/:tag_id`;
export const LINK = 'POST /api/v2/company/cv/customers/:customer_id/projects/:project_id/consultants';
export const CREATE_ROLE = `POST ${CV}/project_experiences/:section_id/roles`;

export function forgetMirror(story: Story): void {
  for (const ending of ['', '-wal', '-shm']) rmSync(join(story.folder, 'var', `mirror.db${ending}`), { force: true });
}
