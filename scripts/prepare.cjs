// Bundles the command line after an install, so that it starts quickly. Nothing depends on it: without it the sources run.
'use strict'

const { spawnSync } = require('node:child_process')
const path = require('node:path')

if (Number.parseInt(process.versions.node, 10) >= 24) {
  const end = spawnSync(process.execPath, [path.join(__dirname, 'bundle.ts')], {
    stdio: ['ignore', 'ignore', 'pipe'],
    encoding: 'utf8',
  })
  if (end.status !== 0)
    process.stderr.write(`tongs: not bundled, so commands start slower: ${end.stderr.split('\n')[0]}\n`)
}
