import { describePause } from '../model/pause.js';
import { STATUS, type Status } from '../operations/describe-status.js';
import { capitalise, formatMinute, plural } from '../report/sections/words.js';
import { describeUnderWay, renderPastRun } from '../report/texts/run-lines.js';
import { renderWaiting, summariseWaiting } from '../report/texts/waiting-text.js';
import { joinLines, type TerminalLook } from '../report/writers/style.js';
import { fold } from '../report/writers/terminal-blocks.js';
import { type AskingContext, type CommandResult, terminalLook } from './context.js';
import { renderDeliveryStatus } from './delivery-status.js';

/** `status`: the last runs, pending items, and the age of all data. Works during a run. */
export async function runStatus(context: AskingContext): Promise<CommandResult> {
  const json = await context.perform(STATUS, {});
  return { json, text: renderStatus(json, context.clock.now(), terminalLook(context)) };
}

function renderNow(work: Status['under_way']): readonly string[] {
  if (work === null) return [];
  const since = work.since === null ? '' : ` since ${formatMinute(work.since)}`;
  return [`Now      ${work.holder}${since}: ${describeUnderWay(work)}`];
}

function renderSignals(signals: Status['signals']): readonly string[] {
  if (signals === undefined) return [];
  const { count, median_seconds: median, slowest_seconds: slowest } = signals;
  return [`  ${plural(count, 'signal')}: done after ${median} s (median), ${slowest} s (slowest)`];
}

function renderStatus(status: Status, nowMs: number, look: TerminalLook): string {
  const { runs, sources, links, mirror, audit } = status;
  const { style } = look;
  const names = Math.max(0, ...sources.map(({ source }) => source.length));
  const counts = sources.map(({ rows }) => (rows === null ? '' : plural(rows, 'row')));
  const widest = Math.max(0, ...counts.map((count) => count.length));
  const summary = summariseWaiting(status.waiting);
  return joinLines([
    `Service  ${status.service}`,
    `State    ${status.state}`,
    ...renderNow(status.under_way),
    ...(status.paused === null ? [] : fold(`${capitalise(describePause(status.paused))}.`, 0, look)),
    '',
    style.bold('Last runs'),
    ...(runs.length === 0 ? ['  none yet'] : runs.flatMap(renderPastRun)),
    ...renderSignals(status.signals),
    '',
    style.bold('Sources'),
    ...sources.map(({ source, last_complete_read: at }, i) => {
      const read =
        at === null
          ? 'not read completely yet'
          : `${counts[i]?.padStart(widest)}, last complete read ${formatMinute(at)}`;
      return `  ${source.padEnd(names)}  ${read}`;
    }),
    '',
    ...renderDeliveryStatus(status.deliveries ?? []),
    style.bold('Service copy'),
    `  links     ${Object.entries(links)
      .map(([entity, count]) => `${count} ${entity}`)
      .join(', ')}`,
    `  mirror    ${mirror.full_read_at === null ? 'never read completely' : `last complete read ${formatMinute(mirror.full_read_at)}`}`,
    '',
    style.bold(`Waiting${summary === '' ? '' : `: ${summary}`}`),
    ...renderWaiting(status.waiting, nowMs, look),
    '',
    `Audit    ${plural(audit.entries, 'entry', 'entries')}, head ${audit.head ?? 'none yet'}`,
  ]);
}
