import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Story } from '../scenarios/kit.js';
import { Violation } from './violation.js';

/** The keys of the systems, which quote them in their errors. No output may contain them. */
function listSecrets({ env }: Story): readonly string[] {
  return [env.TALENT_API_KEY, env.IDP_TOKEN, env.CRM_TOKEN];
}

export function expectHidden(story: Story, said: string, where: string): void {
  const secret = listSecrets(story).find((one) => said.includes(one));
  if (secret !== undefined) throw new Violation('safety', `${secret} is in ${where}`);
}

const REPORTS = ['plan.html', 'plan.md', 'plan.csv'] as const;

/** Requests everything that can be requested. @returns the number of texts */
export async function expectNoneSaid(story: Story, person: string): Promise<number> {
  const reports = REPORTS.flatMap((name) => ['--report', join(story.folder, 'var', name)]);
  const commands = [
    ['plan', ...reports],
    ['status'],
    ['runs'],
    ['holds', 'list'],
    ['approve', '--list'],
    ['audit', 'list'],
    ['explain', 'user', person],
    ['check'],
  ];
  for (const words of commands) {
    const { stdout, stderr } = await story.type(...words);
    expectHidden(story, `${stdout} ${stderr}`, `what ${words.slice(0, 2).join(' ')} says`);
  }
  return commands.length;
}

/** @returns the number of files searched */
export function expectNoneKept(story: Story): number {
  const kept = readdirSync(join(story.folder, 'var'), { recursive: true, withFileTypes: true });
  const files = kept.filter((file) => file.isFile());
  for (const { parentPath, name } of files) expectHidden(story, readFileSync(join(parentPath, name), 'latin1'), name);
  return files.length;
}
