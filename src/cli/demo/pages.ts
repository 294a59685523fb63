import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { promisify } from 'node:util';
import { SyncError } from '../../base/errors.js';
import type { Workplace } from './workplace.js';

/** The operator pages of the demo, served by its own daemon. */
export interface DemoPages {
  readonly url: string;
  /** The person who may log in, and their token. */
  readonly who: string;
  readonly token: string;
  close(): Promise<void>;
}

const WHO = 'you@example.com';

/** The daemon is scheduled only on New Year's Day, so nothing changes while someone looks at the pages. */
export async function startPages(place: Workplace): Promise<DemoPages> {
  const added = ['operator', 'add', WHO, '--role', 'operator', '--config', place.config, '--json'];
  const { stdout } = await promisify(execFile)(place.command, added);
  const { token } = JSON.parse(stdout) as { readonly token: string };
  const daemon = spawn(place.command, ['daemon', '--config', place.config, '--port', '0'], {
    // Ctrl-C goes to the demo, which stops the daemon.
    ...{ detached: true, stdio: ['ignore', 'pipe', 'pipe'] },
  });
  let log = '';
  const read = (text: string): void => {
    log = `${log}${text}`.slice(-20_000);
  };
  daemon.stdout.setEncoding('utf8').on('data', read);
  daemon.stderr.setEncoding('utf8').on('data', read);
  const ended = once(daemon, 'exit');
  const isReady = (): boolean => log.includes('"tenant ready"');
  while (!isReady() && daemon.exitCode === null) {
    await Promise.race([once(daemon.stdout, 'data'), once(daemon.stderr, 'data'), ended]);
  }
  const url = /"pages":"([^"]+)"/.exec(log)?.[1];
  if (url === undefined) {
    throw new SyncError('SYNC_INTERNAL', {
      message: `The operator pages of the demo did not start: ${log.trim()}`,
      place: 'demo',
      remedy: 'This is a defect in talent-sync: report it with the output above.',
    });
  }
  return {
    ...{ url, who: WHO, token },
    async close() {
      daemon.kill();
      await ended;
    },
  };
}
