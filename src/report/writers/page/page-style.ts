/** The style of the page. Print is always light; on a screen, the reader's setting decides. */
export const PAGE_STYLE = `
:root { color-scheme: light dark;
  --ground: #fff; --raised: #f6f7f9; --line: #dde1e8; --text: #1b212c; --muted: #596273; --accent: #2456c8; --track: #eceef2;
  --bad: #b3261e; --bad-soft: #fdeeec; --warn: #8a5600; --warn-fill: #d08a1d; --warn-soft: #fff5e0; --good: #1b6b34; --good-fill: #3a9a58; --good-soft: #e8f5ec; --plain: #8b94a5; }
@media screen and (prefers-color-scheme: dark) { :root {
  --ground: #12151b; --raised: #1a1e26; --line: #2d333f; --text: #e4e8ef; --muted: #9aa4b5; --accent: #84aaff; --track: #242a34;
  --bad: #ff8d85; --bad-soft: #351a1a; --warn: #f0b95a; --warn-fill: #c98a2b; --warn-soft: #322613; --good: #7fd39a; --good-fill: #3f9b5d; --good-soft: #16301f; --plain: #6d778a; } }
* { box-sizing: border-box; }
html { scroll-padding-top: 4.5rem; }
body { margin: 0; background: var(--ground); color: var(--text); font: 14px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif; }
main, header.top, footer { max-width: 1240px; margin: 0 auto; padding: 0 1.25rem; }
header.top { padding-top: 1.75rem; }
h1 { font-size: 1.5rem; line-height: 1.25; margin: .1rem 0 .35rem; letter-spacing: -.01em; }
h2 { font-size: 1.05rem; margin: 2.25rem 0 .75rem; }
h3 { font-size: .95rem; margin: 0 0 .25rem; }
p { margin: .25rem 0; }
a { color: var(--accent); text-underline-offset: 2px; text-decoration-thickness: 1px; }
code, pre, .digest, .key, .id { font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace; font-size: .92em; }
pre { background: var(--ground); border: 1px solid var(--line); border-radius: 6px; padding: .45rem .65rem; margin: .35rem 0 0; white-space: pre-wrap; overflow-wrap: anywhere; }
.kicker { color: var(--muted); margin: 0; }
.headline { font-size: 1.05rem; margin: 0 0 .75rem; }
.muted { color: var(--muted); }
.text { white-space: pre-wrap; overflow-wrap: anywhere; }
bdi { overflow-wrap: anywhere; }
.digest { color: var(--muted); margin: 0; font-size: .78em; overflow-wrap: anywhere; }
.skip { position: absolute; left: -100vw; } .skip:focus { left: 1rem; top: .5rem; background: var(--ground); padding: .4rem .8rem; z-index: 3; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; border-radius: 3px; }
nav ul { display: flex; flex-wrap: wrap; gap: .25rem 1.1rem; list-style: none; margin: 1rem 0 0; padding: 0 0 .6rem; border-bottom: 1px solid var(--line); }
.facts { display: grid; grid-template-columns: repeat(auto-fill, minmax(15rem, 1fr)); gap: .5rem 1.5rem; margin: 0; }
.facts dt { color: var(--muted); font-size: .86em; } .facts dd { margin: 0; overflow-wrap: anywhere; }
.notice { border: 1px solid var(--line); border-inline-start: 4px solid var(--plain); border-radius: 6px; padding: .7rem .9rem; margin: .6rem 0; background: var(--raised); }
.card { border: 1px solid var(--line); border-radius: 6px; padding: .8rem .9rem; margin: .6rem 0; } .card .strip { margin: .8rem 0; } .card > .group:last-child { margin-bottom: 0; }
.notice.tone-warn { border-inline-start-color: var(--warn-fill); background: var(--warn-soft); }
.notice.tone-bad { border-inline-start-color: var(--bad); background: var(--bad-soft); }
.pair { display: grid; grid-template-columns: fit-content(65%) minmax(0, 1fr); gap: 1rem 2.5rem; align-items: start; }
figure { margin: 0; } .strip { margin: 1.25rem 0 1.5rem; }
.scroll { overflow-x: auto; }
svg.chart { display: block; overflow: visible; } svg rect[class^=tone] { stroke: var(--ground); stroke-width: 1px; } svg text { fill: var(--text); font-size: 13px; } svg .count { fill: var(--muted); } svg .track { fill: var(--track); }
rect.tone-bad { fill: var(--bad); } rect.tone-warn { fill: var(--warn-fill); } rect.tone-good { fill: var(--good-fill); } rect.tone-plain { fill: var(--plain); } rect.tone-accent { fill: var(--accent); }
.legend { display: flex; flex-wrap: wrap; gap: .2rem 1.2rem; list-style: none; padding: 0; margin: .3rem 0 0; } .legend a { color: inherit; text-decoration: none; } .legend a:hover { text-decoration: underline; }
.dot { display: inline-block; width: .65em; height: .65em; border-radius: 50%; margin-inline-end: .4em; background: var(--plain); }
.dot.tone-bad { background: var(--bad); } .dot.tone-warn { background: var(--warn-fill); } .dot.tone-good { background: var(--good-fill); } .dot.tone-accent { background: var(--accent); }
table { border-collapse: collapse; width: 100%; } caption { text-align: start; color: var(--muted); padding-bottom: .3rem; }
th, td { text-align: start; vertical-align: top; padding: .38rem .6rem; border-bottom: 1px solid var(--line); font-weight: normal; }
thead th, thead td { color: var(--muted); font-size: .86em; }
table.numbers td, table.numbers thead th + th, table.numbers td + th, .number { text-align: end; font-variant-numeric: tabular-nums; } table.numbers .none { color: var(--line); }
table.numbers td:first-child { text-align: start; } table.numbers { width: auto; min-width: min(100%, 26rem); } table.plain .place { max-width: 26rem; }
.place { color: var(--muted); overflow-wrap: anywhere; } .danger { color: var(--bad); font-weight: 600; }
.sign { font-family: ui-monospace, monospace; font-weight: 700; } .sign.tone-bad { color: var(--bad); } .sign.tone-warn { color: var(--warn); } .sign.tone-good { color: var(--good); } .sign.tone-accent { color: var(--accent); }
.badge { display: inline-block; border-radius: 99px; padding: 0 .6em; font-size: .86em; white-space: nowrap; background: var(--raised); border: 1px solid var(--line); }
.badge.tone-bad { color: var(--bad); background: var(--bad-soft); border-color: transparent; } .badge.tone-warn { color: var(--warn); background: var(--warn-soft); border-color: transparent; } .badge.tone-good { color: var(--good); background: var(--good-soft); border-color: transparent; }
details.group { border: 1px solid var(--line); border-radius: 6px; margin: .5rem 0; } details.group > summary { padding: .5rem .8rem; cursor: pointer; } details.group .scroll { border-top: 1px solid var(--line); } details.group tr:last-child > * { border-bottom: 0; } details > p { padding: 0 .8rem; } details.group > .facts { padding: .2rem .8rem .7rem; } table.plain th[scope=row] { min-width: 7.5rem; } .names { margin: 0; padding: 0 .8rem .6rem 2rem; } .example + .example, details .example { margin-top: .5rem; }
summary { cursor: pointer; }
form.tools { position: sticky; top: 0; z-index: 2; display: flex; flex-wrap: wrap; gap: .5rem; align-items: center; background: var(--ground); padding: .6rem 0; border-bottom: 1px solid var(--line); }
.tools input, .tools select, .tools button, .pager button, .pager select { font: inherit; color: inherit; background: var(--raised); border: 1px solid var(--line); border-radius: 6px; padding: .3rem .55rem; min-height: 2.1rem; max-width: 100%; }
.tools input[type=search] { flex: 1 1 16rem; min-width: 0; } .tools button, .pager button { cursor: pointer; } .pager button:disabled { opacity: .45; cursor: default; }
.tools label { display: contents; } .hidden { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.status { color: var(--muted); margin: .5rem 0; min-height: 1.5em; }
.pager { display: flex; flex-wrap: wrap; gap: .6rem; align-items: center; margin: .8rem 0; }
table.changes { table-layout: fixed; } table.changes th button { all: unset; cursor: pointer; color: inherit; } table.changes th button:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
table.changes th button::after { content: ""; display: inline-block; width: 1em; text-align: center; } th[aria-sort=ascending] button::after { content: "↑"; } th[aria-sort=descending] button::after { content: "↓"; }
.c-action { width: 8.5rem; } .c-entity { width: 7.5rem; } .c-place { width: 17%; } .c-state { width: 7.5rem; }
tr.change:hover { background: var(--raised); } tr.open > td { border-bottom-color: transparent; } tr.target > td:first-child { box-shadow: inset 3px 0 var(--accent); }
.toggle { all: unset; cursor: pointer; white-space: nowrap; display: inline-block; } .toggle:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; border-radius: 3px; }
.toggle::before { content: "▸"; display: inline-block; width: 1.1em; color: var(--muted); } .toggle[aria-expanded=true]::before { content: "▾"; }
.who { overflow-wrap: anywhere; } .key bdi + bdi::before { content: " · "; } .key { color: var(--muted); font-size: .84em; margin: 0; overflow-wrap: anywhere; } .what { color: var(--muted); overflow: hidden; display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 2; overflow-wrap: anywhere; }
tr.detail > td { padding: 0 .6rem 1rem 2rem; } .about { font-weight: 600; } .detail table { margin: .4rem 0; } .detail .field { width: 22%; overflow-wrap: anywhere; } .detail td, .detail th { padding: .25rem .6rem .25rem 0; }
.old, .new { white-space: pre-wrap; overflow-wrap: anywhere; } .old { color: var(--muted); } .empty { color: var(--muted); font-style: italic; }
del, ins { text-decoration: none; border-radius: 3px; } del { background: var(--bad-soft); color: var(--bad); } ins { background: var(--good-soft); color: var(--good); }
footer { color: var(--muted); padding-top: 2rem; padding-bottom: 2.5rem; }
@media screen and (max-width: 760px) { .pair { grid-template-columns: minmax(0, 1fr); } main, header.top, footer { padding-inline: .9rem; }
  form.tools { position: static; } .tools select { flex: 1 1 8rem; } table.numbers th, table.numbers td { padding-inline: .3rem; }
  table.stack, table.stack > caption, table.stack > tbody, table.stack tr, table.stack tbody > tr > * { display: block; } table.stack > thead { display: none; } table.stack tbody tr { border-bottom: 1px solid var(--line); padding: .45rem .6rem; } table.stack tr:last-child { border-bottom: 0; } table.stack tbody > tr > * { border: 0; padding: .08rem 0; min-width: 0; max-width: none; text-align: start; } table.stack tbody > tr > [data-name]::before { content: attr(data-name) " "; color: var(--muted); font-size: .86em; } table.stack tbody > tr > .number { display: inline-block; margin-inline-end: 1rem; }
  table.changes, table.changes > tbody, tr.change, tr.detail, tr.change > td, tr.detail > td { display: block; } table.changes > thead { display: none; }
  tr.change { border-bottom: 1px solid var(--line); padding: .5rem 0; position: relative; } tr.change.open { border-bottom: 0; } tr.change > td { border: 0; padding: .08rem 0; } tr.change > td.c-place { display: none; }
  tr.change > td.c-action, tr.change > td.c-entity, tr.change > td.c-state { display: inline-block; width: auto; margin-inline-end: .8rem; } tr.detail > td { padding: 0 0 .8rem; } .detail .field { width: 30%; } }
@page { margin: 14mm 12mm; }
@media print { html { font-size: 11px; } body { font-size: 10px; } svg text { font-size: 11px; } .dot, .badge, .notice, del, ins { print-color-adjust: exact; -webkit-print-color-adjust: exact; } .skip, nav, form.tools, .pager, .toggle::before, .screen { display: none; } a { color: inherit; text-decoration: none; } main, header.top, footer { max-width: none; padding-inline: 0; }
  h2 { break-after: avoid; } tr, article, .facts div { break-inside: avoid; } tr.change > td { break-after: avoid; } thead { display: table-header-group; } .c-action { width: 6.5rem; } .c-entity, .c-state { width: 5.5rem; } .what { -webkit-line-clamp: none; display: inline; } tr.open .what, .detail dl { display: none; } tr.detail > td { padding: 0 .6rem .4rem 1rem; } th, td { padding: .2rem .4rem; }
  body:has(#summary-only:checked) #changes, body:has(#summary-only:checked) #cut { display: none; } }
@page { margin: 16mm 14mm; @bottom-right { content: "page " counter(page) " of " counter(pages); font-size: 9px; } }
`;
