// Loaded before every script, because an older Node would stumble over the first line of TypeScript without saying why.
'use strict'

const OLDEST_NODE = 24

if (Number.parseInt(process.versions.node, 10) < OLDEST_NODE) {
  process.stderr.write(
    `This needs Node ${OLDEST_NODE} or newer, but ${process.execPath} is ${process.versions.node}.\n` +
      "'npm ci' installs the pinned Node and 'npm run' then uses it. If it was run with --ignore-scripts,\n" +
      'the pinned Node was left out: run it again without that option, or put a newer Node first on PATH.\n',
  )
  process.exit(2)
}
