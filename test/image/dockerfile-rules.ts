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
  /** The major versions of Node.js in the test workflow. */
  readonly tested: readonly number[];
}

export interface Rule {
  readonly promise: string;
  /** Returns violations of the promise, or nothing. */
  readonly findFaults: (files: BuildFiles) => readonly string[];
  /** Edits of the Dockerfile that each break the promise. They show that the rule can fail. */
  readonly spoiled: readonly (readonly [from: string, to: string])[];
  /** Such edits of .dockerignore. */
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

/** The built stages by name, with their start commands and the paths of their health checks. */
const IMAGES: Readonly<Record<string, { readonly starts: readonly string[]; readonly health: string }>> = {
  sandbox: { starts: ['talent-sync', 'sandbox', '--host', '0.0.0.0', '--port', '8080'], health: '/__sandbox/health' },
  worker: {
    starts: ['talent-sync', 'daemon', '--config', '/etc/talent-sync', '--host', '0.0.0.0', '--port', '8080'],
    health: '/livez',
  },
};

/** A rule that applies to each image separately. */
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

/** All files that stages copy from the build's context. */
function listSources({ dockerfile }: BuildFiles): readonly string[] {
  const copies = readDockerfile(dockerfile).stages.flatMap(listCopies);
  return [...new Set(copies.filter(({ from }) => from === null).flatMap(({ sources }) => sources))];
}

/** All `FROM`s and `--from`s; `isEarlier` is true for the name of a stage above. */
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
    promise: 'passes the parser without a warning',
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
    promise: 'takes every outside base as an argument to pin, with a stable tag and no registry',
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
    promise: 'builds on the newest Node.js that the workflow tests',
    findFaults: ({ dockerfile, tested }) => {
      const bases = readDockerfile(dockerfile).stages.map(({ base }) => base);
      return bases.filter((base) => base.startsWith('node:') && !base.startsWith(`node:${Math.max(...tested)}-`));
    },
    spoiled: [['node:26-', 'node:25-']],
  },
  {
    promise: 'builds the worker if no target is named',
    findFaults: ({ dockerfile }) => {
      const last = readDockerfile(dockerfile).stages.at(-1);
      return unless(last?.name === 'worker', `the last stage is ${last?.name}`);
    },
    spoiled: [['AS worker', 'AS daemon']],
  },
  {
    promise: 'starts an image from scratch and runs nothing, so that it has no shell or package manager',
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
    promise: 'contains the document writers and their fonts only in the sandbox',
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
    promise: 'runs as a numeric user and group other than root',
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
    promise: 'starts, checks and stops its command without a shell',
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
    promise: 'checks its health where it listens',
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
    promise: 'gives the user one folder, where it works and where SQLite puts temporary files',
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
    promise: "has enough threads that a few dead mounts do not block other tenants' files and names",
    findFaults: inEachImage((image) => {
      const variables = findInstruction(image, 'ENV') ?? '';
      return unless(Number(/\bUV_THREADPOOL_SIZE=(\d+)/.exec(variables)?.[1] ?? 4) >= 32, `ENV ${variables}`);
    }),
    spoiled: [['UV_THREADPOOL_SIZE=64', 'UV_THREADPOOL_SIZE=4']],
  },
  {
    promise: 'copies only existing files',
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
    promise: 'sends only copied files into the build',
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
    promise: 'takes secrets by mount only',
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
    promise: 'installs the locked modules for production only, with the binding compiled for this Node.js',
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
    promise: 'names no host but its own',
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
    promise: 'has the version of package.json',
    findFaults: inEachImage((image, files) => {
      const version = image.instructions.find(({ rest }) => rest.startsWith('VERSION='))?.rest;
      return unless(version === `VERSION=${files.project.version}`, `ARG ${version}`);
    }),
    spoiled: [['ARG VERSION=', 'ARG VERSION=9']],
  },
];
