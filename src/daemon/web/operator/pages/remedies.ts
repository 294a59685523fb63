import { type Html, html, showText } from '../../../../report/writers/page/html-text.js';

/* Remedies name commands, because the terminal shows the same texts. A page names its own buttons and pages instead. */

/** A command without `talent-sync`, and the button or page that does the same. The first match counts. */
const BUTTONS: readonly (readonly [command: RegExp, button: string])[] = [
  [/^holds resolve .*--take source/, 'Use the source’s value'],
  [/^holds resolve .*--same \(or --new\)/, 'They are the same” or “They are different'],
  [/^holds resolve .*--same/, 'They are the same'],
  [/^holds resolve .*--new/, 'They are different'],
  [/^holds ack /, 'Acknowledge'],
  [/^holds list/, 'Overview'],
  [/^decline --revoke /, 'Propose it again'],
  [/^decline /, 'Decline'],
  [/^undo --unpin /, 'Let runs write it again'],
  [/^undo /, 'Undo this run'],
  [/^approve --list/, 'Approved, and not carried out yet'],
  [/^approve /, 'Approve'],
  [/^explain /, 'Read the sources now'],
  [/^audit list/, 'Audit'],
  [/^resume/, 'Resume now'],
  [/^runs$/, 'Runs'],
  [/^plan$/, 'Plan now'],
  [/^sync$/, 'Run now'],
];

function findButton(command: string): string | null {
  return BUTTONS.find(([pattern]) => pattern.test(command))?.[1] ?? null;
}

/** A command outside the fold for the terminal, with the other answer if the text adds it in parentheses. */
const COMMAND =
  /<details class="terminal">.*?<\/details>|<code>talent-sync ([^<]*)<\/code>(?:<bdi> \(or <\/bdi><code>(service)<\/code><bdi>\))?/gs;

/** Names the button instead of the command, except where the page shows the command for use in a terminal. */
export function nameButtons({ html: text }: Html): Html {
  const named = text.replace(COMMAND, (all: string, command: string | undefined, other: string | undefined) => {
    const button = command === undefined ? null : findButton(command);
    if (button === null) return all;
    return other === undefined ? `“${button}”` : `“${button}” or “Keep the service’s value”<bdi>`;
  });
  return { html: named };
}

/** A remedy for a page. Its commands are shown folded, because only some readers need them. */
export function renderRemedy(text: string, show: (text: string) => Html = showText): Html {
  const commands = [...text.matchAll(/`(talent-sync ([^`]*))`/g)];
  if (commands.length === 0) return show(text);
  const folded = renderCommand(html`<p>${show(text)}</p>`);
  const isOnlyCommand =
    /^`[^`]*`\.?$/.test(text) && commands.every(([, , command = '']) => findButton(command) === null);
  return isOnlyCommand ? folded : html`${show(text)}${folded}`;
}

export function renderCommand(command: Html): Html {
  return html`<details class="terminal"><summary>Do this in a terminal</summary>${command}</details>`;
}
