import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FixtureInput } from '../../src/sandbox/fixture/fixture.js';
import { person, type Row, type Yaml } from './company.js';
import { openStory, type Story } from './kit.js';

export const LOOK = 'POST /api/v4/search 200';
export const DOWNLOAD = 'GET /api/v1/cvs/download/:user_id/:cv_id/:language_code/:filetype 200';

export interface DocumentStory {
  readonly story: Story;
  /** Sets what `cvs` delivers from now on: the differences from PDFs in English to ./out. */
  documents(more?: { readonly [key: string]: Yaml }): void;
  /** Paths in ./out, including hidden ones, without the manifest. */
  files(): readonly string[];
  read(name: string): Buffer;
  manifest(): { readonly files: readonly { readonly file: string; readonly id: string; readonly sha256: string }[] };
  /** Calls about CVs and documents since the last look. */
  takeCalls(): readonly string[];
  idOf(externalId: string): Promise<string>;
}

/** A company with people from HR, whose CVs are delivered as documents to a folder. */
export async function openDocuments(
  rows: readonly Row[] = [person('E1')],
  content: Pick<FixtureInput, 'users' | 'customers'> = {},
): Promise<DocumentStory> {
  const story = await openStory(content);
  const out = join(story.folder, 'out');
  mkdirSync(out);
  story.deliver(rows);
  let looked = 0;
  return {
    story,
    documents: (more = {}) =>
      story.configure({
        deliveries: { cvs: { kind: 'cv_documents', language: 'en', deliver: { drop: './out' }, ...more } },
      }),
    files: () =>
      readdirSync(out, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile() && !entry.name.endsWith('.manifest.json'))
        .map(({ parentPath, name }) => join(parentPath, name).slice(out.length + 1))
        .sort(),
    read: (name) => readFileSync(join(out, name)),
    manifest: () => JSON.parse(readFileSync(join(out, 'cvs.manifest.json'), 'utf8')),
    takeCalls() {
      const calls = story.sandbox.calls().slice(looked);
      looked = story.sandbox.calls().length;
      return calls
        .filter(({ route }) => /\/api\/v4\/search|\/download\//.test(route))
        .map(({ method, route, status }) => `${method} ${route} ${status}`);
    },
    async idOf(externalId) {
      const found = await story.others('GET', `/api/v1/users/find?external_unique_id=${externalId}`);
      return (found as { readonly id: string }).id;
    },
  };
}
