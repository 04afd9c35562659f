// Checks the Node that was installed, then bundles the command line so that it starts quickly. Nothing depends on the bundle: without it the sources run.
'use strict'

const { spawnSync } = require('node:child_process')
const path = require('node:path')

// By the Node that runs npm: the installed one would be asked about itself.
const judge = process.env['npm_node_execpath'] ?? process.execPath
const check = path.join(__dirname, 'supply-chain', 'node-checksum.cjs')
if (spawnSync(judge, [check], { stdio: 'inherit' }).status !== 0) process.exit(1)

if (Number.parseInt(process.versions.node, 10) >= 24) {
  const end = spawnSync(process.execPath, [path.join(__dirname, 'bundle.ts')], {
    stdio: ['ignore', 'ignore', 'pipe'],
    encoding: 'utf8',
  })
  if (end.status !== 0)
    process.stderr.write(`tongs: not bundled, so commands start slower: ${end.stderr.split('\n')[0]}\n`)
}
