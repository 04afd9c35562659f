import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Row } from './measure.ts'
import { readStamp } from './page/machine.ts'
import { publish, saveGroup } from './page/results.ts'

const here = import.meta.dirname
if (!existsSync(join(here, 'node_modules'))) {
  const end = spawnSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], {
    cwd: here,
    stdio: 'inherit',
  })
  if (end.status !== 0) throw new Error('the peers could not be installed')
}
if (globalThis.gc === undefined) {
  process.exit(
    spawnSync(process.execPath, ['--expose-gc', join(here, 'run.ts'), ...process.argv.slice(2)], {
      stdio: 'inherit',
    }).status ?? 1,
  )
}

const { durabilityRows, groupRows, lengthRows, pipelineRows } = await import('./rows-pipeline.ts')
const { openRow, patchRow, walkRow } = await import('./rows-files.ts')
const { peerRows } = await import('./rows-peers.ts')
const { ruleRows } = await import('./rows-rules.ts')
const { startRows } = await import('./rows-start.ts')
const { searchRows } = await import('./row-08-search.ts')
const { startCommandRow } = await import('./row-10-start.ts')
const { outputRow } = await import('./row-11-output.ts')
const { approvedRow } = await import('./row-16-approved.ts')
const { reopenRow } = await import('./row-17-reopen.ts')
const { layerRows } = await import('./row-19-layer.ts')
const { messageRow } = await import('./row-12b-message.ts')
const { stateRow } = await import('./row-18-state.ts')
const { mcpRow } = await import('./row-20-mcp.ts')
const { installRows } = await import('./rows-install.ts')
const { feltRows } = await import('./felt/rows-felt.ts')
const { sessionRows } = await import('./many/rows-sessions.ts')
const { processRows } = await import('./many/rows-processes.ts')
const { stateFolderRows } = await import('./many/rows-state-folder.ts')
const { soakRows } = await import('./soak.ts')

const GROUPS: Readonly<Record<string, () => Promise<readonly Row[]>>> = {
  start: startRows,
  pipeline: pipelineRows,
  rules: ruleRows,
  peers: peerRows,
  durability: durabilityRows,
  group: groupRows,
  open: openRow,
  search: searchRows,
  walk: walkRow,
  command: startCommandRow,
  output: outputRow,
  patch: patchRow,
  message: messageRow,
  length: lengthRows,
  state: stateRow,
  approved: approvedRow,
  reopen: reopenRow,
  layer: layerRows,
  mcp: mcpRow,
  install: installRows,
  felt: feltRows,
  many: async () => [...(await sessionRows()), ...(await processRows()), ...(await stateFolderRows())],
  soak: soakRows,
}
/** Groups that take so long that they are measured only if they are named. */
const LONG = new Set(['soak'])

const wanted = process.argv.slice(2).filter((word) => word !== '--publish')
const unknown = wanted.filter((word) => !(word in GROUPS))
if (unknown.length > 0) {
  console.error(`there is no group ${unknown.join(', ')}; there are ${Object.keys(GROUPS).join(', ')}`)
  process.exit(2)
}
const isOnlyPublished = process.argv.includes('--publish') && wanted.length === 0
const stamp = readStamp()
for (const [name, measure] of Object.entries(GROUPS)) {
  if (isOnlyPublished || (wanted.length > 0 ? !wanted.includes(name) : LONG.has(name))) continue
  const rows = await measure()
  saveGroup(name, { stamp, rows })
  for (const row of rows) {
    const against = row.baseline === null ? '' : ` against ${row.baseline}`
    const ratio = row.ratio === null ? '' : `, ratio ${row.ratio}`
    console.log(
      `${row.met ? 'met   ' : 'MISSED'} ${row.name}: ${row.ours}${against} ${row.unit}${ratio}, goal ${row.goal}`,
    )
    if (row.limit !== undefined) console.log(`       ${row.limit}`)
  }
}
if (process.argv.includes('--publish')) publish(Object.keys(GROUPS))
