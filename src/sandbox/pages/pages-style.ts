/** What the account's pages have beyond the report: forms, and lists that are blocks on a telephone. */
export const PAGES_STYLE = `
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
.field.texts, .field.paragraphs, .field.choices { grid-column: span 1; } .field.paragraphs, .field.choices { grid-column: 1 / -1; }
.tongues { display: grid; grid-template-columns: auto minmax(0, 1fr); gap: .25rem .5rem; align-items: start; } .tongues > :nth-child(even) { width: 100%; } .tongues > label { padding-top: .45rem; }
.tongue { color: var(--muted); font: .82em ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace; min-width: 1.6em; display: inline-block; }
.choices > div { display: flex; flex-wrap: wrap; gap: .25rem 1.2rem; max-height: 11rem; overflow-y: auto; } .field small { font-size: .86em; }
form.inline { display: inline; } form.inline button { min-height: 0; padding: .1rem .5rem; font-size: .92em; } form.line { display: flex; flex-wrap: wrap; gap: .5rem; align-items: center; margin: .6rem 0; } form.line input:not([type=checkbox]) { flex: 0 1 18rem; } form.line select { flex: 0 1 auto; min-width: 0; }
.actions { display: flex; flex-wrap: wrap; gap: .5rem; align-items: baseline; margin: .9rem 0; } .actions form.inline button { min-height: 2.1rem; padding: .3rem .7rem; } .actions form.line { margin: 0; }
h3 button, h3 .badge { font-weight: 400; } .removal { margin: .4rem 0; } main > .removal { margin-top: 2rem; } .actions > .removal { margin: 0; } .removal > summary { color: var(--muted); display: inline-block; text-decoration: underline dotted; text-underline-offset: 3px; } .removal form { display: block; margin-top: .4rem; } .removal button { color: var(--bad); border-color: var(--bad); }
.chips { list-style: none; display: flex; flex-wrap: wrap; gap: .4rem 1.2rem; padding: 0; margin: .5rem 0; } .chips form.inline button { color: var(--muted); } .chips .badge { white-space: normal; overflow-wrap: anywhere; border-radius: 12px; } .choices label { overflow-wrap: anywhere; }
.tiles { list-style: none; padding: 0; margin: .5rem 0 1.5rem; display: grid; grid-template-columns: repeat(auto-fill, minmax(7.5rem, 1fr)); gap: .6rem; } .tiles a { display: block; border: 1px solid var(--line); border-radius: 6px; padding: .55rem .8rem; color: inherit; text-decoration: none; } .tiles a:hover { border-color: var(--accent); } .tiles b { display: block; font-size: 1.35rem; font-variant-numeric: tabular-nums; }
.documents { list-style: none; padding: 0; margin: .3rem 0; } .steps { padding-inline-start: 1.3rem; margin: .3rem 0; } ul.plain { list-style: none; margin: 0; padding: 0; }
.said { display: grid; grid-template-columns: auto minmax(0, 1fr); gap: .4rem; align-items: baseline; } ul.plain li { display: flex; flex-wrap: wrap; gap: 0 .9rem; align-items: baseline; } .card .facts { display: flex; flex-wrap: wrap; gap: .45rem 1.8rem; } .card .facts div { max-width: 46rem; } .card .facts .wide { flex: 1 0 100%; max-width: none; } .card h3 { display: flex; flex-wrap: wrap; gap: .5rem; align-items: baseline; }
.pager { margin: .6rem 0; } td.count { text-align: end; font-variant-numeric: tabular-nums; } td time, td .badge { white-space: nowrap; } table.stack td bdi { overflow-wrap: break-word; } .call { display: grid; grid-template-columns: 3.9rem minmax(0, 1fr); } .call code { overflow-wrap: anywhere; padding-top: .1em; }
table.stack thead th { white-space: nowrap; } table.stack td details > form { min-width: min(26rem, 80vw); } .portrait { max-height: 7rem; border-radius: 6px; }
.calls table { table-layout: fixed; } .calls th:nth-child(1) { width: 44%; } .calls th:nth-child(3) { width: 6.2rem; } .calls th:nth-child(4) { width: 3.6rem; } .calls th:nth-child(6) { width: 10.5rem; } .calls td { overflow-wrap: anywhere; }
@media (prefers-reduced-motion: no-preference) { tr.fresh { animation: fresh 1.6s ease-out; } @keyframes fresh { from { background: var(--good-soft); } } }
@media (max-width: 760px) { .calls th:nth-child(n) { width: auto; } table.stack tbody > tr > td.none { display: none; } table.stack tbody > tr > td[data-name]::before { content: attr(data-name) " "; color: var(--muted); font-size: .86em; } td.count { text-align: start; }
  .calls tbody > tr > :nth-child(n + 3) { display: inline-block !important; margin-inline-end: .9rem; } }
`;
