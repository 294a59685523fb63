import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout } from 'node:timers/promises';

/** The output of a command on either stream, and its exit code. */
export interface Ended {
  readonly printed: string;
  readonly code: number;
  /** The terminal's current folder. */
  readonly folder: string;
}

/** A shell for typed commands: folder and variables persist between them. */
export interface Terminal {
  type(command: string): Promise<Ended>;
  /** Types a command that keeps running. @returns its output as soon as `isTaken` accepts it */
  leaveRunning(command: string, isTaken: (printed: string) => boolean): Promise<string>;
  close(): Promise<void>;
}

/** Marks the end of a command's output: no program prints this. */
const END = '\u001e';
const PATIENCE_MS = 40_000;
const LOOK_MS = 20;

export function openTerminal(folder: string, env: NodeJS.ProcessEnv): Terminal {
  // A process group of its own, so that the remains of a command end with it.
  const child = spawn('bash', ['--noprofile', '--norc'], { cwd: folder, env, detached: true });
  child.stdin.write('exec 2>&1\n');
  let printed = '';
  let isClosed = false;
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    printed += text;
  });

  async function waitFor(isThere: () => boolean, command: string): Promise<void> {
    const end = Date.now() + PATIENCE_MS;
    while (!isThere()) {
      if (child.exitCode !== null) throw new Error(`the terminal ended in \`${command}\`: ${printed}`);
      if (Date.now() > end) throw new Error(`\`${command}\` does not come to its end: ${printed}`);
      await setTimeout(LOOK_MS);
    }
  }

  return {
    async type(command) {
      printed = '';
      // stdin is empty, so a command that asks gets no answer.
      child.stdin.write(`eval ${quote(command)} </dev/null; printf '${END}%s %s${END}' "$?" "$PWD"\n`);
      const isThere = (): boolean => printed.endsWith(END) && printed.split(END).length === 3;
      await waitFor(isThere, command);
      const [text = '', end = ''] = printed.split(END);
      const [, code = '', where = ''] = /^(\d+) (.*)$/s.exec(end) ?? [];
      return { printed: text, code: Number(code), folder: where };
    },
    async leaveRunning(command, isTaken) {
      printed = '';
      child.stdin.write(`eval ${quote(command)} </dev/null\n`);
      await waitFor(() => isTaken(printed), command);
      return printed;
    },
    async close() {
      if (isClosed) return;
      isClosed = true;
      const closed = child.exitCode === null ? once(child, 'close') : null;
      endGroup(child);
      await closed;
    },
  };
}

function endGroup({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGTERM');
    // A shell without a terminal ignores SIGTERM until its command has ended.
    if (pid !== undefined) process.kill(-pid, 'SIGHUP');
  } catch {
    // All of it has ended already.
  }
}

/** Quotes the text as one word of a shell. */
function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
