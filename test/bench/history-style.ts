/** The look of the page of a history, after that of pages about runs: cards that stand beside each other. */

export const PAGE_STYLE = `
  :root {
    --ink: #17202b; --dim: #566273; --line: #d3dae3; --back: #f5f7fa; --panel: #ffffff;
    --value: #0b5fae; --cpu: #a7650b; --share: #13703a; --bar: #b3261e; --good: #13703a; --bad: #b3261e;
  }
  @media (prefers-color-scheme: dark) {
    :root {
      --ink: #e4e9f0; --dim: #9aa7b8; --line: #2d3745; --back: #0e1319; --panel: #171e27;
      --value: #74b4f5; --cpu: #e5b95c; --share: #6fce95; --bar: #ff9a92; --good: #6fce95; --bad: #ff9a92;
    }
  }
  * { box-sizing: border-box; }
  body { max-width: 84rem; background: var(--back); color: var(--ink); }
  h1 { margin: 0; font-size: clamp(1.2rem, 6vw, 1.5rem); }
  h2 { margin: 2rem 0 .75rem; font-size: 1.15rem; scroll-margin-top: 1rem; }
  .verdict { margin: .25rem 0 0; font-weight: 600; }
  .verdict.met { color: var(--good); }
  .missed, .verdict.missed { color: var(--bad); }
  .facts, .skipped, footer { color: var(--dim); font-size: .9rem; margin: .25rem 0; overflow-wrap: anywhere; }
  .skipped ul { padding-left: 1.2rem; margin: .25rem 0; }
  nav { display: flex; flex-wrap: wrap; gap: .4rem; margin-top: 1rem; }
  nav a {
    padding: .35rem .75rem; min-height: 2.25rem; border: 1px solid var(--line); border-radius: 999px;
    background: var(--panel); color: var(--ink); text-decoration: none; font-size: .9rem;
  }
  nav a:hover { border-color: var(--value); }
  nav .missed { font-size: .8rem; margin-left: .3rem; }
  a:focus-visible, summary:focus-visible, .wide:focus-visible { outline: 2px solid var(--value); outline-offset: 2px; }
  .plots { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 19.5rem), 1fr)); gap: 1rem; }
  figure {
    display: flex; flex-direction: column; margin: 0; padding: .9rem 1rem .6rem; background: var(--panel);
    border: 1px solid var(--line); border-radius: 10px; min-width: 0;
  }
  figcaption { font-size: .9rem; font-weight: 600; line-height: 1.3; overflow-wrap: anywhere; }
  figure p { margin: 0; }
  .newest { color: var(--dim); font-size: .85rem; margin-top: .35rem; }
  .newest .number {
    color: var(--ink); font-size: 1.55rem; font-weight: 650; line-height: 1.2; font-variant-numeric: tabular-nums;
  }
  .newest .aside { color: var(--cpu); margin-left: .7rem; white-space: nowrap; }
  .sentences { font-size: .82rem; color: var(--dim); line-height: 1.35; min-height: 2.7em; }
  .ok .sentences strong { color: var(--good); font-weight: 600; }
  .missed .sentences strong { color: var(--bad); font-weight: 600; }
  figure.missed { color: inherit; }
  .caption { display: flex; flex-wrap: wrap; gap: .1rem .9rem; font-size: .75rem; color: var(--dim); }
  figure .caption { margin-top: .55rem; }
  .caption, .entry { align-items: center; }
  .entry { display: inline-flex; }
  .key { display: inline-block; width: 1.1rem; height: 0; margin-right: .4rem; border-top: 2.5px solid; flex: none; }
  p.caption > .key { margin-right: -.5rem; }
  .key.value { color: var(--value); }
  .key.cpu { color: var(--cpu); }
  .key.share { color: var(--share); }
  .key.bar { color: var(--bar); border-top-style: dashed; border-top-width: 2px; }
  figure svg { display: block; width: 100%; height: auto; color: var(--dim); font-variant-numeric: tabular-nums; }
  svg .grid, svg .axis { stroke: var(--line); }
  svg .line { fill: none; stroke-width: 1.8; stroke-linejoin: round; stroke-linecap: round; }
  svg .line.value { stroke: var(--value); }
  svg .line.cpu { stroke: var(--cpu); }
  svg .line.share { stroke: var(--share); }
  svg .line.bar { stroke: var(--bar); stroke-width: 1.4; stroke-dasharray: 5 4; stroke-linecap: butt; }
  svg .dot { stroke: var(--panel); stroke-width: 1; }
  svg .dot.value { fill: var(--value); }
  svg .dot.cpu { fill: var(--cpu); }
  svg .dot.share { fill: var(--share); }
  svg .parting { stroke: var(--dim); stroke-dasharray: 1.5 3; stroke-linecap: round; }
  svg .far { fill: var(--dim); }
  details { margin-top: .35rem; }
  figure details { margin-top: auto; }
  summary { cursor: pointer; font-size: .82rem; color: var(--dim); padding: .4rem 0; border-radius: 4px; }
  .wide { overflow: auto; max-height: 20rem; font-size: .8rem; }
  .wide th, .wide td { padding: .2rem .8rem .2rem 0; white-space: nowrap; border-color: var(--line); }
  .wide th { font-weight: 400; }
  .wide thead th { font-weight: 600; position: sticky; top: 0; background: var(--panel); }
  footer { margin-top: 2.5rem; }
  @media (max-width: 30rem) { body { margin: 1rem auto; } }
`;
