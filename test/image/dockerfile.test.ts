import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { ROOT } from '../module-graph.js';
import { type BuildFiles, DOCKERFILE_RULES } from './dockerfile-rules.js';
import { findInstruction, inheritStage, readDockerfile, readExecForm } from './read-dockerfile.js';

function readText(file: string): string {
  return readFileSync(join(ROOT, file), 'utf8');
}

function edit(text: string, [from, to]: readonly [string, string]): string {
  expect(text, 'the edit finds its place').toContain(from);
  return text.replace(from, () => to);
}

const files: BuildFiles = {
  dockerfile: readText('Dockerfile'),
  ignore: readText('.dockerignore'),
  project: JSON.parse(readText('package.json')) as BuildFiles['project'],
  tested: parse(readText('.github/workflows/test.yml')).jobs.test.strategy.matrix.node,
};

describe('docs/guides/container-image.md', () => {
  it('matches the Dockerfile', () => {
    const { args, stages } = readDockerfile(files.dockerfile);
    const last = inheritStage(stages, 'worker');
    const starts = ['ENTRYPOINT', 'CMD'].flatMap((keyword) => readExecForm(findInstruction(last, keyword)) ?? []);
    const page = readText('docs/guides/container-image.md');
    expect(page).toContain(`\`${starts.join(' ')}\``);
    expect(page).toContain(`--build-arg NODE_IMAGE=${args.get('NODE_IMAGE')?.split('@')[0]}@sha256:`);
    expect(page).toContain(`| user and group | ${findInstruction(last, 'USER')?.replace(':', ', ')} |`);
    expect(page).toContain(`| volume, and the only folder written to | \`${findInstruction(last, 'WORKDIR')}\``);
    expect(page).toContain(`| health check | \`/livez\` on port ${findInstruction(last, 'EXPOSE')} |`);
  });
});

describe('the Dockerfile', () => {
  for (const { promise, findFaults, spoiled, spoiledIgnore = [] } of DOCKERFILE_RULES) {
    it(promise, () => {
      expect(findFaults(files)).toEqual([]);
    });

    it(`${promise}: detects violations`, () => {
      const missed = [
        ...spoiled.filter(
          (change) => findFaults({ ...files, dockerfile: edit(files.dockerfile, change) }).length === 0,
        ),
        ...spoiledIgnore.filter((change) => findFaults({ ...files, ignore: edit(files.ignore, change) }).length === 0),
      ];
      expect(missed).toEqual([]);
      expect(spoiled.length).toBeGreaterThan(0);
    });
  }
});
