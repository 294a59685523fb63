/** Styles of the account's pages in addition to those of the report: forms, and lists that become blocks on narrow screens. */
export const PAGES_STYLE = `
.field.texts, .field.paragraphs, .field.choices { grid-column: span 1; } .field.paragraphs, .field.choices { grid-column: 1 / -1; }
.tongues { display: grid; grid-template-columns: auto minmax(0, 1fr); gap: .25rem .5rem; align-items: start; } .tongues > :nth-child(even) { width: 100%; } .tongues > label { padding-top: .45rem; }
.tongue { color: var(--muted); font: .82em ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace; min-width: 1.6em; display: inline-block; }
.choices > div { display: flex; flex-wrap: wrap; gap: .25rem 1.2rem; max-height: 11rem; overflow-y: auto; } .field small { font-size: .86em; }
.chips { list-style: none; display: flex; flex-wrap: wrap; gap: .4rem 1.2rem; padding: 0; margin: .5rem 0; } .chips form.inline button { color: var(--muted); } .chips .badge { white-space: normal; overflow-wrap: anywhere; border-radius: 12px; } .choices label { overflow-wrap: anywhere; }
.documents { list-style: none; padding: 0; margin: .3rem 0; } .steps { padding-inline-start: 1.3rem; margin: .3rem 0; } ul.plain { list-style: none; margin: 0; padding: 0; }
.said { display: grid; grid-template-columns: auto minmax(0, 1fr); gap: .4rem; align-items: baseline; } ul.plain li { display: flex; flex-wrap: wrap; gap: 0 .9rem; align-items: baseline; } .card .facts { display: flex; flex-wrap: wrap; gap: .45rem 1.8rem; } .card .facts div { max-width: 46rem; } .card .facts .wide { flex: 1 0 100%; max-width: none; } .card h3 { display: flex; flex-wrap: wrap; gap: .5rem; align-items: baseline; }
table.stack thead th { white-space: nowrap; } table.stack td details > form { min-width: min(26rem, 80vw); } .portrait { max-height: 7rem; border-radius: 6px; }
.calls table { table-layout: fixed; } .calls th:nth-child(1) { width: 44%; } .calls th:nth-child(3) { width: 6.2rem; } .calls th:nth-child(4) { width: 3.6rem; } .calls th:nth-child(6) { width: 10.5rem; } .calls td { overflow-wrap: anywhere; }
@media (max-width: 1100px) { table.stack td time { white-space: normal; } }
@media (prefers-reduced-motion: no-preference) { tr.fresh { animation: fresh 1.6s ease-out; } @keyframes fresh { from { background: var(--good-soft); } } }
@media (max-width: 760px) { .calls th:nth-child(n) { width: auto; } table.stack tbody > tr > td.none { display: none; } td.count { text-align: start; }
  .calls tbody > tr > :nth-child(n + 3) { display: inline-block !important; margin-inline-end: .9rem; } }
`;
