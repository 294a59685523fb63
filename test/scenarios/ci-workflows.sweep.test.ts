import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { json, text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { loadConfig } from '../../src/config/load.js';
import { closeAfterTest } from '../closing.js';
import { tenant } from '../daemon/web/operator/facts.js';
import { type OpenedPages, openPages } from '../daemon/web/operator/pages.js';
import { IS_THOROUGH, oneIn } from '../depth.js';
import { ROOT } from '../module-graph.js';
import { merge, person, type Yaml } from './company.js';
import { openStory, type Story } from './kit.js';

/* The workflows of examples/ci: their shell steps run verbatim, against an imitation of both interfaces. */

interface Note {
  readonly id: number;
  body: string;
}

/** The part of GitHub's or GitLab's interface that a comment on request 7 needs. */
interface Forge {
  readonly url: string;
  /** Calls in order: `POST /…`. */
  readonly calls: string[];
  readonly notes: Note[];
}

interface ForgeRules {
  /** The header with the token, and its expected value. */
  readonly login: readonly [name: string, value: string];
  readonly list: string;
  readonly one: (id: number) => string;
  readonly updates: 'PATCH' | 'PUT';
  readonly merged: readonly [path: string, answer: Yaml];
  readonly show: (note: Note) => Yaml;
  readonly more?: readonly [path: string, answer: Yaml];
}

/** A stranger has written a note that begins the same. */
const FOREIGN: Note = { id: 1, body: '<!-- talent-sync preview --> of somebody else' };

const GITHUB: ForgeRules = {
  login: ['authorization', 'Bearer forge-token'],
  list: '/repos/acme/config/issues/7/comments',
  one: (id) => `/repos/acme/config/issues/comments/${id}`,
  updates: 'PATCH',
  merged: ['/repos/acme/config/commits/abc/pulls', [{ number: 7 }]],
  show: ({ id, body }) => ({ id, body, user: { login: id === FOREIGN.id ? 'mallory' : 'github-actions[bot]' } }),
};

const GITLAB: ForgeRules = {
  login: ['private-token', 'forge-token'],
  list: '/projects/42/merge_requests/7/notes',
  one: (id) => `/projects/42/merge_requests/7/notes/${id}`,
  updates: 'PUT',
  merged: ['/projects/42/repository/commits/abc/merge_requests', [{ iid: 7 }]],
  show: ({ id, body }) => ({ id, body, author: { id: id === FOREIGN.id ? 1 : 99 } }),
  more: ['/user', { id: 99 }],
};

async function openForge({ login, list, one, updates, merged, show, more }: ForgeRules): Promise<Forge> {
  const notes: Note[] = [{ ...FOREIGN }];
  const calls: string[] = [];
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url ?? '', 'http://forge');
    calls.push(`${request.method} ${pathname}`);
    const [name, value] = login;
    const answer = (status: number, document: unknown): void => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(document));
    };
    if (request.headers[name] !== value) return answer(401, { message: 'who is it?' });
    for (const [path, document] of [merged, ...(more === undefined ? [] : [more])])
      if (request.method === 'GET' && pathname === path) return answer(200, document);
    if (request.method === 'GET' && pathname === list) return answer(200, notes.map(show));
    const { body } = (await json(request)) as { readonly body: string };
    if (request.method === 'POST' && pathname === list) {
      notes.push({ id: notes.length + 1, body });
      return answer(201, {});
    }
    const note = notes.find(({ id }) => request.method === updates && pathname === one(id));
    if (note === undefined) return answer(404, { message: 'nothing here' });
    note.body = body;
    return answer(200, {});
  });
  await new Promise<void>((listening) => void server.listen(0, '127.0.0.1', listening));
  closeAfterTest({ close: () => void server.close() });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, calls, notes };
}

const ROLES = { ci: 'previewer', viewer: 'viewer' } as const;

interface Repository {
  readonly folder: string;
  readonly base: string;
  readonly story: Story;
  readonly pages: OpenedPages;
  /** Gives the daemon the configuration of the repository. */
  merge(): void;
}

/** A repository whose newest commit turns two people into leavers; the daemon still uses the commit before. */
async function openRepository(): Promise<Repository> {
  const story = await openStory();
  story.configure({ guards: { users: { deactivate: { max: 1 } } } });
  story.deliver(['E1', 'E2', 'E3', 'E4'].map((key) => person(key, { status: Number(key[1]) > 2 ? 'gone' : 'here' })));
  await story.sync();
  const folder = join(story.folder, 'repository');
  const file = join(folder, 'tenants/acme.yaml');
  mkdirSync(join(folder, 'tenants'), { recursive: true });
  const git = (...words: readonly string[]): string =>
    execFileSync('git', ['-c', 'user.name=x', '-c', 'user.email=x@example.com', ...words], { cwd: folder })
      .toString()
      .trim();
  git('init', '--quiet');
  const inForce = readFileSync(story.configFile, 'utf8');
  const commit = (configuration: string): string => {
    writeFileSync(file, configuration);
    git('add', '--all');
    git('commit', '--quiet', '--message', 'configuration');
    return git('rev-parse', 'HEAD');
  };
  const base = commit(inForce);
  const leavers = { users: { leaver: { when: 'record.?status.orValue("") == "gone"' } } };
  commit(stringify(merge(parse(inForce) as Yaml, leavers)));
  const grants = Object.entries(ROLES).map(([who, role]) => {
    return { role, who: [who], groups: [], tenants: ['acme'], pseudonyms: false };
  });
  const acme = { ...tenant('acme'), config: loadConfig(story.configFile, story.env) };
  const pages = await openPages({ settings: { grants }, tenants: [acme] });
  return {
    ...{ folder, base, story, pages },
    merge() {
      writeFileSync(story.configFile, readFileSync(file));
      acme.config = loadConfig(story.configFile, story.env);
    },
  };
}

/** Runs shell steps in the repository, with the built `talent-sync`. @returns exit code and output */
async function runSteps(
  { folder, base, pages }: Repository,
  steps: readonly string[],
  env: Readonly<Record<string, string>>,
) {
  const bin = join(folder, '..', 'bin');
  mkdirSync(bin, { recursive: true });
  const program = join(bin, 'talent-sync');
  writeFileSync(program, `#!/bin/sh\nexec '${process.execPath}' '${join(ROOT, 'dist/main.js')}' "$@"\n`);
  chmodSync(program, 0o755);
  const shell = spawn('bash', ['-e', '-c', steps.join('\n')], {
    cwd: folder,
    env: {
      ...{ PATH: `${bin}:${process.env.PATH}`, BASE: base, CONFIGS: 'tenants/*.yaml', HOME: folder },
      ...{ TALENT_SYNC_DAEMON: pages.url, TALENT_SYNC_TOKEN: pages.giveToken('ci') },
      ...{ VIEWER_TOKEN: pages.giveToken('viewer'), POLL_SECONDS: '1', WAIT_SECONDS: '120' },
      ...env,
    },
  });
  const [stdout, stderr, [code]] = await Promise.all([text(shell.stdout), text(shell.stderr), once(shell, 'close')]);
  return { code: code as number, output: `${stdout}${stderr}` };
}

/** The steps of a job without its checkout and installation. */
interface Workflow {
  readonly rules: ForgeRules;
  readonly env: (url: string) => Readonly<Record<string, string>>;
  readonly steps: (job: 'preview' | 'after') => readonly string[];
}

type Written = { readonly [key: string]: never };

function readExample(name: string): Written {
  return parse(readFileSync(join(ROOT, 'examples/ci', name), 'utf8')) as Written;
}

const WORKFLOWS: readonly (readonly [name: string, workflow: Workflow])[] = [
  [
    'GitHub',
    {
      rules: GITHUB,
      env: (url) => ({
        GITHUB_API_URL: url,
        GITHUB_REPOSITORY: 'acme/config',
        GITHUB_TOKEN: 'forge-token',
        GITHUB_SHA: 'abc',
      }),
      steps(job) {
        const { jobs, env } = readExample('github.yml') as unknown as {
          readonly env: { readonly WRITE_COMMENT: string };
          readonly jobs: Readonly<Record<string, { readonly steps: readonly { readonly run?: string }[] }>>;
        };
        const script = `export WRITE_COMMENT='${env.WRITE_COMMENT.replaceAll("'", `'\\''`)}'`;
        const own = (jobs[job]?.steps ?? []).flatMap(({ run = 'npm install' }) =>
          run.startsWith('npm install') ? [] : [run],
        );
        return [script, ...(job === 'preview' ? ['export PULL_REQUEST=7'] : []), ...own];
      },
    },
  ],
  [
    'GitLab',
    {
      rules: GITLAB,
      env: (url) => ({ CI_API_V4_URL: url, CI_PROJECT_ID: '42', COMMENT_TOKEN: 'forge-token', CI_COMMIT_SHA: 'abc' }),
      steps(job) {
        const { [job]: found } = readExample('gitlab.yml') as unknown as Readonly<
          Record<string, { readonly script: readonly string[] }>
        >;
        const own = (found?.script ?? []).filter((line) => !line.startsWith('export BASE'));
        return [...(job === 'preview' ? ['export CI_MERGE_REQUEST_IID=7'] : []), ...own];
      },
    },
  ],
];

test.each(oneIn(1, WORKFLOWS))(
  '%s: updates one comment from the preview to the first run after the merge',
  async (_, { rules, env, steps }) => {
    const [repository, forge] = [await openRepository(), await openForge(rules)];
    const given = env(forge.url);

    const first = await runSteps(repository, steps('preview'), given);
    expect(first.code, first.output).toBe(3);
    expect(forge.calls.at(-1)).toBe(`POST ${rules.list}`);
    const [foreign, own] = forge.notes;
    expect(own?.body).toContain('| `users.deactivate` | 2 | 1 | 2 | 0 |');

    // In a quick run, only the job after the merge updates the comment.
    if (IS_THOROUGH) {
      const again = await runSteps(repository, steps('preview'), given);
      expect(again.code, again.output).toBe(3);
      expect(forge.calls.at(-1)).toBe(`${rules.updates} ${rules.one(own?.id ?? 0)}`);
    }

    const after = runSteps(repository, steps('after'), given);
    repository.merge();
    await new Promise((resolve) => setTimeout(resolve, 3_000));
    await repository.story.sync();
    const { code, output } = await after;
    expect(code, output).toBe(0);
    expect(forge.notes.length).toBe(2);
    expect(foreign?.body).toBe(FOREIGN.body);
    expect(own?.body).toContain('### Preview of `acme`');
    expect(own?.body).toMatch(
      /\*\*After the merge\*\*, `acme`: The first run, `r[\w-]+`, ended with something to decide \(exit 3\)\./,
    );
  },
);

test('skips forks, and has no trigger that gives strangers a secret', () => {
  const github = readFileSync(join(ROOT, 'examples/ci/github.yml'), 'utf8');
  const { on, jobs } = parse(github) as {
    readonly on: object;
    readonly jobs: { readonly preview: { readonly if: string } };
  };
  expect(Object.keys(on)).toEqual(['pull_request', 'push']);
  expect(jobs.preview.if).toContain('github.event.pull_request.head.repo.full_name == github.repository');
  // Words of a stranger reach a shell only as variables.
  expect(github.match(/run: .*\$\{\{/g)).toBeNull();
  const gitlab = readFileSync(join(ROOT, 'examples/ci/gitlab.yml'), 'utf8');
  expect(gitlab).toContain('$CI_MERGE_REQUEST_SOURCE_PROJECT_ID == $CI_PROJECT_ID');
});
