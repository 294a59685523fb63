/** Additional styles for pages with a navigation and forms, which a report does not have. */
export const FORM_STYLE = `
header.top nav ul { margin-top: .5rem; } nav [aria-current] { color: inherit; font-weight: 600; text-decoration: none; }
main { padding-top: 1rem; min-height: 60vh; } main:focus { outline: none; } .lead { color: var(--muted); margin: 0 0 1rem; } h1 { margin-top: .4rem; overflow-wrap: anywhere; }
html:not(.scripted) .script { display: none; }
input, select, textarea, button { font: inherit; color: inherit; background: var(--raised); border: 1px solid var(--line); border-radius: 6px; padding: .3rem .55rem; min-height: 2.1rem; max-width: 100%; }
input[type=checkbox] { min-height: 0; width: 1rem; height: 1rem; vertical-align: -.15rem; accent-color: var(--accent); } textarea { resize: vertical; field-sizing: content; max-height: 24rem; }
button { cursor: pointer; } button:hover { border-color: var(--plain); } button.main { background: var(--accent); border-color: var(--accent); color: var(--ground); font-weight: 600; padding-inline: 1.1rem; }
form.record { max-width: 58rem; margin: .5rem 0; } form.record > p { margin-top: .9rem; } details > form.record, details > .removal { padding: 0 .8rem .6rem; }
.fields { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(17rem, 100%), 1fr)); gap: .7rem 1.4rem; align-items: start; }
.field { display: grid; gap: .2rem; margin: 0; border: 0; padding: 0; min-width: 0; align-content: start; } .field > label, .field > legend { color: var(--muted); font-size: .86em; padding: 0; } .field > legend { margin-bottom: .2rem; } .field > input, .field > select { width: 100%; }
.field.flag { align-self: end; padding-bottom: .35rem; } .field.flag label { color: inherit; font-size: inherit; }
form.inline { display: inline; } form.inline button { min-height: 0; padding: .1rem .5rem; font-size: .92em; } form.line { display: flex; flex-wrap: wrap; gap: .5rem; align-items: center; margin: .6rem 0; } form.line input:not([type=checkbox]) { flex: 0 1 18rem; } form.line select { flex: 0 1 auto; min-width: 0; }
.actions { display: flex; flex-wrap: wrap; gap: .5rem; align-items: baseline; margin: .9rem 0; } .actions form.inline button { min-height: 2.1rem; padding: .3rem .7rem; } .actions form.line { margin: 0; }
h3 button, h3 .badge { font-weight: 400; } .removal { margin: .4rem 0; } main > .removal { margin-top: 2rem; } .actions > .removal { margin: 0; } .removal > summary { color: var(--muted); display: inline-block; text-decoration: underline dotted; text-underline-offset: 3px; } .removal form { display: block; margin-top: .4rem; } .removal button { color: var(--bad); border-color: var(--bad); }
.tiles { list-style: none; padding: 0; margin: .5rem 0 1.5rem; display: grid; grid-template-columns: repeat(auto-fill, minmax(7.5rem, 1fr)); gap: .6rem; } .tiles a { display: block; border: 1px solid var(--line); border-radius: 6px; padding: .55rem .8rem; color: inherit; text-decoration: none; } .tiles a:hover { border-color: var(--accent); } .tiles b { display: block; font-size: 1.35rem; font-variant-numeric: tabular-nums; }
.pager { margin: .6rem 0; } td.count { text-align: end; font-variant-numeric: tabular-nums; } td time, .notice time, td .badge { white-space: nowrap; } table.stack td bdi { overflow-wrap: break-word; } .call { display: grid; grid-template-columns: 3.9rem minmax(0, 1fr); } .call code { overflow-wrap: anywhere; padding-top: .1em; }
`;
