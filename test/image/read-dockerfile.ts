export interface Instruction {
  readonly keyword: string;
  /** The rest on one line, with the values of `ARG`s before the first stage. */
  readonly rest: string;
}

export interface Stage {
  readonly base: string;
  readonly name: string | null;
  readonly instructions: readonly Instruction[];
}

export interface Dockerfile {
  /** The `ARG`s before the first stage, which the bases may use, with their defaults. */
  readonly args: ReadonlyMap<string, string>;
  readonly stages: readonly Stage[];
}

/** Supports as much of the format as the project's file uses: no parser directives and no here-documents. */
export function readDockerfile(text: string): Dockerfile {
  const lines = text
    .split('\n')
    .filter((line) => !line.startsWith('#'))
    .join('\n')
    .replace(/\\\n\s*/g, '')
    .split('\n')
    .filter((line) => line.trim() !== '');
  const args = new Map<string, string>();
  const stages: { base: string; name: string | null; instructions: Instruction[] }[] = [];
  for (const line of lines) {
    const [, keyword = '', rest = ''] = /^(\S+)\s+(.*)$/.exec(line) ?? [];
    const filled = rest.replace(/\$\{(\w+)\}/g, (whole, name: string) => args.get(name) ?? whole);
    const stage = stages.at(-1);
    if (keyword === 'FROM') {
      const [, base = '', name = null] = /^(\S+)(?: AS (\S+))?$/.exec(filled) ?? [];
      stages.push({ base, name, instructions: [] });
    } else if (stage !== undefined) stage.instructions.push({ keyword, rest: filled });
    else args.set(rest.split('=')[0] ?? '', rest.split('=')[1] ?? '');
  }
  return { args, stages };
}

/** A stage with everything it inherits from its base stage. */
export function inheritStage(stages: readonly Stage[], name: string | null): Stage {
  const stage = stages.find((one) => one.name === name) ?? { base: '', name, instructions: [] };
  if (!stages.some((one) => one.name === stage.base)) return stage;
  const { base, instructions } = inheritStage(stages, stage.base);
  return { base, name, instructions: [...instructions, ...stage.instructions] };
}

/** As in an image, the last of several counts. */
export function findInstruction(stage: Stage, keyword: string): string | null {
  return stage.instructions.findLast((instruction) => instruction.keyword === keyword)?.rest ?? null;
}

/** The words of an instruction's exec form; null for the shell form or a missing instruction. */
export function readExecForm(rest: string | null): readonly string[] | null {
  try {
    const words: unknown = JSON.parse(rest?.replace(/^[^[]*/, '') ?? '');
    return Array.isArray(words) && words.every((word) => typeof word === 'string') ? words : null;
  } catch {
    return null;
  }
}

export interface Copy {
  /** The stage it copies from; null for the build's context. */
  readonly from: string | null;
  readonly owner: string | null;
  readonly sources: readonly string[];
  readonly target: string;
}

export function listCopies(stage: Stage): readonly Copy[] {
  return stage.instructions
    .filter(({ keyword }) => keyword === 'COPY' || keyword === 'ADD')
    .map(({ rest }) => {
      const words = rest.split(/\s+/);
      const flags = words.filter((word) => word.startsWith('--'));
      const paths = words.filter((word) => !word.startsWith('--'));
      const flag = (name: string): string | null =>
        flags.find((word) => word.startsWith(`--${name}=`))?.slice(name.length + 3) ?? null;
      return { from: flag('from'), owner: flag('chown'), sources: paths.slice(0, -1), target: paths.at(-1) ?? '' };
    });
}
