/** The look of the report: paper and ink, one accent, dark where the reader's system is, and fit for print. */
export const STYLE = `:root {
  --paper: #f5f8f6;
  --sheet: #fdfefd;
  --ink: #1f2937;
  --soft: #556070;
  --line: #cdd6d6;
  --retries: #2f4bb5;
  --first: #dfe6e6;
  --outage: #f6e3d4;
}
@media screen and (prefers-color-scheme: dark) {
  :root {
    --paper: #161b24;
    --sheet: #1d232e;
    --ink: #eaf0ef;
    --soft: #a5b1bd;
    --line: #3b4554;
    --retries: #8ea8ff;
    --first: #323c4a;
    --outage: #40301f;
  }
}
* { box-sizing: border-box; }
body {
  max-width: 66rem;
  margin: 0 auto;
  padding: clamp(1rem, 4vw, 3rem);
  background: var(--paper);
  color: var(--ink);
  font: 1rem/1.55 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif;
  font-variant-numeric: tabular-nums;
}
h1 { margin: 0; font-size: clamp(1.6rem, 5vw, 2.4rem); line-height: 1.15; text-wrap: balance; }
h2 { margin: 3rem 0 0.75rem; font-size: 1.35rem; }
h3 { margin: 0; font-size: 1.1rem; }
p { margin: 0.4rem 0; max-width: 46rem; text-wrap: pretty; }
header p { font-size: 1.1rem; color: var(--soft); }
.title, .key, .note, dt { color: var(--soft); }
article {
  margin: 1rem 0;
  padding: 1rem 1.25rem 0.5rem;
  border: 1px solid var(--line);
  border-radius: 0.5rem;
  background: var(--sheet);
  break-inside: avoid;
}
svg { display: block; width: 100%; height: auto; overflow: visible; }
.narrow { display: none; }
.swatch { display: inline-block; width: 0.9em; height: 0.9em; margin-left: 0.3em; vertical-align: -0.1em; }
.retries { background: var(--retries); }
.first { background: var(--first); border: 1px solid var(--soft); }
.outage { background: var(--outage); }
.takes { height: 0; border-top: 2px dotted var(--soft); vertical-align: 0.25em; }
dl { margin: 0; display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 22rem), 1fr)); gap: 0 2rem; }
dl div { display: flex; justify-content: space-between; gap: 1rem; padding: 0.3rem 0; border-bottom: 1px solid var(--line); }
dd { margin: 0; text-align: right; }
.scroll { overflow-x: auto; border: 1px solid var(--line); border-radius: 0.5rem; background: var(--sheet); }
.scroll:focus-visible { outline: 3px solid var(--retries); outline-offset: 2px; }
table { width: 100%; border-collapse: collapse; font-size: 0.9rem; }
th, td { padding: 0.5rem 0.6rem; text-align: right; white-space: nowrap; vertical-align: bottom; }
thead th { color: var(--soft); font-weight: 500; line-height: 1.3; white-space: normal; }
tbody tr { border-top: 1px solid var(--line); }
tbody td { vertical-align: top; }
tbody th, th:first-child, .text { text-align: left; }
tbody th { position: sticky; left: 0; background: var(--sheet); vertical-align: top; }
td.text { min-width: 9rem; white-space: normal; }
.plain th, .plain td { padding: 0.35rem 1rem 0.35rem 0; text-align: left; white-space: normal; vertical-align: top; }
.plain tbody th { position: static; background: none; font-weight: 500; }
pre { max-width: 100%; padding: 0.75rem 1rem; border: 1px solid var(--line); border-radius: 0.5rem; background: var(--sheet); white-space: pre-wrap; overflow-wrap: anywhere; }
code { font: 0.9rem ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; }
@media (max-width: 40rem) {
  .wide { display: none; }
  .narrow { display: block; }
  article { padding: 0.75rem 0.75rem 0.25rem; }
}
@media print {
  :root { --paper: #fff; --sheet: #fff; --ink: #000; --soft: #444; }
  body { max-width: none; padding: 0; font-size: 10pt; }
  h2 { break-after: avoid; margin-top: 1.5rem; }
  .scroll { overflow: visible; border: 0; }
  table { font-size: 7.5pt; }
  th, td { padding: 0.25rem 0.3rem; }
  td.text { min-width: 0; }
  tbody th { position: static; }
  .swatch { print-color-adjust: exact; }
}
`
