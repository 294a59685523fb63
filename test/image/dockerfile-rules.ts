import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ValidationSeverity, validate } from 'dockerfile-utils';
import { ROOT } from '../module-graph.js';
import {
  findInstruction,
  inheritStage,
  listCopies,
  readDockerfile,
  readExecForm,
  type Stage,
} from './read-dockerfile.js';

export interface BuildFiles {
  readonly dockerfile: string;
  readonly ignore: string;
  readonly project: { readonly version: string };
  /** Majors of Node.js that the workflow runs the tests under. */
  readonly tested: readonly number[];
}

export interface Rule {
  readonly promise: string;
  /** What breaks the promise; nothing, where it is kept. */
  readonly findFaults: (files: BuildFiles) => readonly string[];
  /** Edits of the Dockerfile that break it, each by itself, so that no rule is one that cannot fail. */
  readonly spoiled: readonly (readonly [from: string, to: string])[];
  /** The same for .dockerignore. */
  readonly spoiledIgnore?: readonly (readonly [from: string, to: string])[];
}

const STRICT = {
  deprecatedMaintainer: ValidationSeverity.ERROR,
  directiveCasing: ValidationSeverity.ERROR,
  emptyContinuationLine: ValidationSeverity.ERROR,
  instructionCasing: ValidationSeverity.ERROR,
  instructionCmdMultiple: ValidationSeverity.ERROR,
  instructionEntrypointMultiple: ValidationSeverity.ERROR,
  instructionHealthcheckMultiple: ValidationSeverity.ERROR,
  instructionJSONInSingleQuotes: ValidationSeverity.ERROR,
  instructionWorkdirRelative: ValidationSeverity.ERROR,
};

/** What is built: the stage's name → how it starts, and where it is asked for its health. */
const IMAGES: Readonly<Record<string, { readonly starts: readonly string[]; readonly health: string }>> = {
  sandbox: { starts: ['talent-sync', 'sandbox', '--host', '0.0.0.0', '--port', '8080'], health: '/__sandbox/health' },
  worker: {
    starts: ['talent-sync', 'daemon', '--config', '/etc/talent-sync', '--host', '0.0.0.0', '--port', '8080'],
    health: '/livez',
  },
};

/** A rule that every image keeps by itself. */
function inEachImage(findFaults: (image: Stage, files: BuildFiles) => readonly string[]): Rule['findFaults'] {
  return (files) => {
    const { stages } = readDockerfile(files.dockerfile);
    const images = Object.keys(IMAGES).map((name) => inheritStage(stages, name));
    return images.flatMap((image) => findFaults(image, files).map((fault) => `${image.name}: ${fault}`));
  };
}

function unless(isKept: boolean, fault: string): readonly string[] {
  return isKept ? [] : [fault];
}

/** What all stages copy from the build's context. */
function listSources({ dockerfile }: BuildFiles): readonly string[] {
  const copies = readDockerfile(dockerfile).stages.flatMap(listCopies);
  return [...new Set(copies.filter(({ from }) => from === null).flatMap(({ sources }) => sources))];
}

/** `FROM`s and `--from`s: `isEarlier` says whether a name is that of a stage above. */
function listUses(
  files: BuildFiles,
): readonly { readonly of: string; readonly isEarlier: boolean; readonly isBase: boolean }[] {
  const { stages } = readDockerfile(files.dockerfile);
  return stages.flatMap((stage, index) => {
    const isEarlier = (name: string): boolean => stages.slice(0, index).some((other) => other.name === name);
    const copied = listCopies(stage).flatMap(({ from }) => (from === null ? [] : [from]));
    return [
      { of: stage.base, isEarlier: isEarlier(stage.base), isBase: true },
      ...copied.map((of) => ({ of, isEarlier: isEarlier(of), isBase: false })),
    ];
  });
}

export const DOCKERFILE_RULES: readonly Rule[] = [
  {
    promise: 'it is read without a complaint',
    findFaults: ({ dockerfile }) =>
      validate(dockerfile, STRICT).map(({ message }) => (typeof message === 'string' ? message : message.value)),
    spoiled: [
      ['WORKDIR /var', 'WORKDIR var'],
      ['\nUSER', '\nuser'],
      ['STOPSIGNAL SIGTERM', 'STOPSIGNAL NONE'],
      ['EXPOSE 8080', 'EXPOSE 8080/xyz'],
      ['EXPOSE', 'EXPOSED'],
      ['--timeout=5s', '--timeout=5'],
    ],
  },
  {
    promise: 'every base from outside is an argument, to be pinned, and has a tag that stays and no registry',
    findFaults: (files) => {
      const { args } = readDockerfile(files.dockerfile);
      const outside = listUses(files).filter(({ of, isEarlier, isBase }) => isBase && !isEarlier && of !== 'scratch');
      const isGood = (base: string): boolean =>
        [...args.values()].includes(base) && /^[\w-]+(\/[\w-]+)?:(?!latest)[\w.-]+(@sha256:[0-9a-f]{64})?$/.test(base);
      return outside.length === 0 ? ['no base'] : outside.map(({ of }) => of).filter((base) => !isGood(base));
    },
    spoiled: [
      ['=node:26-bookworm', '=node'],
      ['=node:26-bookworm', '=node:latest'],
      ['=node:26-bookworm', '=registry.example:5000/node:26'],
      ['=node:26-bookworm', '=registry.example/library/node:26'],
      ['FROM dependencies AS system', 'FROM node:26-slim AS system'],
    ],
  },
  {
    promise: 'it builds on the newest Node.js that the workflow tests',
    findFaults: ({ dockerfile, tested }) => {
      const bases = readDockerfile(dockerfile).stages.map(({ base }) => base);
      return bases.filter((base) => base.startsWith('node:') && !base.startsWith(`node:${Math.max(...tested)}-`));
    },
    spoiled: [['node:26-', 'node:25-']],
  },
  {
    promise: 'what is built without a target is the worker',
    findFaults: ({ dockerfile }) => {
      const last = readDockerfile(dockerfile).stages.at(-1);
      return unless(last?.name === 'worker', `the last stage is ${last?.name}`);
    },
    spoiled: [['AS worker', 'AS daemon']],
  },
  {
    promise: 'an image starts from nothing and runs nothing, so that no shell or package manager is left in it',
    findFaults: inEachImage(({ base, instructions }) => {
      const runs = instructions.filter(({ keyword }) => ['RUN', 'ADD', 'SHELL'].includes(keyword));
      return [...unless(base === 'scratch', `FROM ${base}`), ...runs.map(({ keyword, rest }) => `${keyword} ${rest}`)];
    }),
    spoiled: [
      ['FROM scratch', 'FROM debian:bookworm-slim'],
      ['FROM common AS sandbox', 'FROM program AS sandbox'],
      ['\nUSER', '\nRUN apt-get install -y curl\nUSER'],
    ],
  },
  {
    promise: 'the writers of documents and their fonts are in the sandbox alone',
    findFaults: inEachImage((image) => {
      const isIn = listCopies(image).some(({ sources }) => sources.includes('/writers'));
      return unless(isIn === (image.name === 'sandbox'), isIn ? 'has /writers' : 'lacks /writers');
    }),
    spoiled: [
      ['COPY --from=program /writers /app/dist\n', ''],
      ['COPY --from=program /app /app\n', 'COPY --from=program /app /app\nCOPY --from=program /writers /app/dist\n'],
    ],
  },
  {
    promise: 'it runs as a user and a group told by number, not as root',
    findFaults: inEachImage((image) => {
      const user = findInstruction(image, 'USER');
      return unless(/^[1-9]\d*:[1-9]\d*$/.test(user ?? ''), `USER ${user}`);
    }),
    spoiled: [
      ['USER 10001:10001', 'USER talent-sync'],
      ['USER 10001:10001', 'USER 10001'],
      ['USER 10001:10001', 'USER 0:0'],
      ['USER 10001:10001\n', ''],
    ],
  },
  {
    promise: 'it starts its command, is asked for its health and is stopped without a shell in between',
    findFaults: inEachImage((image) => {
      const said = (keyword: string): string | null => findInstruction(image, keyword);
      const starts = ['ENTRYPOINT', 'CMD'].map((keyword) =>
        said(keyword) === null ? [] : readExecForm(said(keyword)),
      );
      return [
        ...unless(starts.flat().join(' ') === IMAGES[image.name ?? '']?.starts.join(' '), `starts ${starts.join()}`),
        ...unless(readExecForm(said('HEALTHCHECK'))?.[0] === 'node', `HEALTHCHECK ${said('HEALTHCHECK')}`),
        ...unless(said('STOPSIGNAL') === 'SIGTERM', `STOPSIGNAL ${said('STOPSIGNAL')}`),
      ];
    }),
    spoiled: [
      ['ENTRYPOINT ["talent-sync", "sandbox",', 'ENTRYPOINT ["talent-sync",'],
      ['"--host", "0.0.0.0", "--port", "8080"]\nLABEL', '"--port", "8080"]\nLABEL'],
      ['ENTRYPOINT ["talent-sync"]', 'ENTRYPOINT talent-sync'],
      ['ENTRYPOINT ["talent-sync"]', 'ENTRYPOINT ["sh", "-c", "talent-sync"]'],
      [
        'CMD ["daemon", "--config", "/etc/talent-sync", "--host", "0.0.0.0", "--port", "8080"]',
        'CMD daemon --port 8080',
      ],
      ['CMD ["node", "-e"', 'CMD ["sh", "-c"'],
      ['CMD ["node", "-e"', 'CMD node -e "'],
      ['STOPSIGNAL SIGTERM\n', ''],
    ],
  },
  {
    promise: 'it is asked for its health where it listens',
    findFaults: inEachImage((image) => {
      const starts = ['ENTRYPOINT', 'CMD'].flatMap((keyword) => readExecForm(findInstruction(image, keyword)) ?? []);
      const port = starts[starts.indexOf('--port') + 1] ?? 'none';
      const [health, exposed] = ['HEALTHCHECK', 'EXPOSE'].map((keyword) => findInstruction(image, keyword));
      const asked = `fetch('http://127.0.0.1:${port}${IMAGES[image.name ?? '']?.health}')`;
      return [
        ...unless(health?.includes(asked) === true, `HEALTHCHECK ${health}`),
        ...unless(exposed === port, `EXPOSE ${exposed}`),
      ];
    }),
    spoiled: [
      ['"--port", "8080"', '"--port", "9090"'],
      ['EXPOSE 8080', 'EXPOSE 9090'],
      ['/livez', '/metrics'],
      ['/__sandbox/health', '/livez'],
    ],
  },
  {
    promise: "the user owns one folder, where it works and where SQLite's temporary files go",
    findFaults: inEachImage((image) => {
      const [folder, user, variables] = ['WORKDIR', 'USER', 'ENV'].map((keyword) => findInstruction(image, keyword));
      const owned = listCopies(image).filter(({ owner }) => owner !== null);
      const isOwned = owned.length === 1 && owned[0]?.owner === user && folder === `${owned[0]?.target}talent-sync`;
      return [
        ...unless(isOwned, `COPY ${owned.map(({ owner, target }) => `--chown=${owner} ${target}`).join()}`),
        ...unless(variables?.split(/\s+/).includes(`SQLITE_TMPDIR=${folder}`) === true, `ENV ${variables}`),
      ];
    }),
    spoiled: [
      ['--chown=10001:10001 ', ''],
      ['--chown=10001:10001', '--chown=10002:10002'],
      ['COPY --from=program /app /app', 'COPY --from=program --chown=10001:10001 /app /app'],
      ['WORKDIR /var/lib/talent-sync', 'WORKDIR /app'],
      ['SQLITE_TMPDIR=/var/lib/talent-sync', 'SQLITE_TMPDIR=/tmp'],
    ],
  },
  {
    promise: "a dead mount or two do not take every thread that other tenants' files and names need",
    findFaults: inEachImage((image) => {
      const variables = findInstruction(image, 'ENV') ?? '';
      return unless(Number(/\bUV_THREADPOOL_SIZE=(\d+)/.exec(variables)?.[1] ?? 4) >= 32, `ENV ${variables}`);
    }),
    spoiled: [['UV_THREADPOOL_SIZE=64', 'UV_THREADPOOL_SIZE=4']],
  },
  {
    promise: 'all that is copied is there',
    findFaults: (files) => [
      ...listSources(files).filter((source) => !existsSync(join(ROOT, source))),
      ...listUses(files).flatMap(({ of, isEarlier, isBase }) => unless(isBase || isEarlier, `--from=${of}`)),
    ],
    spoiled: [
      ['COPY tsconfig.json', 'COPY tsconfig.build.json'],
      ['COPY config', 'COPY configuration'],
      ['COPY --from=dependencies', 'COPY --from=modules'],
    ],
  },
  {
    promise: 'nothing enters the build but what is copied',
    findFaults: (files) => {
      const [first, ...others] = files.ignore.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
      const wanted = listSources(files).map((source) => `!${source}`);
      return [
        ...unless(first === '*', `.dockerignore begins with ${first}`),
        ...others.filter((line) => !wanted.includes(line)).map((line) => `.dockerignore has ${line}`),
        ...wanted.filter((line) => !others.includes(line)).map((line) => `.dockerignore lacks ${line}`),
      ];
    },
    spoiled: [['COPY src src', 'COPY . .']],
    spoiledIgnore: [
      ['*\n', 'node_modules\n'],
      ['!src', '!src\n!.npmrc'],
      ['!LICENSE\n', ''],
    ],
  },
  {
    promise: 'secrets come in by mount alone',
    findFaults: ({ dockerfile }) =>
      readDockerfile(dockerfile)
        .stages.flatMap(({ instructions }) => instructions)
        .filter(
          ({ keyword, rest }) =>
            (/^(ARG|ENV|LABEL)$/.test(keyword) && /token|secret|passw|_key|auth/i.test(rest)) ||
            (/^(COPY|ADD)$/.test(keyword) && /npmrc|\.env|\.pem/.test(rest)) ||
            (keyword === 'RUN' &&
              /npm (ci|i|install)\b/.test(rest) &&
              !rest.startsWith('--mount=type=secret,id=npmrc ')),
        )
        .map(({ keyword, rest }) => `${keyword} ${rest}`),
    spoiled: [
      ['ARG REVISION', 'ARG NPM_TOKEN'],
      ['COPY src src', 'COPY .npmrc ./'],
      [
        'RUN --mount=type=secret,id=npmrc NPM_CONFIG_USERCONFIG=/run/secrets/npmrc npm ci --ignore',
        'RUN npm ci --ignore',
      ],
    ],
  },
  {
    promise:
      'the modules are those of the lock file, for production alone, and the binding is compiled for this Node.js',
    findFaults: inEachImage((image, files) => {
      const modules = listCopies(image).find(({ target }) => target.endsWith('/node_modules'));
      const stage = readDockerfile(files.dockerfile).stages.find(({ name }) => name === modules?.from);
      const said = stage?.instructions.map(({ rest }) => rest).join('\n') ?? '';
      const needed = [
        'npm ci ',
        '--omit=dev',
        'build_from_source=true',
        'nodedir=/usr/local',
        'node /tmp/image-prune.mjs',
      ];
      return needed.filter((words) => !said.includes(words));
    }),
    spoiled: [
      ['npm ci --omit=dev', 'npm install --omit=dev'],
      ['npm ci --omit=dev', 'npm ci'],
      ['npm_config_build_from_source=true ', ''],
      ['RUN node /tmp/image-prune.mjs /app\n', ''],
      ['COPY --from=dependencies /app/node_modules', 'COPY --from=program /build/node_modules'],
    ],
  },
  {
    promise: 'no host is named but its own',
    findFaults: ({ dockerfile }) =>
      [...dockerfile.matchAll(/\b[a-z]+:\/\/[^\s'"]+|\b[\w-]+(?:\.[\w-]+)*\.(?:cloud|com|dev|io|net|org)\b(?!\.)/g)]
        .map(([host]) => host)
        .filter((host) => !host.startsWith('http://127.0.0.1:')),
    spoiled: [
      ['=node:26', '=registry.example.com/node:26'],
      ['127.0.0.1', 'example.org'],
      ['npm ci --ignore', 'npm ci --registry=https://10.0.0.1 --ignore'],
    ],
  },
  {
    promise: 'it says the version of package.json',
    findFaults: inEachImage((image, files) => {
      const version = image.instructions.find(({ rest }) => rest.startsWith('VERSION='))?.rest;
      return unless(version === `VERSION=${files.project.version}`, `ARG ${version}`);
    }),
    spoiled: [['ARG VERSION=', 'ARG VERSION=9']],
  },
];
