import type { Row } from '../measure.ts'
import type { Plot } from './draw-plots.ts'
import type { Stamp } from './machine.ts'
import type { Group } from './results.ts'

/** The page about speed: what was measured, when, on what, and what holds back the goals that are missed. */
export function renderPage(groups: readonly Group[], plots: readonly Plot[]): string {
  const runs = [...new Set(groups.map(({ stamp }) => JSON.stringify(stamp)))]
  const rows = groups
    .flatMap(({ stamp, rows: own }) =>
      own.map((row) => ({ row, run: runs.indexOf(JSON.stringify(stamp)) + 1 })),
    )
    .toSorted((one, other) => one.row.name.localeCompare(other.row.name, 'en', { numeric: true }))
  const met = rows.filter(({ row }) => row.met).length
  const stamps = runs.map((run) => JSON.parse(run) as Stamp)
  return `<!-- Printed by npm run bench -- --publish. -->
# Performance

Each row compares Tongs with a baseline that is measured in the same run, in turns, on the same machine. The ratio is what counts: the figures themselves depend on the machine, and nothing is promised in milliseconds. \`npm run bench\` measures all rows but those of \`npm run bench -- soak\`, a million calls; \`npm run bench -- felt many\` measures some groups; \`npm run bench -- --publish\` prints this page and its plots.

${met} of ${rows.length} goals are met.

${plots.map(({ file, title }) => `![${title}](pictures/performance/${file})`).join('\n\n')}

| What | Ours | Baseline | Unit | Ratio | Goal | Met | Run |
| --- | ---: | ---: | --- | ---: | --- | --- | --- |
${rows.map(({ row, run }) => renderRow(row, run)).join('\n')}

## Runs

| Run | Begun | Commit | Load before | Machine |
| --- | --- | --- | ---: | --- |
${stamps.map(({ date, commit, load, machine }, at) => `| ${at + 1} | ${date} | ${commit} | ${load} | ${machine} |`).join('\n')}
${renderLimits(rows.map(({ row }) => row))}`
}

function renderRow({ name, ours, baseline, unit, ratio, goal, met }: Row, run: number): string {
  const cells = [name, show(ours), show(baseline), unit, show(ratio), goal, met ? 'yes' : 'no', String(run)]
  return `| ${cells.join(' | ')} |`
}

/** What holds back the goals that are missed, as far as a run has measured it. */
function renderLimits(rows: readonly Row[]): string {
  const limited = rows.flatMap(({ name, limit }) => (limit === undefined ? [] : [`- ${name}: ${limit}.`]))
  return limited.length === 0 ? '' : `\n## What holds the missed goals back\n\n${limited.join('\n')}\n`
}

function show(figure: number | null): string {
  return figure === null ? '' : String(figure)
}
